package memory

import (
	"cmp"
	"context"
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
