package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ConsumerBegin is the durable consumer of events on which NPCs speak first.
const ConsumerBegin = "begin"

// An event that is older than freshness begins no turn: nobody speaks of what is long over. The
// queue of its conversation is looked at again after each busyWait.
const (
	freshness = 15 * time.Second
	busyWait  = time.Second
)

// OnBegin registers the reader of events on which NPCs speak first. begins names the turn that
// an event begins, or nil. The turn stands in the queue of its conversation like any other.
// It is the same turn however often the event is read.
func (m *Mesh) OnBegin(begins func(*schema.Occurrence) *schema.Request) {
	read := func(ctx context.Context, d *transport.Delivery) (string, error) {
		if transport.IsShared(d.Msg.Headers()) {
			return "", nil // it was read when it happened
		}
		var o schema.Occurrence
		if json.Unmarshal(d.Data, &o) != nil || o.Validate() != nil || protocol.SubjectEvent(o.World) != d.Subject {
			return "", nil // the reader of memories makes a dead letter of it
		}
		req := begins(&o)
		if req == nil {
			return o.ID, nil
		}
		return o.ID, m.begin(ctx, d, req)
	}
	m.follow(ConsumerBegin, transport.StreamEvents, "", nil, read)
}

// begin puts the turn into its queue, where nothing else stands there.
func (m *Mesh) begin(ctx context.Context, d *transport.Delivery, req *schema.Request) error {
	convo := req.Conversation()
	if done, err := m.hasBegun(ctx, convo, req); done || err != nil {
		return err
	}
	late := m.opts.Now().Sub(d.Stored) > freshness
	waiting, err := m.waitsBehind(ctx, convo, 0)
	switch {
	case err != nil:
		return err
	case late && waiting:
		m.unbegun(d, req, schema.ReasonBusy)
		return nil
	case late:
		m.unbegun(d, req, schema.ReasonLate)
		return nil
	case waiting:
		return Later(busyWait)
	}
	data, err := json.Marshal(req)
	if err != nil {
		return Reject(fmt.Errorf("turn of event %s: %w", req.Begin.EventID, err))
	}
	_, err = m.publish(ctx, transport.NewMessage(protocol.SubjectTurn(convo), data, transport.HeaderID, req.TurnID))
	if transport.IsSubjectFull(err) || transport.IsStreamFull(err) {
		m.unbegun(d, req, schema.ReasonBusy)
		return nil
	}
	if err != nil {
		return err
	}
	return m.step("begin.published")
}

// hasBegun says whether the turn of an event waits or has ended, or its player was erased.
func (m *Mesh) hasBegun(ctx context.Context, convo schema.ConversationID, req *schema.Request) (bool, error) {
	event := schema.ConversationID{World: convo.World, NPC: transport.EventNPC, Player: req.Player}
	if is, err := m.conn.IsErased(ctx, event, req.Begin.EventID); is || err != nil {
		return is, err
	}
	return m.stands(ctx, convo, req.TurnID)
}

// stands says whether a turn waits or has ended.
func (m *Mesh) stands(ctx context.Context, convo schema.ConversationID, turn string) (bool, error) {
	// A turn leaves its queue after its reply is stored.
	_, err := QueuedTurn(ctx, m.conn, convo, turn)
	if errors.Is(err, transport.ErrNotFound) {
		_, err = m.conn.Reply(ctx, convo, turn)
	}
	if errors.Is(err, transport.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// waitsBehind says whether a queue holds a turn behind a place.
func (m *Mesh) waitsBehind(ctx context.Context, convo schema.ConversationID, sequence uint64) (bool, error) {
	found := false
	err := m.conn.EachFrom(ctx, transport.StreamTurns, protocol.SubjectTurn(convo), sequence+1,
		func(*transport.Entry) bool {
			found = true
			return false
		})
	return found, err
}

// yields says whether an unasked turn at the head of its queue gives way: somebody waits
// behind it, and it has not begun to be answered. The doorbell of whoever waits may be the
// first to find it, before it is accepted.
func (m *Mesh) yields(
	ctx context.Context, convo schema.ConversationID, head *transport.Entry, known said,
) (bool, error) {
	if turn := TurnOf(head); known.turn != turn {
		begun, err := m.said.begun(ctx, convo, turn)
		if err != nil || begun.accepted == 0 && !begun.silent {
			return false, err
		}
	}
	return m.waitsBehind(ctx, convo, head.Sequence)
}

// unbegun tells of a turn that an event was to begin and that stands in no queue.
func (m *Mesh) unbegun(d *transport.Delivery, req *schema.Request, reason string) {
	m.opts.Report(Report{Where: ConsumerBegin, Subject: d.Subject, Turn: req.TurnID, Attempt: d.Attempt,
		Outcome: "unbegun", Reason: reason, Err: fmt.Errorf("%s says nothing on event %s: %s", req.NPC, req.Begin.EventID,
			reason)})
}

// scheduleWorld keeps the schedule of what is done for a world now and then.
func (m *Mesh) scheduleWorld(ctx context.Context, what, world, pattern, zone string) error {
	if err := schema.CheckToken("world", world); err != nil {
		return err
	}
	return m.Cron(ctx, what+"."+world, pattern, zone, nil)
}

// unscheduleWorld takes the schedule of a world away, if there is one.
func (m *Mesh) unscheduleWorld(ctx context.Context, timer, world string) error {
	msg, err := m.conn.Last(ctx, transport.StreamTimers, timer+world)
	if errors.Is(err, transport.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.conn.Remove(ctx, transport.StreamTimers, msg.Sequence)
}

// scheduledWorlds are the worlds that have a schedule under timer.
func (m *Mesh) scheduledWorlds(ctx context.Context, timer string) ([]string, error) {
	var out []string
	err := m.conn.Each(ctx, transport.StreamTimers, timer+"*", func(msg *transport.Entry) bool {
		if msg.Header.Get(jetstream.ScheduleHeader) != "" {
			out = append(out, strings.TrimPrefix(msg.Subject, timer))
		}
		return true
	})
	return out, err
}

// onDue registers the handler of what is due for a world, in the name of a durable
// consumer. TIMERS keeps one message a subject, so what was missed several times comes once.
func (m *Mesh) onDue(consumer, due string, f func(ctx context.Context, world, id string) error) {
	m.addRunner(&transport.Runner{
		Name: consumer, Stream: transport.StreamTimers, Filter: due + "*", Workers: 1, Limit: scanLimit,
		Slowest: followSlowest,
		Handle: func(ctx context.Context, d *transport.Delivery) error {
			if err := f(ctx, strings.TrimPrefix(d.Subject, due), "due-"+strconv.FormatUint(d.Sequence, 10)); err != nil {
				return err
			}
			return m.conn.Remove(ctx, transport.StreamTimers, d.Sequence)
		},
		Bury: func(ctx context.Context, d *transport.Delivery, cause error) error {
			if err := m.buryFollowed(ctx, consumer, transport.StreamTimers, d, cause); err != nil {
				return err
			}
			return m.conn.Remove(ctx, transport.StreamTimers, d.Sequence)
		},
	})
}
