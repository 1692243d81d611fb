package meshbench

import (
	"context"
	"errors"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"golang.org/x/sync/errgroup"
)

// Turns measures a mesh that runs already: so many conversations at once, in
// each of which a turn is published when the reply of the last one is there. It
// ends when all of them are applied. request makes turn n of conversation c.
func Turns(
	ctx context.Context, client *mesh.Client, o Options, request func(c, n int) *schema.Request,
) (Result, error) {
	o = o.withDefaults()
	return turns(ctx, client, func(ctx context.Context, ask func(context.Context, *schema.Request) error) (Result, error) {
		return drive(ctx, o, func(ctx context.Context, c, n int) error { return ask(ctx, request(c, n)) }, client.Idle)
	})
}

// turns gives f a function that publishes a turn and waits for its reply.
func turns(
	ctx context.Context, client *mesh.Client,
	f func(ctx context.Context, ask func(context.Context, *schema.Request) error) (Result, error),
) (Result, error) {
	w := &waiter{waits: map[string]chan struct{}{}}
	listening, stop := context.WithCancel(ctx)
	g, listening := errgroup.WithContext(listening)
	ready := make(chan struct{})
	g.Go(func() error {
		return client.Replies(listening, ready, func(_ schema.ConversationID, turn string) { w.ended(turn) })
	})
	<-ready
	publish := func(ctx context.Context, r *schema.Request) error {
		_, err := client.Publish(ctx, r)
		return err
	}
	out, err := f(listening, func(ctx context.Context, r *schema.Request) error { return w.wait(ctx, r, publish) })
	stop()
	return out, errors.Join(err, g.Wait())
}

// waiter waits for the ends of turns.
type waiter struct {
	mu    sync.Mutex
	waits map[string]chan struct{}
}

func (w *waiter) ended(turn string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ch := w.waits[turn]; ch != nil {
		close(ch)
		delete(w.waits, turn)
	}
}

// wait sends a turn and waits for its end.
func (w *waiter) wait(ctx context.Context, r *schema.Request, send func(context.Context, *schema.Request) error) error {
	done := make(chan struct{})
	w.mu.Lock()
	w.waits[r.TurnID] = done
	w.mu.Unlock()
	if err := send(ctx, r); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
