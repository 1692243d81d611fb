package entail

import "github.com/forsooth-npc/forsooth/internal/text"

// Share is the share of the hypothesis's content words that the premise holds.
func Share(premise, hypothesis string) float64 {
	return ShareOf(Content(premise), text.ContentSet(clip(hypothesis, maxHypothesis)))
}

// Content are the content words of a text as Share reads it.
func Content(s string) map[string]bool { return text.ContentSet(clip(s, maxPremise)) }

// ShareOf is Share over words that were read already.
func ShareOf(have, want map[string]bool) float64 {
	if len(want) == 0 {
		return 0
	}
	n := 0
	for w := range want {
		if have[w] {
			n++
		}
	}
	return float64(n) / float64(len(want))
}
