package main

import (
	"math"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The fit finds the scale by which pairs were labelled; a doubt that would raise a score
// is worth nothing.
func TestPlattFindsTheScale(t *testing.T) {
	for _, c := range []struct{ doubt, want float64 }{{-1.5, -1.5}, {0, 0}, {1.5, 0}} {
		var rows []row
		for z := -4.0; z <= 4; z += 0.25 {
			for _, rule := range []schema.Verdict{{}, {Tier: entail.TierRule, Label: schema.Unverifiable, Score: 0.15}} {
				p := 0.6*z + 0.2
				if entail.Doubts(rule) {
					p += c.doubt
				}
				supported := int(math.Round(200 * sigmoid(p)))
				for i := range 200 {
					label := "neutral"
					if i < supported {
						label = "entailment"
					}
					rows = append(rows, row{pair: entail.LabelledPair{Label: label}, rule: rule, logit: z})
				}
			}
		}
		got := platt(rows)
		if math.Abs(got.Doubt-c.want) > 0.03 {
			t.Errorf("a doubt worth %v is fitted as %v", c.doubt, got.Doubt)
		}
		if c.doubt <= 0 && (math.Abs(got.Slope-0.6) > 0.02 || math.Abs(got.Shift-0.2) > 0.03) {
			t.Errorf("slope and shift %+v", got)
		}
	}
}

// More pairs count for what may be said and for nothing else.
func TestMorePairsCountForAReleaseAlone(t *testing.T) {
	scored := func(n int, label string, from, to float64) []row {
		var out []row
		for i := range n {
			z := from + (to-from)*float64(i)/float64(n-1)
			out = append(out, row{pair: entail.LabelledPair{Premise: "The gate is shut.",
				Hypothesis: "The gate is barred and shut.", Label: label}, logit: z})
		}
		return out
	}
	rows := append(scored(400, "neutral", -6, 2), scored(400, "entailment", -2, 6)...)
	may := rates{verdict: 0.05, release: 0.001}
	before := fit(rows, nil, may)
	after := fit(rows, scored(1600, "neutral", -6, 4), may)
	if after.Thresholds != before.Thresholds || after.Scale != before.Scale || after.AUROC != before.AUROC {
		t.Errorf("more pairs moved what belongs to a verdict: %+v, then %+v", before, after)
	}
	if before.ReleasePairs != 400 || after.ReleasePairs != 2000 || after.Release <= before.Release {
		t.Errorf("release from %v of %d, with more from %v of %d", before.Release, before.ReleasePairs, after.Release,
			after.ReleasePairs)
	}
	said := 0
	for _, r := range append(rows, scored(1600, "neutral", -6, 4)...) {
		if r.score(after.Scale) >= after.Release && !r.pair.Supported() {
			said++
		}
	}
	if said > 2 {
		t.Errorf("%d of 2000 unsupported pairs would be said, at a rate of one in a thousand", said)
	}
}
