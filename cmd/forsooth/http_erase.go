package main

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// eraser erases for the doors as `forsooth memory erase` does beside a running mesh: over
// the broker, and in the data folder of this process.
type eraser struct {
	e      *env
	conn   *transport.Conn
	worlds []*world.World
}

// Look says what an erasure would take away.
func (x *eraser) Look(ctx context.Context, world, player string) (plan admin.ErasurePlan, err error) {
	err = x.in(ctx, world, func(o admin.Erasure) error {
		plan, err = admin.PlanErasure(ctx, player, o)
		return err
	})
	return plan, err
}

// Erase takes a player out of a world.
func (x *eraser) Erase(ctx context.Context, world, player string) (receipt admin.Receipt, err error) {
	err = x.in(ctx, world, func(o admin.Erasure) error {
		receipt, err = admin.ErasePlayer(ctx, player, o)
		return err
	})
	return receipt, err
}

func (x *eraser) in(ctx context.Context, world string, do func(admin.Erasure) error) error {
	here, settings := *x.e, *x.e.settings
	settings.World = nil
	for _, w := range x.worlds {
		settings.World = append(settings.World, w.Dir)
	}
	here.ctx, here.settings = ctx, &settings
	o, done, err := here.erasure(&talk{client: mesh.NewClient(x.conn), conn: x.conn})
	if err != nil {
		return err
	}
	defer done()
	o.Worlds, o.Progress = []string{world}, nil
	return do(o)
}
