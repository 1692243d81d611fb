package write

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Bounds of what is held to be told again. An NPC says the same thing in other words
// day after day, and a memory for each would be a heap of one thing: that it said
// so. Its words of each day stay among the spans.
const (
	leastShared  = 0.5 // of the content words of the shorter
	sharedWords  = 2
	sameMatter   = 0.5 // P(supported), of either by the other
	mostEarlier  = 6
	mostSpansFor = 8 // of one memory, the newest
)

// Earlier are the memories of what the NPC told the same player before that a
// candidate may say again, the nearest first. Of what others said there is none.
func Earlier(b *memory.Book, m *schema.Memory) []Retold {
	if !ownSaying(m) {
		return nil
	}
	now := tellOf(m.Spans[0].Text)
	var found []Retold
	for _, other := range b.Same(m) {
		if other.Status != schema.MemoryActive || !ownSaying(&other) {
			continue
		}
		best := Retold{ID: other.ID}
		for _, s := range other.Spans[max(0, len(other.Spans)-mostSpansFor):] {
			if share := now.shares(tellOf(s.Text)); share > best.share {
				best.share, best.words = share, s.Text
			}
		}
		if best.share >= leastShared {
			found = append(found, best)
		}
	}
	slices.SortStableFunc(found, func(a, b Retold) int { return cmp.Compare(b.share, a.share) })
	return found[:min(len(found), mostEarlier)]
}

// Retold is a memory of what the NPC said, with those of its words that lie nearest
// to what it says now.
type Retold struct {
	ID    string
	words string
	share float64
}

// Told says whether these very words of the NPC are among those of a memory already,
// whichever it is.
func Told(b *memory.Book, m *schema.Memory) bool {
	if !ownSaying(m) {
		return false
	}
	said := m.Spans[0]
	return slices.ContainsFunc(b.Same(m), func(o schema.Memory) bool {
		return slices.ContainsFunc(o.Spans, func(s schema.MemorySpan) bool {
			return s.TurnID == said.TurnID && s.Speaker == said.Speaker && s.Text == said.Text
		})
	})
}

// Heard says whether the log holds anything of what the player said in a turn, and
// gives what of it waits for a verdict.
func Heard(b *memory.Book, turn string) (waiting []schema.Memory, known bool) {
	for _, m := range b.Of(turn) {
		if len(m.Spans) == 0 || m.Spans[0].Speaker != extract.SpeakerPlayer || m.Pred == "asked_to_remember" {
			continue
		}
		known = true
		if now, ok := b.Get(m.ID); ok && now.Status == schema.MemoryPending {
			waiting = append(waiting, now)
		}
	}
	return waiting, known
}

// ownSaying says whether a memory is that the NPC said something.
func ownSaying(m *schema.Memory) bool {
	return m.Subject == memory.NPCPrefix+m.NPC && (m.Pred == "said" || m.Pred == "promised") && m.HeardFrom == "" &&
		len(m.Spans) > 0 && m.Spans[0].Speaker == extract.SpeakerNPC
}

// Again is which of the earlier memories a candidate tells again, or "": one of the
// two says no more than the other, by their words or by the verifier. Two numbers, or
// a denial, are never the same.
func (g *Guard) Again(ctx context.Context, m *schema.Memory, earlier []Retold) string {
	for _, e := range earlier {
		if e.share == 1 {
			return e.ID
		}
	}
	if g.verifier == nil {
		return ""
	}
	for _, e := range earlier {
		for _, pair := range [][2]string{{e.words, m.Spans[0].Text}, {m.Spans[0].Text, e.words}} {
			score, label, err := g.verifier.Entails(ctx, pair[0], pair[1])
			if err != nil {
				return "" // it is kept by itself
			}
			if score >= sameMatter && label != schema.Contradicted {
				return e.ID
			}
		}
	}
	return ""
}

// tell is what a sentence says, as far as two are compared by it.
type tell struct {
	words   map[string]bool
	numbers string
	denies  bool
}

func tellOf(s string) tell {
	t := tell{words: map[string]bool{}}
	var numbers []string
	for _, w := range statedWords(s) {
		switch {
		case text.Denies(w.low):
			t.denies = !t.denies
		case w.number:
			numbers = append(numbers, text.Digits(w.low))
		case !text.IsStop(w.low):
			t.words[text.Stem(w.low)] = true
		}
	}
	slices.Sort(numbers)
	t.numbers = strings.Join(slices.Compact(numbers), " ")
	return t
}

// shares is how much of the shorter of two sentences stands in the other; nothing
// where they cannot say the same.
func (t tell) shares(o tell) float64 {
	n := 0
	for w := range t.words {
		if o.words[w] {
			n++
		}
	}
	least := min(len(t.words), len(o.words))
	if t.numbers != o.numbers || t.denies != o.denies || n < min(sharedWords, least) || least == 0 {
		return 0
	}
	return float64(n) / float64(least)
}
