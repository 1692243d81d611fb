package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
