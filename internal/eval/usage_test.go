package eval

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A percentile is a value that was measured, with the stated share at or below it.
func TestAPercentileIsMeasured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 40).Draw(t, "values")
		s := statOf(values)
		for _, p := range []struct{ share, value float64 }{{0.5, s.P50}, {0.95, s.P95}, {1, s.Max}} {
			atMost, below := 0, 0
			for _, v := range values {
				if v <= p.value {
					atMost++
				}
				if v < p.value {
					below++
				}
			}
			n := p.share * float64(len(values))
			if !slices.Contains(values, p.value) || float64(atMost) < n || float64(below) >= n {
				t.Fatalf("%v of %v is given as %v", p.share, values, p.value)
			}
		}
		if s.Mean < slices.Min(values)-1e-9 || s.Mean > s.Max+1e-9 || s.N != len(values) {
			t.Fatalf("%+v of %v", s, values)
		}
	})
}

func TestUsageIsWhatThePassesTell(t *testing.T) {
	u := usageOf(sample(t))
	if u.Calls != (Stat{N: 2, Mean: 3, P50: 2, P95: 4, Max: 4}) || u.Tokens.Mean != 1500 ||
		math.Abs(u.Cost.Max-0.008) > 1e-9 {
		t.Errorf("%+v", u)
	}
	if want := []CallsCount{{0, 0}, {1, 0}, {2, 1}, {3, 0}, {4, 1}}; !slices.Equal(u.CallsPerTurn, want) {
		t.Errorf("calls a turn %v, want %v", u.CallsPerTurn, want)
	}
	if u.Turn.N != 2 || u.Turn.Max != 400 || u.FirstSentence.Mean != 300 {
		t.Errorf("turn %+v, first sentence %+v", u.Turn, u.FirstSentence)
	}
	total := 0.0
	for _, p := range u.Passes {
		total += p.PaperMS
		if p.Pass == schema.PassThink && (p.MS.N != 3 || p.MS.Max != 200 || p.Calls != 3) {
			t.Errorf("think %+v", p)
		}
	}
	if len(u.Passes) != len(protocol.Passes) || total != 7050 {
		t.Errorf("%d passes, the paper's %v ms", len(u.Passes), total)
	}
}

// The passes of a greeting take no time; beside a model's they are left out.
func TestPassesAreThoseOfTheTurnsThatAskedAModel(t *testing.T) {
	quick := outcome(t, "social", "expect_uncertain: false", 0,
		cost(held("lore/mill.txt"), 0, schema.PassThink, schema.PassAct))
	think := func(list []Outcome) PassUsage { return usageOf(list).Passes[1] }
	if p := think([]Outcome{quick}); p.Pass != schema.PassThink || p.MS.N != 1 {
		t.Errorf("without a model %+v", p)
	}
	if p := think(append(sample(t), quick)); p.MS.N != 3 || p.Calls != 3 {
		t.Errorf("with a model %+v", p)
	}
}

func TestNothingWasMeasured(t *testing.T) {
	u := usageOf(nil)
	if u.Calls.N != 0 || len(u.CallsPerTurn) != 0 || len(u.Passes) != len(protocol.Passes) {
		t.Errorf("%+v", u)
	}
}

// The bins hold every question once, and a confidence that is right as often as
// it says has no error.
func TestReliability(t *testing.T) {
	known := []judged{{0.25, false}, {0.25, true}, {0.95, true}, {1, true}}
	refuse := []judged{{0.25, true}, {0.25, true}, {0.04, true}}
	bins, ece := reliability(known, refuse)
	if len(bins) != 3 || bins[0].N != 1 || bins[1].N != 4 || bins[1].Right != 0.25 || bins[2].N != 2 || bins[2].To != 1 {
		t.Errorf("%+v", bins)
	}
	if want := (0.04 + 4*0 + 2*0.025) / 7; math.Abs(ece-want) > 1e-9 {
		t.Errorf("error %v, want %v", ece, want)
	}
}
