package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/nats-io/nats.go/jetstream"
)

// StreamState is a stream of the mesh as a person wants to see it.
type StreamState struct {
	Name     string `json:"name"`
	Missing  bool   `json:"missing,omitempty"`
	Unfit    string `json:"unfit,omitempty"` // what differs from what the protocol rests on
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
}

// ConsumerState is a service's place in its stream.
type ConsumerState struct {
	Name    string `json:"name"`
	Stream  string `json:"stream"`
	Missing bool   `json:"missing,omitempty"` // nobody ever ran it here
	Waiting uint64 `json:"waiting"`           // messages that no worker has taken
	Taken   int    `json:"taken"`             // in workers' hands
	Workers bool   `json:"workers"`           // somebody is asking for messages now

	Redelivered int `json:"redelivered"` // of those taken, how many had been taken before
}

// Inspect looks at every stream and consumer of the mesh and changes nothing.
func (c *Client) Inspect(ctx context.Context) ([]StreamState, []ConsumerState, error) {
	var out []StreamState
	for _, want := range transport.Streams(transport.Settings{}.WithDefaults()) {
		s, err := c.conn.Look(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			out = append(out, StreamState{Name: want.Name, Missing: true})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("look at stream %s: %w", want.Name, err)
		}
		info := s.CachedInfo()
		state := StreamState{Name: want.Name, Messages: info.State.Msgs, Bytes: info.State.Bytes}
		if err := transport.Compatible(info.Config, want); err != nil {
			state.Unfit = err.Error()
		}
		out = append(out, state)
	}
	consumers, err := c.consumers(ctx)
	return out, consumers, err
}

// lateWorkers is how long a consumer that nobody asks is looked at by AwaitWorkers. A
// pull stands for transport.PullLife and is made again before its end; a process that is held up
// makes the next one late.
const lateWorkers = 3 * transport.PullLife

// AwaitWorkers looks again at those of some consumers that nobody was asking, until
// somebody does or none can be said to be only late: one look tells of a moment, and no
// message of the broker tells of a pull.
func (c *Client) AwaitWorkers(ctx context.Context, all []ConsumerState) error {
	late := time.After(lateWorkers)
	for {
		idle := false
		for i := range all {
			if all[i].Workers {
				continue
			}
			seen, err := c.consumer(ctx, all[i].Stream, all[i].Name)
			if err != nil {
				return err
			}
			all[i], idle = seen, idle || !seen.Workers
		}
		if !idle {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			return nil
		case <-time.After(transport.PullLife / 20):
		}
	}
}

// consumer is how one stands now.
func (c *Client) consumer(ctx context.Context, stream, name string) (ConsumerState, error) {
	cons, err := c.conn.LookAtConsumer(ctx, stream, name)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound):
		return ConsumerState{Name: name, Stream: stream, Missing: true}, nil
	case err != nil:
		return ConsumerState{}, fmt.Errorf("look at consumer %s of %s: %w", name, stream, err)
	}
	info := cons.CachedInfo()
	return ConsumerState{Name: name, Stream: stream, Waiting: info.NumPending, Taken: info.NumAckPending,
		Workers: info.NumWaiting > 0 || info.NumAckPending > 0, Redelivered: info.NumRedelivered}, nil
}

func (c *Client) consumers(ctx context.Context) ([]ConsumerState, error) {
	var out []ConsumerState
	look := func(stream, name string) error {
		seen, err := c.consumer(ctx, stream, name)
		if err == nil {
			out = append(out, seen)
		}
		return err
	}
	if err := look(transport.StreamTurns, "intake"); err != nil {
		return nil, err
	}
	for _, p := range protocol.Passes {
		if err := look(transport.StreamPasses, "pass-"+string(p)); err != nil {
			return nil, err
		}
	}
	for _, x := range []struct{ stream, name string }{{transport.StreamTimers, "deadline"},
		{transport.StreamReplies, "finisher"},
		{transport.StreamReplies, ConsumerMemory}, {transport.StreamEvents, ConsumerEvents},
		{transport.StreamActions, ConsumerResults},
		{transport.StreamTimers, ConsumerScan}, {transport.StreamTimers, ConsumerReport}} {
		if err := look(x.stream, x.name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// MemoryWaiting is how many replies, events and answers of the game the memory
// service has not dealt with, among them all that were stored when it was asked.
func (c *Client) MemoryWaiting(ctx context.Context) (uint64, error) {
	var n uint64
	for _, x := range []struct{ stream, name string }{{transport.StreamReplies, ConsumerMemory},
		{transport.StreamEvents, ConsumerEvents},
		{transport.StreamActions, ConsumerResults}} {
		waiting, err := c.waiting(ctx, x.stream, x.name)
		if err != nil {
			return 0, err
		}
		n += waiting
	}
	return n, nil
}

// waiting is how many messages of a stream a consumer has not acknowledged.
func (c *Client) waiting(ctx context.Context, stream, name string) (uint64, error) {
	s, err := c.conn.Look(ctx, stream)
	if err != nil {
		return 0, fmt.Errorf("look at %s: %w", stream, err)
	}
	cons, err := c.conn.LookAtConsumer(ctx, stream, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) { // the service has yet to begin, with all that is there
		return s.CachedInfo().State.Msgs, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at consumer %s of %s: %w", name, stream, err)
	}
	info := cons.CachedInfo()
	if n := info.NumPending + uint64(max(info.NumAckPending, 0)); n > 0 { //nolint:gosec // it is not negative
		return n, nil
	}
	// The broker counts what is pending a moment after it stored it, so that none may mean not yet.
	last, err := lastOf(ctx, s, info.Config.FilterSubject)
	if err != nil {
		return 0, fmt.Errorf("look at the end of %s: %w", stream, err)
	}
	if last > info.Delivered.Stream {
		return 1, nil
	}
	return 0, nil
}

// lastOf is the sequence of the last message of a stream that a filter lets through, 0 where there is none.
func lastOf(ctx context.Context, s jetstream.Stream, filter string) (uint64, error) {
	msg, err := s.GetLastMsgForSubject(ctx, cmp.Or(filter, ">"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return msg.Sequence, nil
}
