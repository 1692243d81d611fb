package faithful

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Sentence is a sentence of a draft. Claims are those that are known to be its own; any
// claim that stands in its words is, too.
type Sentence struct {
	Text   string
	Claims []schema.ClaimVerdict
}

func (s Sentence) makes(claim string) bool {
	return holds(s.Text, claim) ||
		slices.ContainsFunc(s.Claims, func(c schema.ClaimVerdict) bool { return c.Claim == claim })
}

// holds says whether the words of one text stand in another.
func holds(long, short string) bool {
	short = text.Fold(short)
	return short != "" && strings.Contains(text.Fold(long), short)
}

// Doubted are the sentences of a draft that make the claims without support, in their order.
func (s Score) Doubted(draft []Sentence) []schema.Doubted {
	found := make([][]string, len(draft))
	for _, u := range s.Unsupported {
		at := slices.IndexFunc(draft, func(d Sentence) bool { return d.makes(u.Claim.Claim) })
		if at >= 0 {
			found[at] = append(found[at], u.Claim.Claim)
		}
	}
	var out []schema.Doubted
	for i, d := range draft {
		if len(found[i]) > 0 {
			out = append(out, schema.Doubted{Text: d.Text, Claims: found[i]})
		}
	}
	return out
}

// Placed are doubted sentences with their places among what was said. spoken is a drafted
// sentence in the NPC's words.
func Placed(doubted []schema.Doubted, said []schema.Sentence, spoken func(string) string) []schema.Doubted {
	out := slices.Clone(doubted)
	for i := range out {
		out[i].Seq = 0
		for _, s := range said {
			if !s.Authored && (s.Text == out[i].Text || holds(spoken(out[i].Text), s.Text)) {
				out[i].Seq, out[i].Text = s.Seq, s.Text
				break
			}
		}
	}
	return out
}
