package memory

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Read runs f over what an NPC remembers of a player, or of nobody, as the log has it
// now. The book is f's until it returns, to read alone.
func (b *Books) Read(ctx context.Context, of schema.ConversationID, f func(*memory.Book) error) error {
	return b.use(ctx, of, func(p *projection) error { return f(p.book) })
}

// Each runs f over every projection of a world, one after another. None of them stays
// at hand for that.
func (b *Books) Each(ctx context.Context, world string, f func(schema.ConversationID, *memory.Book) error) error {
	all, err := owners(ctx, b.log, world, 0, func(transport.Logged) error { return nil })
	for i := 0; err == nil && i < len(all); i++ {
		p := b.fresh(all[i])
		if err = b.catchUp(ctx, p); err == nil {
			err = f(p.own, p.book)
		}
	}
	return err
}

// Append writes the events that f makes of a projection, in order; those that the log
// has already, or refuses, are left out. Where somebody else has written meanwhile, f
// is asked again.
func (b *Books) Append(ctx context.Context, of schema.ConversationID, f func(*memory.Book) []schema.MemoryEvent) error {
	return b.use(ctx, of, func(p *projection) error { return b.append(ctx, p, f) })
}

// ContextOf is what the words of a talk with an NPC of a world stand in.
func ContextOf(x *lore.Lore, npc, player, playerName string, wall time.Time) extract.Context {
	return within(x, npc, player, playerName, wall)
}
