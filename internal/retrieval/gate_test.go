package retrieval

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

var update = flag.Bool("update", false, "write the golden parts anew")

// What lies just below the border in force, and not below another, is near.
func TestOnlyWhatLiesJustBelowTheBorderIsNear(t *testing.T) {
	for _, c := range []struct {
		unknown, confidence float64
		want                bool
	}{{0, 0.22, false}, {0, 0.24, true}, {0, 0.25, false}, {0.5, 0.24, false}, {0.5, 0.48, true}, {0.1, 0.095, true},
		{0.1, 0.24, false}} {
		if got := (Zones{Unknown: c.unknown}).near(c.confidence); got != c.want {
			t.Errorf("%v below a border of %v: near is %v, want %v", c.confidence, c.unknown, got, c.want)
		}
	}
}

func TestZones(t *testing.T) {
	cases := []struct {
		confidence float64
		want       protocol.Zone
	}{
		{0, protocol.ZoneUnknown},
		{0.249, protocol.ZoneUnknown},
		{0.25, protocol.ZoneExtractive},
		{0.599, protocol.ZoneExtractive},
		{0.60, protocol.ZoneModel},
		{1, protocol.ZoneModel},
	}
	for _, c := range cases {
		if got := (Zones{}).Of(c.confidence); got != c.want {
			t.Errorf("zone of %v = %s, want %s", c.confidence, got, c.want)
		}
	}
}

// rising and falling are the features that can only raise a confidence, or only
// lower it, whatever the rest of them say.
var (
	rising = []string{"text", "meta", "cosine", "likeness", "cover", "cover_like", "cover_doc", "special", "keyword",
		"keyword_phrase", "own", "top", "margin"}
	falling = []string{"missing_rare", "expects_missed", "unknown_sure", "unknown_odd", "absent", "absent_rare"}
)

func TestConfidenceIsMonotone(t *testing.T) {
	at := map[string]int{}
	for i, n := range gateFeatures {
		at[n] = i
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1.5), len(gateFeatures), len(gateFeatures)).Draw(t, "features")
		before := sigmoid(shipped.Gate.logit(x))
		if before < 0 || before > 1 || math.IsNaN(before) {
			t.Fatalf("confidence %v is no probability", before)
		}
		up := rapid.SampledFrom(rising).Draw(t, "rising")
		down := rapid.SampledFrom(falling).Draw(t, "falling")
		step := rapid.Float64Range(0, 1).Draw(t, "step")
		x[at[up]] += step
		more := sigmoid(shipped.Gate.logit(x))
		if more < before {
			t.Fatalf("more %s lowers %v to %v", up, before, more)
		}
		x[at[down]] += step
		if less := sigmoid(shipped.Gate.logit(x)); less > more {
			t.Fatalf("more %s raises %v to %v", down, more, less)
		}
	})
}

func TestAModelOfOtherFeaturesIsRefused(t *testing.T) {
	m := Model{Weights: map[string]float64{"text": 1, "charm": 2}}
	if err := m.bind(featureNames); err == nil {
		t.Error("a weight for an unknown feature was taken")
	}
}

const (
	page      = "../../docs/retrieval.md"
	pageBegin = "<!-- reliability: begin -->\n"
	pageEnd   = "<!-- reliability: end -->"
)

// The page shows the curve of the models that are shipped.
func TestReliabilityOnThePageIsCurrent(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), pageBegin)
	old, after, ok2 := strings.Cut(rest, pageEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no part for the curve", page)
	}
	want := reliabilityTable(t)
	if old == want {
		return
	}
	if !*update {
		t.Fatalf("the curve in %s is not the one of gate.json; "+
			"run go test ./internal/retrieval -run Reliability -update", page)
	}
	if err := os.WriteFile(page, []byte(before+pageBegin+want+pageEnd+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

func reliabilityTable(t *testing.T) string {
	var f Fitted
	if err := json.Unmarshal(gateFile, &f); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| confidence | questions | mean said | answered |\n|---|---|---|---|\n")
	for _, r := range f.Curve {
		if r.N > 0 {
			fmt.Fprintf(&b, "| %.1f–%.1f | %d | %.2f | %.2f |\n", r.From, r.To, r.N, r.Said, r.Right)
		}
	}
	return b.String()
}
