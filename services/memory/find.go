package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
		if q.ID != "" {
			return kept.one(&q)
		}
		return kept.page(&q)
	}
}

// one is a memory with its history; one that was dropped has only that.
func (k *Kept) one(q *schema.MemoriesQuery) (schema.MemoriesFound, error) {
	out := schema.MemoriesFound{Memories: []schema.Memory{}, Events: k.Of(q.ID)}
	for i := range k.Memories {
		if m := &k.Memories[i]; m.ID == q.ID && isAsked(q, m) {
			out.Memories = append(out.Memories, *m)
			return out, nil
		}
	}
	return schema.MemoriesFound{}, fmt.Errorf("no memory has the id %q: %w", q.ID, transport.ErrNotFound)
}

// page gives as many as fit, in the order in which they are kept.
func (k *Kept) page(q *schema.MemoriesQuery) (schema.MemoriesFound, error) {
	out := schema.MemoriesFound{Memories: []schema.Memory{}}
	rest := k.Memories
	if q.After != "" {
		i := slices.IndexFunc(rest, func(m schema.Memory) bool { return m.ID == q.After })
		if i < 0 {
			return out, &schema.FieldError{Field: "after", Reason: "names no memory any more; begin again without it"}
		}
		rest = rest[i+1:]
	}
	limit := cmp.Or(q.Limit, schema.MaxMemories)
	for i := range rest {
		if !isAsked(q, &rest[i]) {
			continue
		}
		if len(out.Memories) == limit {
			out.More = true
			break
		}
		out.Memories = append(out.Memories, rest[i])
	}
	return out, nil
}

func isAsked(q *schema.MemoriesQuery, m *schema.Memory) bool {
	return (q.NPC == "" || q.NPC == m.NPC) && (q.Player == "" || q.Player == m.Player) &&
		(q.Status == "" || q.Status == m.Status)
}
