package main

import (
	"math"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/measure"
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
					rows = append(rows, row{pair: measure.Pair{Label: label}, rule: rule, logit: z})
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
