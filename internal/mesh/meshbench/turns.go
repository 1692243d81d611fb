package meshbench

import (
	"context"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"golang.org/x/sync/errgroup"
)

// Turns measures a mesh that runs already: so many conversations at once, in
// each of which a turn is published when the reply of the last one is there. It
// ends when all of them are applied. request makes turn n of conversation c.
func Turns(ctx context.Context, client *mesh.Client, o Options, request func(c, n int) *schema.Request) (Result, error) {
	o = o.withDefaults()
	w := &waiter{client: client, waits: map[string]chan struct{}{}}
	listening, stop := context.WithCancel(ctx)
	g, listening := errgroup.WithContext(listening)
	ready := make(chan struct{})
	g.Go(func() error { return client.Replies(listening, ready, w.heard) })
	<-ready
	out, err := drive(listening, o, func(ctx context.Context, c, n int) error { return w.turn(ctx, request(c, n)) }, client.Idle)
	stop()
	if waited := g.Wait(); err == nil {
		err = waited
	}
	return out, err
}

// waiter publishes turns and waits for their replies.
type waiter struct {
	client *mesh.Client
	mu     sync.Mutex
	waits  map[string]chan struct{}
}

func (w *waiter) heard(_ schema.ConversationID, turn string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ch := w.waits[turn]; ch != nil {
		close(ch)
		delete(w.waits, turn)
	}
}

func (w *waiter) turn(ctx context.Context, r *schema.Request) error {
	done := make(chan struct{})
	w.mu.Lock()
	w.waits[r.TurnID] = done
	w.mu.Unlock()
	if _, err := w.client.Publish(ctx, r); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
