package erasure

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// owner is an NPC whose log speaks of the player.
type owner struct{ world, npc string }

// concerned are the NPCs whose logs must forget the player.
func (r *run) concerned(ctx context.Context) ([]owner, error) {
	var out []owner
	for _, world := range orAll(r.Worlds) {
		err := r.Conn.MemoryLog().Read(ctx, world, "", 0, func(l transport.Logged) error {
			o := owner{l.Event.World, l.Event.NPC}
			m := l.Event.Memory
			if (l.Player == r.player || m != nil && r.mentions(m)) && !slices.Contains(out, o) {
				out = append(out, o)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mentions says whether a memory speaks of the player.
func (r *run) mentions(m *schema.Memory) bool { return r.whom(m.World).Mentioned(m) }

// whom is the player as the memories of a world know them.
func (r *run) whom(world string) memory.Forgotten {
	return memory.Forgotten{ID: r.player, Handle: r.Handles.Has(world, r.player), Repeated: r.eraser.Repeats}
}

func orAll(worlds []string) []string {
	if len(worlds) == 0 {
		return []string{"*"}
	}
	return worlds
}

func (r *run) forget(ctx context.Context, owners []owner) error {
	for i, o := range owners {
		r.Progress(fmt.Sprintf("forgetting: NPC %d of %d", i+1, len(owners)))
		for {
			err := r.forgetOne(ctx, o)
			if errors.Is(err, transport.ErrLogMoved) {
				continue // somebody wrote meanwhile: read on, and decide again
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// forgetOne appends what tells the keepers of books, and then overwrites the
// entries. Between the two a crash leaves both, and the next run does it anew.
func (r *run) forgetOne(ctx context.Context, o owner) error {
	log := r.Conn.MemoryLog()
	var entries []transport.Logged
	var list []memory.Entry
	last := map[string]uint64{}
	err := log.Read(ctx, o.world, o.npc, 0, func(l transport.Logged) error {
		entries = append(entries, l)
		list = append(list, memory.Entry{Event: l.Event, Player: l.Player, Bad: l.Bad != nil})
		last[l.Player] = l.Sequence
		return nil
	})
	if err != nil {
		return err
	}
	id := r.NewID()
	plan := memory.Forget(o.world, o.npc, list, r.whom(o.world), r.Now().UTC(),
		func(n int) string { return fmt.Sprintf("erase:%s:%d", id, n) })
	for i := range plan.Events {
		e := &plan.Events[i]
		of := e.Player
		if of == "" {
			of = "_"
		}
		at, err := log.Append(ctx, e, last[of])
		if errors.Is(err, transport.ErrErased) { // of another one who is being erased
			continue
		}
		if err != nil {
			return err
		}
		last[of] = at
	}
	if err := r.step("forgotten"); err != nil {
		return err
	}
	var gone []transport.Logged
	for _, i := range plan.Gone {
		gone = append(gone, entries[i])
	}
	n, err := r.eraser.EraseEntries(ctx, gone)
	r.count("entries of the memory log", n)
	r.count("memories", plan.Erased)
	r.count("memories of others, now without the player", plan.Kept)
	return err
}
