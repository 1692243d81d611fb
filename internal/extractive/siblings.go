package extractive

import (
	"regexp"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// alike is the share of the shorter one's words from which two sentences of a document tell of one thing in two cases.
const alike = 0.4

// counted are words that tell cases apart and may be too common to be words of content.
var counted = regexp.MustCompile(`^(?:\d+(?:st|nd|rd|th)?|one|two|three|four|five|six|seven|eight|nine|ten|` +
	`eleven|twelve|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|before|after|without)$`)

// telling are the words of a text that tell cases apart.
func telling(s string) map[string]bool {
	out := text.ContentSet(s)
	for _, w := range text.Words(s) {
		if counted.MatchString(w) {
			out[w] = true
		}
	}
	return out
}

// prefersCase puts the sentence that names the question's case before a sibling that names another: of "in summer the
// gates shut at ten" and "in winter the gates shut at six" the one with the season that is asked about. It does so
// only where the two tell of the same and the other holds nothing of the question that this one lacks.
func prefersCase(blocks [][]*candidate, question string) {
	want := telling(question)
	var all []sibling
	for _, block := range blocks {
		for _, c := range block {
			all = append(all, sibling{c, block, telling(c.verbatim)})
		}
	}
	for _, a := range all {
		for _, b := range all {
			if a.evidence.Path != b.evidence.Path || !namesCase(want, a.words, b.words) {
				continue
			}
			apart := a.block[0] != b.block[0]
			if apart && b.candidate == best(b.block) {
				a.block[0].lifted = max(a.block[0].lifted, b.evidence.Score+0.001)
			}
			a.relevant = max(a.relevant, b.relevant+0.01)
		}
	}
}

// sibling is a sentence with its block and the words that tell its case.
type sibling struct {
	*candidate
	block []*candidate
	words map[string]bool
}

// namesCase says whether a sentence holds a word of the question that its sibling lacks, and lacks none that it holds.
func namesCase(want, mine, other map[string]bool) bool {
	shared, more := 0, 0
	for w := range mine {
		if other[w] {
			shared++
		} else if want[w] {
			more++
		}
	}
	for w := range other {
		if want[w] && !mine[w] {
			return false
		}
	}
	return more > 0 && float64(shared) >= alike*float64(min(len(mine), len(other)))
}
