package memory

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Read runs f over what an NPC remembers as the log has it now. The book is f's
// until it returns, to read alone.
func (b *Books) Read(ctx context.Context, world, npc string, f func(*memory.Book) error) error {
	return b.use(ctx, owner{world, npc}, func(n *notebook) error { return f(n.book) })
}

// Append writes the events that f makes of an NPC's book, in order; those that the
// log has already, or refuses, are left out. Where somebody else has written
// meanwhile, f is asked again.
func (b *Books) Append(ctx context.Context, world, npc string, f func(*memory.Book) []schema.MemoryEvent) error {
	return b.use(ctx, owner{world, npc}, func(n *notebook) error { return b.append(ctx, n, f) })
}

// ContextOf is what the words of a talk with an NPC of a world stand in.
func ContextOf(x *lore.Lore, npc, player, playerName string, wall time.Time) extract.Context {
	return within(x, npc, player, playerName, wall)
}
