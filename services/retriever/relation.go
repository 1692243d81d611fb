package retriever

import (
	"context"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Events recall what an NPC saw the game do: of one player and of nobody.
type Events interface {
	Witnessed(ctx context.Context, world, npc, player string) ([]schema.Memory, error)
}

// relate fills the turn with how the NPC is and how it stands with the player. Events that
// cannot be read cost what they changed and not the turn: the trace says so.
func (s *Service) relate(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) {
	in := relation.Input{World: x.World, NPC: npc, Player: t.Player, Convo: t.Convo, Trust: t.Trust, State: t.State,
		Now: x.GameTime(&t.Request, time.Time{})}
	if events, ok := s.memories.(Events); ok {
		ctx, stop := context.WithTimeout(ctx, recallLimit)
		defer stop()
		seen, err := events.Witnessed(ctx, t.World, t.NPC, t.Player)
		if err != nil {
			note(t, fmt.Errorf("events: %w", err))
		}
		in.Seen = seen
	}
	t.Relation = relation.Of(in)
}

// standing fills a turn that asks how the NPC is or how it stands with somebody. It says
// false where the message asks for something else, or where a model can word the answer:
// the model reads the relation in its prompt.
func (s *Service) standing(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) bool {
	if s.model.Searching(ctx, t, x, npc) != nil && !relation.Recorded(t.Message, npc) {
		return false
	}
	lines := relation.Answer(t.Message, x.World, npc, t.Relation)
	if len(lines) == 0 {
		return false
	}
	t.Retrieval.Intent = protocol.IntentRelation
	for i, l := range lines {
		if l.Source == "" {
			continue
		}
		t.Evidence = append(t.Evidence, protocol.Evidence{
			ID: fmt.Sprintf("R%d", i+1), SourceID: "session", ChunkID: l.Source, Path: l.Source, Type: "session",
			Text: l.Proof, Score: 1, Private: true, AllowedFor: []string{string(schema.ClaimSharedPast)},
			Provenance: protocol.Provenance{Source: schema.OriginSystem, World: t.World, NPC: t.NPC, CreatedAt: t.AcceptedAt,
				IndexedAt: t.AcceptedAt},
		})
	}
	return true
}
