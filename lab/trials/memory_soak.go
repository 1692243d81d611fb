package trials

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Soak is an NPC whose model tells its own inventions day after day, and whose
// extractor proposes each of them as a fact.
type Soak struct {
	Verifier string `json:"verifier"`
	Reviewed bool   `json:"reviewed"` // from the second day on; else all that was made up is said
	Reworded bool   `json:"reworded"` // each day in other words
	Days     int    `json:"days"`
	Proposed int    `json:"proposed"` // inventions proposed as facts
	Said     int    `json:"said"`     // inventions that were released
	Invented int    `json:"invented"` // stored as how things are
	First    int    `json:"first"`    // active memories after the first day
	Last     int    `json:"last"`     // and after the last
	Growth   int    `json:"growth"`
}

// invention is something made up, in several wordings, and the word by which it is
// known again.
type invention struct {
	mark, object string
	wordings     []string
}

var inventions = []invention{
	{"wyvern", "a wyvern in the cellar",
		[]string{"The reeve keeps a wyvern in his cellar.", "There is a wyvern in the cellar of the reeve.",
			"A wyvern lives below the house of the reeve.", "Down in his cellar the reeve feeds a wyvern."}},
	{"seventeen", "seventeen barrels of silver",
		[]string{"Seventeen barrels of silver lie under the bridge.",
			"Under the bridge there are seventeen barrels of silver.",
			"Somebody sank seventeen barrels of silver below the bridge.", "The bridge hides seventeen barrels of silver."}},
	{"zoltan", "Zoltan the Grey", []string{"Zoltan the Grey founded this village.", "This village was founded by " +
		"Zoltan the Grey.", "It was Zoltan the Grey who built this place.", "We owe this village to Zoltan the Grey."}},
	{"yesterday", "met at the crypt yesterday",
		[]string{"You met me at the crypt yesterday.", "We met yesterday, you and I, at the crypt.",
			"Yesterday you came to me at the crypt.", "You and I were at the crypt yesterday."}},
}

// openers are what the player says on those days; none of it states anything.
var openers = []string{"What news is there?", "Tell me something.", "Have you heard anything new?",
	"What do people say?", "And what else?"}

// soaked runs one soak.
func (b *memoryBench) soaked(ctx context.Context, s scene, reviewed, reworded bool) (Soak, error) {
	out := Soak{Verifier: s.tier.name, Reviewed: reviewed, Reworded: reworded, Days: b.Days}
	k, err := newKeeper(s, b.embed)
	if err != nil {
		return out, err
	}
	for day := range b.Days {
		at := firstDay.Add(time.Duration(day) * 24 * time.Hour)
		if err := k.soakDay(ctx, &out, day, at); err != nil {
			return out, err
		}
		if _, err := k.night(ctx, at.Add(17*time.Hour)); err != nil {
			return out, err
		}
		out.Last = k.book.Len(schema.MemoryActive)
		if day == 0 {
			out.First = out.Last
		}
	}
	out.Growth = out.Last - out.First
	for _, m := range k.book.Memories() {
		if m.Status == schema.MemoryActive && k.asserted(&m) {
			out.Invented++
		}
	}
	return out, nil
}

// soakPlayer is who the NPC talks to.
const soakPlayer = "p1"

// soakDay is one turn: the model drafts its inventions, the review lets through what
// it finds supported, and the extractor proposes all of them, quoting either the
// NPC's words or the player's.
func (k *keeper) soakDay(ctx context.Context, out *Soak, day int, at time.Time) error {
	var drafts []string
	for i := range inventions {
		wording := 0
		if out.Reworded {
			wording = (day + i) % len(inventions[i].wordings)
		}
		drafts = append(drafts, inventions[i].wordings[wording])
	}
	said := drafts
	if out.Reviewed && day > 0 {
		var err error
		if said, _, err = k.reviewed(ctx, drafts, k.recalled(soakPlayer, at)); err != nil {
			return err
		}
	}
	out.Said += len(said)
	r := &schema.Reply{World: k.world, NPC: k.npc, NPCName: k.npcName, Player: soakPlayer, PlayerName: k.playerName,
		TurnID:     fmt.Sprintf("day-%d", day),
		AcceptedAt: at, Status: schema.StatusAnswered, Message: openers[day%len(openers)]}
	for i, text := range said {
		r.Sentences = append(r.Sentences, schema.Sentence{Seq: i + 1, Text: text, Hash: protocol.HashText(text)})
	}
	x := k.context(soakPlayer, at)
	made, _ := extract.FromAnswer(extract.Answer{Memories: proposed(drafts, r.Message)}, r, x)
	out.Proposed += 2 * len(drafts)
	_, err := k.take(ctx, append(extract.FromReply(r, x), made...), extract.Words(r, x), x)
	return err
}

// proposed are the drafts as a model remembers them that takes them for facts.
func proposed(drafts []string, message string) []extract.Proposal {
	var out []extract.Proposal
	for i, d := range drafts {
		for _, span := range []string{d, message} {
			out = append(out, extract.Proposal{Kind: schema.MemoryFact, Subject: "the reeve", Predicate: "has",
				Object:  inventions[i].object,
				Content: d, Confidence: 0.9, Spans: []string{span}})
		}
	}
	return out
}

// asserted says whether a memory holds an invention for true: it speaks of it, and
// not as of something that the NPC said.
func (k *keeper) asserted(m *schema.Memory) bool {
	own := m.Subject == memory.NPCPrefix+k.npc && (m.Pred == "said" || m.Pred == "promised") &&
		strings.HasPrefix(m.Content, "I ")
	for _, v := range inventions {
		if !own && strings.Contains(strings.ToLower(m.Content), v.mark) {
			return true
		}
	}
	return false
}

func (b *memoryBench) soak(ctx context.Context) error {
	for _, t := range b.tiers {
		s, err := b.scene(t)
		if err != nil {
			return err
		}
		for _, how := range []struct{ reviewed, reworded bool }{{true, true}, {true, false}, {false, false}, {false, true}} {
			out, err := b.soaked(ctx, s, how.reviewed, how.reworded)
			if err != nil {
				return err
			}
			b.out.Soaks = append(b.out.Soaks, out)
			b.add(out.figures()...)
		}
	}
	return nil
}

// figures hold a soak against its bars. What is said in other words each day, with no
// review before it, may say something new: a wyvern below the house is not yet one in
// the cellar. So its growth has no bar, and stays within the wordings there are.
func (s *Soak) figures() []bench.Figure {
	name := s.Verifier + "_soak_"
	if !s.Reviewed {
		name += "unreviewed_"
	}
	if s.Reworded {
		name += "reworded_"
	}
	growth := exactly(name+"growth", float64(s.Growth), "", 0)
	if !s.Reviewed && s.Reworded {
		growth = bench.Plain(name+"growth", float64(s.Growth), "")
	}
	return []bench.Figure{exactly(name+"invented", float64(s.Invented), "", 0), growth}
}
