package mesh

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Observer is told what the workers of a mesh do, for those who watch it. It must
// not block, and nothing of a turn depends on it.
type Observer interface {
	// Begin is told that a worker takes a message in hand. The worker goes on with
	// the context that it gives, and calls end when it has done with the message.
	Begin(ctx context.Context, d Delivered) (_ context.Context, end func(Outcome))
	// Turn gives the context of what is done for a turn by whoever is at hand: the
	// finisher of one turn starts the next.
	Turn(ctx context.Context, turn string, acceptedAt time.Time, header func(key string) string) context.Context
	// Carry sets the headers of a message that is published in a context.
	Carry(ctx context.Context, set func(key, value string))
	// Buried is told of a dead letter, by the consumer that could not go on.
	Buried(consumer string)
	// Ended is told of a turn when its reply is first applied; at is when the reply
	// was stored.
	Ended(ctx context.Context, r *schema.Reply, at time.Time)
}

// Delivered is a message in a worker's hands.
type Delivered struct {
	Consumer string // such as intake, or the name of a pass
	Sequence uint64 // in its stream
	Subject  string
	Attempt  int
	Stored   time.Time // the broker's timestamp
	Header   func(key string) string
}

// Outcome is what became of a message.
type Outcome string

// The outcomes of a message.
const (
	OutcomeDone  Outcome = "done"
	OutcomeAgain Outcome = "again" // put back: an error, or a turn that has to wait
	OutcomeDead  Outcome = "dead"  // it never comes again
	OutcomeLost  Outcome = "lost"  // only a killed worker leaves one
)

// ConsumerOf is how those who watch call a consumer: a pass by its name.
func ConsumerOf(name string) string { return strings.TrimPrefix(name, "pass-") }

// watched tells the observer of the messages of a consumer.
func (m *Mesh) watched(consumer string) transport.Watch {
	o := m.opts.Observer
	if o == nil {
		return nil
	}
	return func(ctx context.Context, d *transport.Delivery) (context.Context, func(transport.Verdict)) {
		ctx, end := o.Begin(ctx, Delivered{Consumer: ConsumerOf(consumer), Sequence: d.Sequence, Subject: d.Subject,
			Attempt: d.Attempt, Stored: d.Stored, Header: d.Msg.Headers().Get})
		return ctx, func(v transport.Verdict) { end(outcomes[v.Kind]) }
	}
}

// outcomes are what observers call a verdict.
var outcomes = map[transport.VerdictKind]Outcome{
	transport.VerdictAck: OutcomeDone, transport.VerdictPutBack: OutcomeAgain,
	transport.VerdictTerm: OutcomeDead, transport.VerdictAbandon: OutcomeLost,
}

// turn is the context of what is done for a turn, whose request carries headers.
func (m *Mesh) turn(ctx context.Context, turn string, acceptedAt time.Time, h nats.Header) context.Context {
	if m.opts.Observer == nil {
		return ctx
	}
	return m.opts.Observer.Turn(ctx, turn, acceptedAt, h.Get)
}

// carry lets the observer add its headers to a message.
func (m *Mesh) carry(ctx context.Context, msg *transport.Message) {
	if m.opts.Observer == nil {
		return
	}
	m.opts.Observer.Carry(ctx, func(key, value string) {
		if msg.Header == nil {
			msg.Header = nats.Header{}
		}
		msg.Header[key] = []string{value} // as it is written: nats keeps the case of a key
	})
}

// ended tells the observer of a turn, the first time.
func (m *Mesh) ended(ctx context.Context, r *schema.Reply, d *transport.Delivery, first bool) {
	if first && m.opts.Observer != nil {
		m.opts.Observer.Ended(ctx, r, d.Stored)
	}
}

// Consumers are the consumers of this process, as those who watch call them.
func (m *Mesh) Consumers() []string {
	var out []string
	for _, r := range m.runners {
		out = append(out, ConsumerOf(r.Name))
	}
	return out
}

// Lag is what a consumer has before it, for all processes that share it.
type Lag struct {
	Consumer string
	Waiting  uint64 // messages that no worker has taken
	Taken    int    // in workers' hands, or put back
}

// Lags asks the broker how far the consumers of this process are behind. One that it
// does not answer for is left out.
func (m *Mesh) Lags(ctx context.Context) []Lag {
	var out []Lag
	for _, r := range m.runners {
		cons, err := m.conn.JetStream().Consumer(ctx, r.Stream, r.Name)
		if err != nil {
			continue
		}
		info := cons.CachedInfo()
		out = append(out, Lag{Consumer: ConsumerOf(r.Name), Waiting: info.NumPending, Taken: info.NumAckPending})
	}
	return out
}

// The headers of W3C's Trace Context, which a request carries from a backend.
const (
	headerTraceparent = "traceparent"
	headerTracestate  = "tracestate"
)

// traceKey is where a context keeps them.
type traceKey struct{}

type traceHeaders struct{ parent, state string }

// traceparent is version 00 of the header.
var traceparent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// maxTracestate is how much of a vendor's state travels.
const maxTracestate = 512

// WithTrace gives a context in which Publish makes the turn a part of a trace. What is
// no header of W3C's Trace Context is left out: nobody's turn fails for its trace.
func WithTrace(ctx context.Context, parent, state string) context.Context {
	if !traceparent.MatchString(parent) {
		return ctx
	}
	if len(state) > maxTracestate {
		state = ""
	}
	return context.WithValue(ctx, traceKey{}, traceHeaders{parent, state})
}

// traceOf sets the headers that a context carries.
func traceOf(ctx context.Context, msg *transport.Message) *transport.Message {
	h, ok := ctx.Value(traceKey{}).(traceHeaders)
	if !ok {
		return msg
	}
	msg.Header[headerTraceparent] = []string{h.parent}
	if h.state != "" {
		msg.Header[headerTracestate] = []string{h.state}
	}
	return msg
}
