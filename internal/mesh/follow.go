package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The durable consumers of the memory service.
const (
	ConsumerMemory  = "memory"
	ConsumerEvents  = "memory-events"
	ConsumerResults = "memory-results"
)

// OnReply registers a reader of every stored reply, in the name of a durable
// consumer: memory is one. It is given each reply at least once, and must make
// nothing of the second time. An error or a panic is tried again, and makes a dead letter
// after Options.MaxAttempts of them; Reject(err) makes one at once. Later(d) is no failure.
func (m *Mesh) OnReply(
	name string, f func(ctx context.Context, r *schema.Reply, sequence uint64) error, opts ...PassOption,
) {
	m.follow(name, transport.StreamReplies, "", opts, func(ctx context.Context, d *transport.Delivery) (string, error) {
		r, err := readReply(d)
		if err != nil {
			return "", Reject(err)
		}
		return r.TurnID, f(ctx, r, d.Sequence)
	})
}

// OnOccurrence registers a reader of what backends saw happen, as OnReply does
// for replies.
func (m *Mesh) OnOccurrence(
	name string, f func(ctx context.Context, o *schema.Occurrence, sequence uint64) error, opts ...PassOption,
) {
	m.follow(name, transport.StreamEvents, "", opts, func(ctx context.Context, d *transport.Delivery) (string, error) {
		var o schema.Occurrence
		if err := json.Unmarshal(d.Data, &o); err != nil {
			return "", Reject(fmt.Errorf("the event is not JSON: %w", err))
		}
		if want := protocol.SubjectEvent(o.World); want != d.Subject {
			return o.ID, Reject(fmt.Errorf("event %s of world %q stands on %s", o.ID, o.World, d.Subject))
		}
		return o.ID, f(ctx, &o, d.Sequence)
	})
}

// OnResult registers a reader of the game's answers to actions.
func (m *Mesh) OnResult(
	name string, f func(ctx context.Context, convo schema.ConversationID, turn string) error, opts ...PassOption,
) {
	m.follow(name, transport.StreamActions, protocol.Prefix+"action-result.>", opts,
		func(ctx context.Context, d *transport.Delivery) (string, error) {
			s, err := protocol.ParseSubject(d.Subject)
			if err != nil {
				return "", Reject(err)
			}
			return s.Turn, f(ctx, s.Conversation, s.Turn)
		})
}

// followSlowest is how long a message waits between two tries of a reader at most, in the
// mean. What a reader needs may be away for longer than a turn lasts: with the default of
// MaxAttempts a message is tried for half an hour before it is a dead letter.
const followSlowest = 2 * time.Minute

// follow runs a reader of a stream; read names the turn or event that a message
// is of.
func (m *Mesh) follow(
	name, stream, filter string, opts []PassOption, read func(context.Context, *transport.Delivery) (string, error),
) {
	r := &transport.Runner{
		Name: name, Stream: stream, Filter: filter, Limit: messageTimeout, Slowest: followSlowest,
		Handle: func(ctx context.Context, d *transport.Delivery) (err error) {
			d.Of, err = read(ctx, d)
			return err
		},
		Bury: func(ctx context.Context, d *transport.Delivery, cause error) error {
			return m.buryFollowed(ctx, name, stream, d, cause)
		},
	}
	for _, o := range opts {
		o(r)
	}
	m.addRunner(r)
	m.answer(func(world string) string { return protocol.SubjectRetry(name, world) }, "retry-"+name, m.retry(r))
}

// buryFollowed makes a dead letter of a message that a reader cannot take. What is
// of a world and no conversation is buried under that world.
func (m *Mesh) buryFollowed(ctx context.Context, name, stream string, d *transport.Delivery, cause error) error {
	subject, err := protocol.ParseSubject(d.Subject)
	if err != nil {
		world := d.Subject[strings.LastIndex(d.Subject, ".")+1:]
		subject.Conversation = schema.ConversationID{World: world, NPC: "unknown", Player: "unknown"}
		subject.Turn = "seq-" + strconv.FormatUint(d.Sequence, 10)
	}
	return m.bury(ctx, schema.Pass(name), stream, d, subject.Conversation, subject.Turn, cause, d.Data)
}

// Results are the game's answers to the actions of a turn, by their place.
func (c *Client) Results(
	ctx context.Context, convo schema.ConversationID, turn string,
) (map[int]schema.ActionResult, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	out := map[int]schema.ActionResult{}
	err := c.conn.Each(ctx, transport.StreamActions, protocol.Prefix+"action-result."+convo.String()+"."+turn+".*",
		func(msg *transport.Entry) bool {
			s, err := protocol.ParseSubject(msg.Subject)
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
	_, err = c.conn.Publish(ctx, transport.NewMessage(protocol.SubjectEvent(o.World), data, transport.HeaderID, o.ID),
		c.attempt)
	return transport.Wrap(unanswered(err), "event %s", o.ID)
}
