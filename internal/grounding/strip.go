package grounding

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// stripOverlap is the share of a claim's words by which it is found in a sentence.
const stripOverlap = 0.5

// Strip takes out the sentences that hold a disputed claim. A sentence behind one that
// went loses its leading connective. An authored line is never taken for a
// claim by its likeness. What is kept is a text of its own and is to be reviewed
// again.
func Strip(
	sentences []protocol.DraftSentence, issues []schema.Issue,
) (kept []protocol.DraftSentence, stripped []schema.Stripped) {
	why := make([]*schema.Issue, len(sentences))
	for k := range issues {
		for _, i := range holders(sentences, &issues[k]) {
			if why[i] == nil {
				why[i] = &issues[k]
			}
		}
	}
	gone := false // the sentence before was taken out
	for i, s := range sentences {
		if why[i] != nil {
			stripped = append(stripped, schema.Stripped{Text: s.Text, Issue: *why[i]})
			gone = true
			continue
		}
		if gone && !s.Authored {
			s.Text = WithoutConnective(s.Text)
		}
		gone = false
		kept = append(kept, s)
	}
	return kept, stripped
}

// holders are the sentences that hold an issue's claim: those that hold it word
// for word, else those that share at least half of its words.
func holders(sentences []protocol.DraftSentence, issue *schema.Issue) []int {
	var exact, alike []int
	claim := text.Fold(issue.Claim)
	if claim == "" {
		return nil
	}
	for i := range sentences {
		said := text.Fold(sentences[i].Text)
		switch {
		case said == claim || strings.Contains(" "+said+" ", " "+claim+" "):
			exact = append(exact, i)
		case !sentences[i].Authored && tokenOverlap(issue.Claim, sentences[i].Text) >= stripOverlap:
			alike = append(alike, i)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return alike
}

// tokenOverlap is the share of the claim's words that the sentence holds: content
// words, or all words where it has none.
func tokenOverlap(claim, sentence string) float64 {
	want, have := text.ContentWords(claim), text.Stems(sentence)
	if len(want) == 0 {
		want = text.Stems(claim)
	}
	if len(want) == 0 {
		return 0
	}
	n := 0
	for _, w := range want {
		if slices.Contains(have, w) {
			n++
		}
	}
	return float64(n) / float64(len(want))
}

var connectives = text.Set(`but also however so then and therefore still besides moreover instead otherwise yet too
	thus hence furthermore additionally meanwhile anyway or nor plus`)

// WithoutConnective is a sentence as it may stand where the one before it was taken out:
// without its leading connective. Whether it still says something true is for a review
// of it, behind what is left.
func WithoutConnective(s string) string {
	for {
		spans := text.WordSpans(s)
		if len(spans) < 3 || !connectives[strings.ToLower(s[spans[0].Start:spans[0].End])] {
			return capital(s)
		}
		s = s[spans[1].Start:]
	}
}

func capital(s string) string {
	for i, r := range s {
		if i == 0 {
			return strings.ToUpper(string(r)) + s[len(string(r)):]
		}
	}
	return s
}
