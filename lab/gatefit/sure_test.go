package main

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

func TestTheBorderLiesAboveTheShareThatIsRefused(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		scores []float64
		share  float64
		want   float64 // 0: too few
	}{
		{"nine of ten", []float64{3, 1, 2, 10, 5, 4, 6, 9, 8, 7}, 0.9, 9 + margin},
		{"never less than the share", []float64{1, 2, 3}, 0.9, 3 + margin},
		{"what never reaches the judgement is refused", []float64{-inf, -inf, 1, 2}, 0.75, 1 + margin},
		{"all that are to be refused pass unasked", []float64{1, inf, inf}, 0.9, 0},
		{"none", nil, 0.9, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := border(c.scores, c.share)
			if (err != nil) != (c.want == 0) || err == nil && got != c.want {
				t.Errorf("border %v, error %v; want %v", got, err, c.want)
			}
		})
	}
}

// The gate that ships hears the judgement and what stands beside it, each in one
// direction: what is nearer outside the NPC's scope, which is never above zero, can only lower it.
func TestTheShippedGateCountsInOneDirection(t *testing.T) {
	data, err := os.ReadFile("../../internal/retrieval/gate-meaning.json")
	if err != nil {
		t.Fatal(err)
	}
	var f retrieval.Fitted
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Sure.Weights) != len(beside) {
		t.Errorf("it has %v, and gatefit fits %v", f.Sure.Weights, beside)
	}
	for name, w := range f.Sure.Weights {
		if !slices.Contains(beside, name) || w <= 0 {
			t.Errorf("%s counts %v", name, w)
		}
	}
}
