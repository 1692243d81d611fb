package retriever

import (
	"context"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/dialogue"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Memories recall what an NPC knows of a player.
type Memories interface {
	Recall(ctx context.Context, q memory.Query, asked dialogue.Asked, question string) ([]memory.Recalled, error)
}

// recallLimit is how long a turn waits for its memories.
const recallLimit = 500 * time.Millisecond

// recalled are the memories that answer a message which asks for the shared past,
// as blocks; none where it asks for something else or nothing is remembered. A store
// that is away costs the memories and not the turn: the trace says so.
func (s *Service) recalled(ctx context.Context, t *schema.Turn, x *lore.Lore, npc *world.NPC) []schema.Evidence {
	if s.memories == nil {
		return nil
	}
	now := x.GameTime(&t.Request, t.AcceptedAt)
	asked := dialogue.Read(t.Message, now)
	if !asked.About {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, recallLimit)
	defer stop()
	found, err := s.memories.Recall(ctx, memory.Query{World: t.World, NPC: t.NPC, Player: t.Player, Now: now}, asked, t.Message)
	if err != nil {
		note(t, fmt.Errorf("memories: %w", err))
	}
	return memoryBlocks(t, npc, found)
}

// memoryBlocks word memories as evidence of the shared past. Two that contradict
// each other are told as two accounts, and neither as the right one.
func memoryBlocks(t *schema.Turn, npc *world.NPC, found []memory.Recalled) []schema.Evidence {
	var out []schema.Evidence
	names := dialogue.Names{NPC: npc.Name, Player: t.PlayerName}
	told := map[string]bool{}
	for i := range found {
		m := &found[i].Memory
		said := dialogue.Spoken(m, names)
		for _, other := range found[i].Conflicts {
			if told[other] {
				said = dialogue.SecondStory(said)
				break
			}
		}
		if len(found[i].Conflicts) > 0 && said == dialogue.Spoken(m, names) {
			said = dialogue.FirstStory(said)
		}
		told[m.ID] = true
		out = append(out, schema.Evidence{
			ID: fmt.Sprintf("M%d", len(out)+1), SourceID: "session", ChunkID: "memory:" + m.ID, Path: "memory:" + m.ID,
			Type: "session", Text: said, Score: found[i].Score, Private: true, At: m.EventTime,
			AllowedFor: []string{string(schema.ClaimSharedPast)},
			Provenance: schema.Provenance{Source: m.Source, World: t.World, NPC: npc.Handle, CreatedAt: m.CreatedAt, IndexedAt: m.CreatedAt},
		})
	}
	return out
}
