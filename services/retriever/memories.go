package retriever

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Memories recall what an NPC knows of a player.
type Memories interface {
	Recall(ctx context.Context, q memory.Query, asked memory.Asked, question string) ([]memory.Recalled, error)
}

// recallLimit is how long a turn waits for its memories.
const recallLimit = 500 * time.Millisecond

// sharedPast fills a turn that asks for the shared past with what answers it:
// memories, and what was said too lately to be one. It says false where the message
// asks for something else, or lore may answer where nothing is remembered.
func (s *Service) sharedPast(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC, kind string) bool {
	if kind == protocol.IntentRecap && wholeTalk.MatchString(t.Message) && !mayRetell(x, true) {
		refuseRecap(t)
		return true
	}
	now := t.AcceptedAt // memories have the game's time where the game gives one, else the wall's
	if t.GameTime != nil {
		now = *t.GameTime
	}
	asked := memory.ReadAsked(t.Message, now)
	if !asked.About {
		return kind == protocol.IntentQuestion && s.witnessed(ctx, t, x, npc, asked, now)
	}
	blocks := s.recalled(ctx, t, x, npc, asked, now)
	if len(blocks) == 0 && asked.At.IsZero() && (!asked.ByNPC || mayRetell(x, true)) {
		blocks = noEchoes(t, x, npc, lately(t, x, npc, asked))
	}
	if len(blocks) == 0 && kind == protocol.IntentRecap {
		blocks = retell(t, x, npc)
		if t.Retrieval.Gated != "" {
			return true
		}
	}
	if len(blocks) == 0 && !asked.Only {
		return kind == protocol.IntentQuestion && s.witnessed(ctx, t, x, npc, asked, now)
	}
	t.Evidence, t.Retrieval.Intent = blocks, protocol.IntentRecap
	if len(blocks) > 0 {
		t.Class = protocol.ClassComplex // two accounts are told whole
	}
	return true
}

// witnessed fills a turn that asks about the world with what the NPC saw happen of
// it: what the game saw outranks lore, and is told as what was seen.
func (s *Service) witnessed(
	ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC, asked memory.Asked, now time.Time,
) bool {
	seen, enough := asked.Witnessed()
	if !enough {
		return false
	}
	blocks := s.recalled(ctx, t, x, npc, seen, now)
	if len(blocks) == 0 {
		return false
	}
	t.Evidence, t.Retrieval.Intent = blocks, protocol.IntentRecap
	return true
}

// recalled are the memories that answer, as blocks. A store that is away costs the
// memories and not the turn: the trace says so.
func (s *Service) recalled(
	ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC, asked memory.Asked, now time.Time,
) []protocol.Evidence {
	if s.memories == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, recallLimit)
	defer stop()
	found, err := s.memories.Recall(ctx, memory.Query{World: t.World, NPC: t.NPC, Player: t.Player, Now: now}, asked,
		t.Message)
	if err != nil {
		note(t, fmt.Errorf("memories: %w", err))
	}
	return noEchoes(t, x, npc, memoryBlocks(t, npc, found))
}

// lately is what the conversation holds of what is asked about, where the memory of
// it is not written yet: the player's lines as they would be remembered, and the
// NPC's word for word.
func lately(t *protocol.Turn, x *lore.Lore, npc *world.NPC, asked memory.Asked) []protocol.Evidence {
	if t.Convo == nil {
		return nil
	}
	for i := len(t.Convo.Memory) - 1; i >= 0; i-- {
		line := t.Convo.Memory[i]
		switch {
		case (line.Speaker == "npc") != asked.ByNPC || text.IsQuestion(line.Text):
		case asked.ByNPC && asked.Of(line.Text):
			return []protocol.Evidence{lineBlock(t, npc, line, 1)}
		case !asked.ByNPC:
			if block, ok := fresh(t, x, npc, asked, line); ok {
				return []protocol.Evidence{block}
			}
		}
	}
	return nil
}

// fresh is a player's line as it would be remembered, where that answers.
func fresh(
	t *protocol.Turn, x *lore.Lore, npc *world.NPC, asked memory.Asked, line schema.Line,
) (protocol.Evidence, bool) {
	preds := x.World.Predicates
	if preds == nil {
		preds = memory.DefaultPredicates()
	}
	heard := &schema.Reply{TurnID: line.TurnID, World: t.World, NPC: t.NPC, Player: t.Player, Message: line.Text,
		Status: schema.StatusAnswered, AcceptedAt: line.At}
	within := extract.Context{NPCName: npc.Name, PlayerName: t.PlayerName, Predicates: preds}
	for _, c := range extract.FromReply(heard, within) {
		if asked.Relevance(&c.Memory, t.Player, preds, 0) == 0 {
			continue
		}
		block := lineBlock(t, npc, line, 1)
		block.Text = memory.Spoken(&c.Memory, memory.Names{NPC: npc.Name, Player: t.PlayerName})
		return block, true
	}
	return protocol.Evidence{}, false
}

// memoryBlocks word memories as evidence of the shared past. Two that contradict
// each other are told as two accounts, and neither as the right one.
func memoryBlocks(t *protocol.Turn, npc *world.NPC, found []memory.Recalled) []protocol.Evidence {
	var out []protocol.Evidence
	names := memory.Names{NPC: npc.Name, Player: t.PlayerName}
	told := map[string]bool{}
	for i := range found {
		m := &found[i].Memory
		said := memory.Spoken(m, names)
		for _, other := range found[i].Conflicts {
			if told[other] {
				said = memory.SecondStory(said)
				break
			}
		}
		if len(found[i].Conflicts) > 0 && said == memory.Spoken(m, names) {
			said = memory.FirstStory(said)
		}
		told[m.ID] = true
		out = append(out, protocol.Evidence{Heard: heardOf(m),
			ID: fmt.Sprintf("M%d", len(out)+1), SourceID: "session", ChunkID: "memory:" + m.ID, Path: "memory:" + m.ID,
			Type: "session", Text: said, Score: found[i].Score, Private: true, At: m.EventTime,
			AllowedFor: []string{string(schema.ClaimSharedPast)},
			Provenance: protocol.Provenance{Source: m.Source, World: t.World, NPC: npc.Handle, CreatedAt: m.CreatedAt,
				IndexedAt: m.CreatedAt},
		})
	}
	return out
}

// heardOf are the player's words in which a memory was told.
func heardOf(m *schema.Memory) (out []string) {
	for _, s := range m.Spans {
		if s.Speaker == "player" {
			out = append(out, s.Text)
		}
	}
	return out
}

// noEchoes are the blocks without those in which a player tells what this NPC's model had
// said before, to whomever.
func noEchoes(t *protocol.Turn, x *lore.Lore, npc *world.NPC, blocks []protocol.Evidence) []protocol.Evidence {
	check := x.ProvenanceCheck(t, npc)
	n := len(blocks)
	blocks = slices.DeleteFunc(blocks, func(e protocol.Evidence) bool {
		reason, _ := grounding.EligibleEvidence(e, check)
		return reason == grounding.RejectModelCopy
	})
	if dropped := n - len(blocks); dropped > 0 {
		t.Retrieval.Rejected = append(t.Retrieval.Rejected, protocol.Count{Name: grounding.RejectModelCopy, N: dropped})
	}
	return blocks
}
