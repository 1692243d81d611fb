package mesh

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// BareHops is how many hops the bare chain has: as many as a turn has passes.
const BareHops = 7

// BareChain is what a mesh is measured against: a chain of plain consumers on
// one stream, each of which takes a message, publishes the same bytes to the
// next and acks, with no queue, no order, no deadline, no reply and no trace. It
// sets the chain up and gives a function that sends one message through it and
// waits for its end, to be called from as many goroutines as there are
// conversations, and one that stops it.
func (c *Conn) BareChain(ctx context.Context, payload []byte) (send func(ctx context.Context, id string) error, stop func(), err error) {
	const stream, prefix = "BENCH", "bench."
	if _, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: stream, Subjects: []string{prefix + ">"}, Storage: jetstream.FileStorage,
	}); err != nil {
		return nil, nil, fmt.Errorf("bare chain: %w", err)
	}
	var ended sync.Map // id to chan struct{}
	var consuming []jetstream.ConsumeContext
	stop = func() {
		for _, cc := range consuming {
			cc.Drain()
			<-cc.Closed()
		}
	}
	for hop := range BareHops {
		cons, err := c.js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
			Durable: "hop" + strconv.Itoa(hop), FilterSubject: prefix + strconv.Itoa(hop) + ".>",
			AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 10_000,
		})
		if err != nil {
			stop()
			return nil, nil, fmt.Errorf("bare chain: %w", err)
		}
		cc, err := cons.Consume(func(msg jetstream.Msg) {
			go func() {
				id := msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:]
				if hop == BareHops-1 {
					if ch, ok := ended.LoadAndDelete(id); ok {
						close(ch.(chan struct{}))
					}
				} else if _, err := c.js.Publish(ctx, prefix+strconv.Itoa(hop+1)+"."+id, msg.Data()); err != nil {
					return
				}
				_ = msg.Ack()
			}()
		})
		if err != nil {
			stop()
			return nil, nil, fmt.Errorf("bare chain: %w", err)
		}
		consuming = append(consuming, cc)
	}
	send = func(ctx context.Context, id string) error {
		done := make(chan struct{})
		ended.Store(id, done)
		if _, err := c.js.Publish(ctx, prefix+"0."+id, payload); err != nil {
			return err
		}
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return send, stop, nil
}

// Replies tells f of every reply that is stored from now on, until the context
// ends; ready is closed when it listens. It is one subscription for all turns,
// where Watch is two for each.
func (c *Client) Replies(ctx context.Context, ready chan<- struct{}, f func(convo schema.ConversationID, turn string)) error {
	defer func() {
		if ready != nil {
			close(ready) // a caller that waits must not wait for ever
		}
	}()
	sub, err := c.conn.nc.Subscribe(livePrefix+"reply.>", func(msg *nats.Msg) {
		s, err := schema.ParseSubject(schema.Prefix + strings.TrimPrefix(msg.Subject, livePrefix))
		if err == nil {
			f(s.Conversation, s.Turn)
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.conn.nc.FlushTimeout(readTimeout); err != nil {
		return err
	}
	close(ready)
	ready = nil
	<-ctx.Done()
	return nil
}

// HopBytes is the mean size of the messages of turns on their way, as the
// stream that holds them counts it.
func (c *Client) HopBytes(ctx context.Context) (int, error) {
	s, err := c.conn.stream(ctx, streamPasses)
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
	s, err := c.conn.stream(ctx, streamTurns)
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
