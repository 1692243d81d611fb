package memory

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// passOn carries out what an NPC tells another in a turn: the other keeps a copy that
// says from whom it comes and belongs to the same player. Where the game is asked
// first, its ok is awaited; else the words are said when the reply is. Given again it
// adds nothing.
func (s *Service) passOn(ctx context.Context, r *schema.Reply, x extract.Context) error {
	for i, a := range r.Actions {
		result, answered := x.Results[i]
		switch {
		case a.Name != deed.Tell || !a.Checked || a.Refused != "":
			continue
		case answered && !result.Accepted, a.Confirm && !a.Confirmed && !answered:
			continue
		}
		to, _ := a.Parameters["npc"].(string)
		id, _ := a.Parameters["memory"].(string)
		if err := s.tell(ctx, r, x, to, id); err != nil {
			return err
		}
	}
	return nil
}

// tell writes the copy. What cannot be told is left out with one line: the reply is
// released, and to try again would not mend it.
func (s *Service) tell(ctx context.Context, r *schema.Reply, x extract.Context, to, id string) error {
	refuse := func(why string) error {
		s.o.Notice(fmt.Sprintf("turn %s: %s does not tell %s of memory %s: %s", r.TurnID, r.NPC, to, id, why))
		return nil
	}
	if s.o.Library.Get(r.World).World.NPCs[to] == nil {
		return refuse("no NPC of " + r.World + " has this handle")
	}
	told, found, err := s.memoryOf(ctx, r, id)
	if err != nil {
		return err
	}
	if !found || !memory.MayUse(&told, r.World, r.NPC, r.Player) {
		return refuse("it is no memory of " + r.NPC + " with this player")
	}
	game := r.AcceptedAt
	if r.GameTime != nil && !r.GameTime.IsZero() {
		game = *r.GameTime
	}
	told, err = memory.Hearsay(&told, memory.Telling{Teller: x.NPCName, To: to, GameTime: game, At: s.o.Now()})
	if err != nil {
		return refuse(err.Error())
	}
	verdict := schema.GroundingVerdict{Label: schema.GroundingSupported, Spans: told.Spans,
		Why: "told by " + r.NPC + " in turn " + r.TurnID, Tier: "rule"}
	hearer := schema.ConversationID{World: r.World, NPC: to, Player: told.Player}
	return s.books.Append(ctx, hearer, func(b *memory.Book) []schema.MemoryEvent {
		return s.o.Guard.Events(b, write.Outcome{Fate: write.Store, Verdict: verdict, Memory: told}, "", s.o.Now())
	})
}

// memoryOf finds a memory that the NPC of a reply has of its player, or of nobody.
func (s *Service) memoryOf(ctx context.Context, r *schema.Reply, id string) (m schema.Memory, found bool, err error) {
	for _, player := range []string{r.Player, ""} {
		own := schema.ConversationID{World: r.World, NPC: r.NPC, Player: player}
		err = s.books.Read(ctx, own, func(b *memory.Book) error {
			m, found = b.Get(id)
			return nil
		})
		if found || err != nil {
			break
		}
	}
	return m, found, err
}
