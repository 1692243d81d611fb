package mesh

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// ChainHops is how many hops a chain of a bench has: as many as a turn has passes.
const ChainHops = 7

// The subjects of a bench: those of the bare chain's hops, which its stream holds,
// and those on which a chain says that something has come to its end.
const (
	benchStream = "BENCH"
	benchHop    = "bench.hop."
	benchEnd    = "bench.end."
)

// BareChain is what a mesh is measured against: a chain of plain consumers on one
// stream, each of which takes a message, publishes the same bytes to the next and
// acks, with no queue, no order, no deadline, no reply and no trace.
type BareChain struct{ conn *transport.Conn }

// NewBareChain makes the stream, with so many copies.
func NewBareChain(ctx context.Context, c *transport.Conn, replicas int) (*BareChain, error) {
	_, err := c.JetStream().CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: benchStream, Subjects: []string{benchHop + ">"}, Storage: jetstream.FileStorage, Replicas: replicas,
	})
	return Bare(c), transport.Wrap(err, "bare chain")
}

// Bare is the bare chain whose stream is made.
func Bare(c *transport.Conn) *BareChain { return &BareChain{conn: c} }

// Send puts a message before the first hop.
func (b *BareChain) Send(ctx context.Context, id string, payload []byte) error {
	_, err := b.conn.JetStream().Publish(ctx, benchHop+"0."+id, payload)
	return err
}

// Work does some of the hops, each with so many workers, until it is stopped.
func (b *BareChain) Work(ctx context.Context, hops []int, workers int) (stop func(), err error) {
	var consuming []jetstream.ConsumeContext
	stop = func() {
		for _, cc := range consuming {
			cc.Drain()
			<-cc.Closed()
		}
	}
	for _, hop := range hops {
		cons, err := b.conn.JetStream().CreateConsumer(ctx, benchStream, jetstream.ConsumerConfig{
			Durable: "hop" + strconv.Itoa(hop), FilterSubject: benchHop + strconv.Itoa(hop) + ".>",
			AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 10_000,
		})
		var cc jetstream.ConsumeContext
		if err == nil {
			free := make(chan struct{}, workers)
			cc, err = cons.Consume(func(msg jetstream.Msg) {
				free <- struct{}{}
				go func() {
					defer func() { <-free }()
					b.hop(ctx, hop, msg)
				}()
			})
		}
		if err != nil {
			stop()
			return nil, fmt.Errorf("bare chain: %w", err)
		}
		consuming = append(consuming, cc)
	}
	return stop, nil
}

func (b *BareChain) hop(ctx context.Context, hop int, msg jetstream.Msg) {
	id := msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:]
	var err error
	if hop == ChainHops-1 {
		err = b.conn.Core().Publish(benchEnd+id, nil)
	} else {
		_, err = b.conn.JetStream().Publish(ctx, benchHop+strconv.Itoa(hop+1)+"."+id, msg.Data())
	}
	if err == nil {
		_ = msg.Ack()
	}
}

// hopPasses are the passes of HopChain. The last one puts up the fence and is left
// out: the first has its turn again.
var hopPasses = protocol.Passes[:ChainHops-1]

// HopChain registers passes that do nothing but hand on, without queue, deadline
// and reply: what is measured is the hop. Only those named are registered here.
func (m *Mesh) HopChain(passes ...schema.Pass) {
	for _, pass := range passes {
		i := slices.Index(hopPasses, pass)
		if i < 0 {
			continue
		}
		m.Handle(pass, func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
			if t.Hop == ChainHops-1 {
				t.Part = 1 // nothing follows it
				return "", m.conn.Core().Publish(benchEnd+t.TurnID, nil)
			}
			return hopPasses[(i+1)%len(hopPasses)], nil
		})
	}
}

// SendHop puts a turn before the first pass of a HopChain.
func (m *Mesh) SendHop(ctx context.Context, r *schema.Request, evidence []protocol.Evidence) error {
	now := m.opts.Now().UTC()
	t := &protocol.Turn{Request: *r, Pass: hopPasses[0], Sequence: 1, AcceptedAt: now, DeadlineAt: now.Add(r.Deadline()),
		Evidence: evidence, ThoughtReview: &protocol.Review{}} // reviewed already: "thinking" is not told
	data, err := protocol.EncodeTurn(t)
	if err != nil {
		return err
	}
	return m.send(ctx, t, data)
}

// ChainEnds tells f of everything that comes to the end of a BareChain or HopChain,
// until the context ends; ready is closed when it listens.
func (c *Client) ChainEnds(ctx context.Context, ready chan<- struct{}, f func(id string)) error {
	return c.listen(ctx, benchEnd+">", ready, func(subject string) { f(strings.TrimPrefix(subject, benchEnd)) })
}

// Replies tells f of every reply that is stored from now on, until the context
// ends; ready is closed when it listens. It is one subscription for all turns,
// where Watch is two for each.
func (c *Client) Replies(
	ctx context.Context, ready chan<- struct{}, f func(convo schema.ConversationID, turn string),
) error {
	return c.listen(ctx, transport.LivePrefix+"reply.>", ready, func(subject string) {
		s, err := protocol.ParseSubject(protocol.Prefix + strings.TrimPrefix(subject, transport.LivePrefix))
		if err == nil {
			f(s.Conversation, s.Turn)
		}
	})
}

// listen tells f of the subject of every message that comes.
func (c *Client) listen(ctx context.Context, subject string, ready chan<- struct{}, f func(subject string)) error {
	heard := sync.OnceFunc(func() { close(ready) })
	defer heard() // at the latest: a caller that waits must not wait for ever
	sub, err := c.conn.Core().Subscribe(subject, func(msg *transport.Message) { f(msg.Subject) })
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.conn.Core().FlushTimeout(transport.ReadTimeout); err != nil {
		return err
	}
	heard()
	<-ctx.Done()
	return nil
}

// HopBytes is the mean size of the messages of turns on their way, as the
// stream that holds them counts it.
func (c *Client) HopBytes(ctx context.Context) (int, error) {
	s, err := c.conn.Stream(ctx, transport.StreamPasses)
	if err != nil {
		return 0, err
	}
	info, err := s.Info(ctx)
	if err != nil || info.State.Msgs == 0 {
		return 0, err
	}
	return int(info.State.Bytes / info.State.Msgs), nil
}

// Idle waits until no turn is under way.
func (c *Client) Idle(ctx context.Context) error {
	s, err := c.conn.Stream(ctx, transport.StreamTurns)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		info, err := s.Info(ctx)
		if err != nil {
			return err
		}
		if info.State.Msgs == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
