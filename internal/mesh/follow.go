package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// The durable consumers of the memory service.
const (
	ConsumerMemory  = "memory"
	ConsumerEvents  = "memory-events"
	ConsumerResults = "memory-results"
)

// OnReply registers a reader of every stored reply, in the name of a durable
// consumer: memory is one. It is given each reply at least once, and must make
// nothing of the second time. An error is tried again until it succeeds;
// Reject(err) makes a dead letter, and Later(d) is no failure.
func (m *Mesh) OnReply(name string, f func(ctx context.Context, r *schema.Reply, sequence uint64) error, opts ...PassOption) {
	m.follow(name, streamReplies, "", opts, func(ctx context.Context, d *delivery) (string, error) {
		r, err := readReply(d)
		if err != nil {
			return "", Reject(err)
		}
		return r.TurnID, f(ctx, r, d.sequence)
	})
}

// OnOccurrence registers a reader of what backends saw happen, as OnReply does
// for replies.
func (m *Mesh) OnOccurrence(name string, f func(ctx context.Context, o *schema.Occurrence, sequence uint64) error, opts ...PassOption) {
	m.follow(name, streamEvents, "", opts, func(ctx context.Context, d *delivery) (string, error) {
		var o schema.Occurrence
		if err := json.Unmarshal(d.data, &o); err != nil {
			return "", Reject(fmt.Errorf("the event is not JSON: %w", err))
		}
		if want := schema.SubjectEvent(o.World); want != d.subject {
			return o.ID, Reject(fmt.Errorf("event %s of world %q stands on %s", o.ID, o.World, d.subject))
		}
		return o.ID, f(ctx, &o, d.sequence)
	})
}

// OnResult registers a reader of the game's answers to actions.
func (m *Mesh) OnResult(name string, f func(ctx context.Context, convo schema.ConversationID, turn string) error, opts ...PassOption) {
	m.follow(name, streamActions, schema.Prefix+"action-result.>", opts, func(ctx context.Context, d *delivery) (string, error) {
		s, err := schema.ParseSubject(d.subject)
		if err != nil {
			return "", Reject(err)
		}
		return s.Turn, f(ctx, s.Conversation, s.Turn)
	})
}

// follow runs a reader of a stream; read names the turn or event that a message
// is of.
func (m *Mesh) follow(name, stream, filter string, opts []PassOption, read func(context.Context, *delivery) (string, error)) {
	r := &runner{name: name, stream: stream, filter: filter, handle: func(ctx context.Context, d *delivery) verdict {
		ctx, cancel := context.WithTimeout(ctx, messageTimeout)
		defer cancel()
		of, err := read(ctx, d)
		var rejected *rejectError
		var later *laterError
		switch {
		case errors.As(err, &later):
			return putBack(later.delay)
		case errors.As(err, &rejected):
			m.opts.Report(Report{Where: name, Subject: d.subject, Turn: of, Attempt: d.attempt, Outcome: "reject", Err: rejected.err})
			err = m.buryFollowed(ctx, name, stream, d, rejected.err)
		}
		return m.settled(name, d, err)
	}}
	for _, o := range opts {
		o(r)
	}
	m.addRunner(r)
}

// buryFollowed makes a dead letter of a message that a reader cannot take. What is
// of a world and no conversation is buried under that world.
func (m *Mesh) buryFollowed(ctx context.Context, name, stream string, d *delivery, cause error) error {
	subject, err := schema.ParseSubject(d.subject)
	if err != nil {
		world := strings.TrimPrefix(d.subject, schema.Prefix+"event.")
		subject.Conversation = schema.ConversationID{World: world, NPC: "unknown", Player: "unknown"}
		subject.Turn = "seq-" + strconv.FormatUint(d.sequence, 10)
	}
	return m.bury(ctx, schema.Pass(name), stream, d, subject.Conversation, subject.Turn, cause, d.data)
}

// Results are the game's answers to the actions of a turn, by their place.
func (c *Client) Results(ctx context.Context, convo schema.ConversationID, turn string) (map[int]schema.ActionResult, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	out := map[int]schema.ActionResult{}
	err := c.conn.each(ctx, streamActions, schema.Prefix+"action-result."+convo.String()+"."+turn+".*", func(msg *jetstream.RawStreamMsg) bool {
		s, err := schema.ParseSubject(msg.Subject)
		if err != nil {
			return true
		}
		i, err := strconv.Atoi(s.Index)
		var r schema.ActionResult
		if err == nil && json.Unmarshal(msg.Data, &r) == nil { // an answer that cannot be read is no yes
			out[i] = r
		}
		return true
	})
	return out, err
}

// Witness publishes what the game saw happen. The same event published again is
// one event. Errors: schema.ErrInvalid, or the broker is out of reach.
func (c *Client) Witness(ctx context.Context, o *schema.Occurrence) error {
	if err := o.Validate(); err != nil {
		return err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("%w: event %s: %w", schema.ErrInvalid, o.ID, err)
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	_, err = c.conn.publish(ctx, message(schema.SubjectEvent(o.World), data, headerMsgID, o.ID), c.attempt)
	return wrap(unanswered(err), "event %s", o.ID)
}
