package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Rebuilt is what a rebuilding came to.
type Rebuilt struct {
	Entries  int      `json:"entries"` // of the log
	Memories int      `json:"memories"`
	Removed  int      `json:"removed"` // that stood in the index and not in the log
	Problems []string `json:"problems"`
}

// Rebuild makes the index anew from the whole log, one projection after another. How
// often a memory was used is not in the log, and stays. What is written meanwhile is
// read too, until nothing is: whoever follows the log may have indexed it already, and
// it was taken for a stray.
func (x *Index) Rebuild(ctx context.Context) (Rebuilt, error) {
	out, known := Rebuilt{Problems: []string{}}, map[schema.ConversationID]bool{}
	last, err := x.log.End(ctx)
	if err != nil {
		return out, err
	}
	read := uint64(0)
	for first := true; ; first = false {
		all, err := owners(ctx, x.log, "*", read, func(l transport.Logged) error {
			read = l.Sequence
			out.Entries++
			return nil
		})
		if err != nil {
			return out, err
		}
		if len(all) == 0 && !first {
			break
		}
		for _, own := range all {
			if err := x.rebuild(ctx, own, !known[own], &out); err != nil {
				return out, err
			}
			known[own] = true
		}
		if err := x.strays(ctx, known, &out); err != nil {
			return out, err
		}
	}
	return out, x.mark(ctx, max(last, read))
}

// rebuild puts a projection in the place of what the index has of it. What is wrong with
// its entries is told the first time.
func (x *Index) rebuild(ctx context.Context, own schema.ConversationID, first bool, out *Rebuilt) error {
	p := x.books.fresh(own)
	p.refused = func(err error) {
		if first {
			out.Problems = append(out.Problems, err.Error())
		}
	}
	if err := x.books.catchUp(ctx, p); err != nil {
		return err
	}
	removed, err := x.put(ctx, p, nil, true)
	out.Removed += removed
	return err
}

// strays takes out what the index has of those whom the log does not know, and counts
// what it has then.
func (x *Index) strays(ctx context.Context, known map[schema.ConversationID]bool, out *Rebuilt) error {
	worlds := map[string]bool{}
	for own := range known {
		worlds[own.World] = true
	}
	out.Memories = 0
	for world := range worlds {
		for after := ""; ; {
			points, err := x.session.Scroll(ctx, store.MemoryFilter{World: world}, after, batch)
			if err != nil {
				return err
			}
			gone := []string{}
			for i := range points {
				if after = points[i].Memory.ID; !known[ownerOf(&points[i].Memory)] {
					gone = append(gone, after)
				}
			}
			removed, err := x.session.Delete(ctx, store.MemoryFilter{World: world, IDs: gone})
			if err != nil {
				return err
			}
			out.Removed += removed
			out.Memories += len(points) - len(gone)
			if len(points) < batch {
				break
			}
		}
	}
	return nil
}

// Kept is what the log holds: the memories as they stand, and every entry.
type Kept struct {
	Memories []schema.Memory      // by world, NPC, player and time
	Events   []schema.MemoryEvent // in the log's order
	Problems []string             // entries that could not be taken, one line each
}

// ReadAll reads a log from its beginning. An empty world or NPC is all of them.
func ReadAll(ctx context.Context, log *transport.MemoryLog, world, npc string) (Kept, error) {
	out := Kept{Memories: []schema.Memory{}, Events: []schema.MemoryEvent{}, Problems: []string{}}
	books := map[schema.ConversationID]*memory.Book{} // by NPC
	err := log.Read(ctx, cmp.Or(world, "*"), npc, 0, func(l transport.Logged) error {
		o := schema.ConversationID{World: l.Event.World, NPC: l.Event.NPC}
		if books[o] == nil {
			books[o] = memory.NewBook(o.World, o.NPC)
		}
		problem := l.Bad
		if problem == nil {
			problem = books[o].Apply(l.Event, time.Time{})
		}
		if problem != nil {
			out.Problems = append(out.Problems, problem.Error())
			return nil
		}
		out.Events = append(out.Events, l.Event)
		return nil
	})
	for _, b := range books {
		out.Memories = append(out.Memories, b.Memories()...)
	}
	slices.SortFunc(out.Memories, func(a, b schema.Memory) int {
		return cmp.Or(cmp.Compare(a.World, b.World), cmp.Compare(a.NPC, b.NPC), cmp.Compare(a.Player, b.Player),
			a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

// Of are the entries that speak of a memory, in order.
func (k *Kept) Of(id string) []schema.MemoryEvent {
	out := []schema.MemoryEvent{}
	undone := map[string]bool{}
	for _, e := range k.Events {
		if e.Target == id || slices.Contains(e.Others, id) || e.Memory != nil && e.Memory.ID == id || e.Undoes != "" &&
			undone[e.Undoes] {
			out = append(out, e)
			undone[e.ID] = true
		}
	}
	return out
}

// Finder answers what backends ask about memories, from the log.
func Finder(
	log *transport.MemoryLog,
) func(context.Context, string, schema.MemoriesQuery) (schema.MemoriesFound, error) {
	return func(ctx context.Context, world string, q schema.MemoriesQuery) (schema.MemoriesFound, error) {
		if err := q.Validate(); err != nil {
			return schema.MemoriesFound{}, err
		}
		kept, err := ReadAll(ctx, log, world, q.NPC)
		if err != nil {
			return schema.MemoriesFound{}, err
		}
		asked := func(m schema.Memory) bool {
			return (q.NPC == "" || q.NPC == m.NPC) && (q.Player == "" || q.Player == m.Player) &&
				(q.Status == "" || q.Status == m.Status)
		}
		if q.ID == "" {
			return kept.page(&q, asked)
		}
		i := slices.IndexFunc(kept.Memories, func(m schema.Memory) bool { return m.ID == q.ID && asked(m) })
		if i < 0 {
			return schema.MemoriesFound{}, fmt.Errorf("no memory has the id %q: %w", q.ID, transport.ErrNotFound)
		}
		return schema.MemoriesFound{Memories: kept.Memories[i : i+1], Events: kept.Of(q.ID)}, nil
	}
}

// page gives as many as fit, in the order in which they are kept.
func (k *Kept) page(q *schema.MemoriesQuery, asked func(schema.Memory) bool) (schema.MemoriesFound, error) {
	rest := k.Memories
	if q.After != "" {
		i := slices.IndexFunc(rest, func(m schema.Memory) bool { return m.ID == q.After })
		if i < 0 {
			return schema.MemoriesFound{Memories: []schema.Memory{}},
				&schema.FieldError{Field: "after", Reason: "names no memory any more; begin again without it"}
		}
		rest = rest[i+1:]
	}
	rest = slices.DeleteFunc(rest, func(m schema.Memory) bool { return !asked(m) })
	limit := cmp.Or(q.Limit, schema.MaxMemories)
	return schema.MemoriesFound{Memories: rest[:min(limit, len(rest))], More: len(rest) > limit}, nil
}
