package entail

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The bands of word overlap.
const (
	overlapCandidate = 0.5
	overlapNeutral   = 0.3
)

// Overlap is the word-overlap fallback. Overlap says what a sentence is about,
// not whether it is true, so by itself it supports verbatim sentences only, and
// it never finds a contradiction.
type Overlap struct{ rules *Rules }

// NewOverlap makes the fallback.
func NewOverlap() *Overlap { return &Overlap{rules: NewRules()} }

// Verify gives each pair its band.
func (o *Overlap) Verify(ctx context.Context, pairs []Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i, p := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if v, ok := o.rules.verbatimOnly(p); ok {
			v.Tier = TierOverlap
			out[i] = v
			continue
		}
		share := Share(p.Premise, p.Hypothesis)
		band := "unverifiable"
		switch {
		case share >= overlapCandidate:
			band = "a candidate"
		case share >= overlapNeutral:
			band = "neutral"
		}
		out[i] = schema.Verdict{Label: schema.Unverifiable, Score: scoreUnknown, Tier: TierOverlap,
			Why: fmt.Sprintf("%.0f %% of the words are shared: %s, not support", 100*share, band)}
	}
	return out, nil
}

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
