package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// scene takes what a reply of a scene leaves behind, for each NPC that was there and for no
// other: its own talk as ever for the one that spoke, and for those that listened what the
// player said and, as hearsay, what the NPC said.
func (s *Service) scene(ctx context.Context, r *schema.Reply) (open bool, err error) {
	if r.NPC != "" && r.Scene.Heard(r.NPC) {
		if open, err = s.takeOne(ctx, r, false); err != nil {
			return open, err
		}
	}
	if r.Scene.Present == nil {
		return open, nil
	}
	for _, npc := range r.Scene.Present.NPCs {
		if npc == r.NPC || s.o.Library.Get(r.World).World.NPCs[npc] == nil {
			continue
		}
		listened := *r
		listened.NPC, listened.Actions, listened.Sentences, listened.Previous = npc, nil, nil, nil
		if _, err := s.takeOne(ctx, &listened, true); err != nil {
			return open, err
		}
		if err := s.overheard(ctx, r, npc); err != nil {
			return open, err
		}
	}
	return open, nil
}

// confidenceOverheard is what a listener gives the word of another NPC.
const confidenceOverheard = 0.7

// overheard writes what one NPC said as hearsay of another that was there. It is the word of
// a released sentence, so no verdict is needed; that it was said is all that it proves. What
// was recalled, and what an author wrote, is no news.
func (s *Service) overheard(ctx context.Context, r *schema.Reply, npc string) error {
	said := withoutRecalled(r)
	said.Message, said.Actions = "", nil
	x := s.contextOf(r.World, r.NPC, r.Player, r.PlayerName)
	list := extract.FromReply(said, x)
	if len(list) == 0 {
		return nil
	}
	hearer := schema.ConversationID{World: r.World, NPC: npc, Player: r.Player}
	return s.books.use(ctx, hearer, func(n *projection) error {
		for _, c := range list {
			m := c.Memory
			m.NPC, m.HeardFrom, m.Kind, m.Confidence = npc, r.NPC, schema.MemoryOccurrence, confidenceOverheard
			words := m.Spans[0].Text
			m.Object, m.Pred = strings.TrimRight(words, " ."), "said"
			m.Content = memory.Overheard(x.NPCName, words)
			m.Witnesses = slices.Clone(r.Scene.Present.NPCs)
			m.ID = memory.ID(&m, 0)
			if c.Memory = m; settled(n.book, c) {
				continue
			}
			if err := s.books.append(ctx, n, func(b *memory.Book) []schema.MemoryEvent {
				return s.o.Guard.Events(b, write.Outcome{Fate: write.Store, Memory: m, Verdict: schema.GroundingVerdict{
					Label: schema.GroundingSupported, Spans: m.Spans, Why: "said by " + r.NPC + " in turn " + r.TurnID, Tier: "rule",
				}}, "", s.o.Now())
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
