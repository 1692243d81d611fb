package meshbench

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"golang.org/x/sync/errgroup"
)

// Turns measures real turns over a mesh that runs already, driven as Noop drives
// its own: request makes the n-th turn of a conversation, whose ids are its own
// affair but must be new.
func Turns(ctx context.Context, client *mesh.Client, o Options, request func(convo, n int) *schema.Request) (Result, error) {
	o = o.withDefaults()
	listening, stop := context.WithCancel(ctx)
	defer stop()
	w := newWaiter(client)
	var g errgroup.Group
	g.Go(func() error { return w.listen(listening) })
	out, err := drive(ctx, o, func(ctx context.Context, c, n int) error { return w.say(ctx, request(c, n)) }, client.Idle)
	stop()
	if waited := g.Wait(); err == nil {
		err = waited
	}
	return out, err
}
