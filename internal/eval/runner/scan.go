package runner

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/predicate"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// scanWorld is the nightly scan of a world, over the index and into the log.
func scanWorld(ctx context.Context, a *app.App, world string) error {
	points, err := a.Session().Scroll(ctx, store.MemoryFilter{World: world}, "", 0)
	if err != nil {
		return err
	}
	in := scan.Input{World: world, Now: time.Now()}
	for i := range points {
		p := &points[i]
		in.Memories = append(in.Memories, scan.Item{Memory: p.Memory, Vector: p.Vector, Model: p.Model, Accessed: p.Accessed})
	}
	var entailer scan.Entailer
	if model, err := app.NLI(); err == nil {
		entailer = scan.Entail(model)
	}
	s := scan.Scanner{Settings: scan.From(guards.Default().Consistency, app.EmbeddingModel()), Rule: memory.DefaultRule(),
		Predicates: scan.Of(predicate.Default()), Entail: entailer}
	out, err := s.Run(ctx, in)
	if err != nil {
		return err
	}
	log := a.Conn.MemoryLog()
	type owner struct{ npc, player string }
	last := map[owner]uint64{}
	if err := log.Read(ctx, world, "", 0, func(l mesh.Logged) error {
		last[owner{l.Event.NPC, l.Event.Player}] = l.Sequence
		return nil
	}); err != nil {
		return err
	}
	for i := range out.Events {
		e := &out.Events[i]
		o := owner{e.NPC, e.Player}
		if last[o], err = log.Append(ctx, e, last[o]); err != nil {
			return err
		}
	}
	return nil
}
