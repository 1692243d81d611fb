package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// resolver settles contradictions as `forsooth memory resolve` does, for whoever asks the
// mesh.
func resolver(log *transport.MemoryLog, books *memory.Books, now func() time.Time) func(context.Context, string,
	schema.ResolveQuery) (schema.MemoryEvent, error) {
	return func(ctx context.Context, world string, q schema.ResolveQuery) (schema.MemoryEvent, error) {
		kept, err := memory.ReadAll(ctx, log, world, "")
		if err != nil {
			return schema.MemoryEvent{}, err
		}
		i := slices.IndexFunc(kept.Memories, func(m schema.Memory) bool { return m.ID == q.Memory })
		if i < 0 {
			return schema.MemoryEvent{}, fmt.Errorf("no memory has the id %q: %w", q.Memory, transport.ErrNotFound)
		}
		who := consistency.Operator{Books: books, Name: q.By, Now: now}
		done, err := settle(ctx, &who, &kept, &kept.Memories[i], q)
		var refusal *consistency.Refusal
		if errors.As(err, &refusal) {
			return done, &schema.FieldError{Field: "memory", Reason: refusal.Reason}
		}
		return done, err
	}
}

func settle(ctx context.Context, who *consistency.Operator, kept *memory.Kept, m *schema.Memory,
	q schema.ResolveQuery) (schema.MemoryEvent, error) {
	if q.Undo == "" {
		return who.Resolve(ctx, m, q.Keep, q.Why)
	}
	history := kept.Of(m.ID)
	i := slices.IndexFunc(history, func(e schema.MemoryEvent) bool { return e.ID == q.Undo })
	if i < 0 {
		return schema.MemoryEvent{}, fmt.Errorf("the history of %s has no entry %q: %w", m.ID, q.Undo, transport.ErrNotFound)
	}
	return who.Undo(ctx, &history[i], q.Why)
}
