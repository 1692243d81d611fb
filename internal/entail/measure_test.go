package entail_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestReadingPairs(t *testing.T) {
	pairs, err := entail.ReadPairs("p.jsonl", strings.NewReader(`{"premise":"a","hypothesis":"b","label":"supported"`+
		`,"kind":"verbatim","more":1}
{"premise":"a","hypothesis":"c","label":"not_entailment","origin":"public"}
{"premise":"","hypothesis":"","label":"entailment"}
`))
	if err != nil || len(pairs) != 3 || !pairs[0].Supported() || pairs[1].Supported() || !pairs[2].Supported() {
		t.Fatalf("%+v, %v", pairs, err)
	}
	if asked := entail.Unlabelled(pairs); len(asked) != 3 || asked[1].Premise != "a" || asked[1].Hypothesis != "c" {
		t.Errorf("asked %+v", asked)
	}
	for _, c := range []struct{ name, body, want string }{
		{"not JSON", "{\"premise\":\"a\",\"hypothesis\":\"b\",\"label\":\"supported\"}\nnone\n", "p.jsonl:2: is not"},
		{"no label", "{\"premise\":\"a\",\"hypothesis\":\"b\"}\n", `p.jsonl:1: label "" is none`},
		{"another label", "{\"label\":\"true\"}\n", `p.jsonl:1: label "true" is none`},
		{"an endless line", strings.Repeat("x", 5<<20), "p.jsonl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := entail.ReadPairs("p.jsonl", strings.NewReader(c.body)); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}

func TestAUROC(t *testing.T) {
	for _, c := range []struct {
		name      string
		good, bad []float64
		want      float64
	}{
		{"all above", []float64{0.8, 0.9}, []float64{0.1, 0.2}, 1},
		{"all below", []float64{0.1}, []float64{0.2, 0.3}, 0},
		{"one score for all", []float64{0.5, 0.5}, []float64{0.5, 0.5, 0.5}, 0.5},
		{"one in the middle", []float64{0.5}, []float64{0.4, 0.6}, 0.5},
		{"a tie and a win", []float64{0.5}, []float64{0.4, 0.5}, 0.75},
		{"nothing good", nil, []float64{0.4}, 0},
		{"nothing bad", []float64{0.4}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := entail.AUROC(c.good, c.bad); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// AUROC is what counting every pair of a good and a bad score gives.
func TestPropertyAUROCCountsPairs(t *testing.T) {
	scores := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.1, 0.25, 0.5, 0.5, 0.9, 1}), 1, 30)
	rapid.Check(t, func(t *rapid.T) {
		good, bad := scores.Draw(t, "good"), scores.Draw(t, "bad")
		sum := 0.0
		for _, g := range good {
			for _, b := range bad {
				switch {
				case g > b:
					sum++
				case g == b:
					sum += 0.5
				}
			}
		}
		if want := sum / float64(len(good)*len(bad)); math.Abs(entail.AUROC(good, bad)-want) > 1e-12 {
			t.Fatalf("%v, want %v", entail.AUROC(good, bad), want)
		}
	})
}

// Above the threshold lies no more of the bad than the rate says, and no lower
// score of theirs would do.
func TestPropertyAThresholdKeepsItsRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 100).Draw(t, "bad")
		rate := rapid.Float64Range(0, 0.99).Draw(t, "rate")
		at := entail.Threshold(bad, rate)
		above := func(v float64) int {
			n := 0
			for _, b := range bad {
				if b > v {
					n++
				}
			}
			return n
		}
		if allowed := rate * float64(len(bad)); float64(above(at)) > allowed {
			t.Fatalf("%d of %d lie above %v, %v may", above(at), len(bad), at, allowed)
		}
		slices.Sort(bad)
		if i, _ := slices.BinarySearch(bad, at); i > 0 && bad[i] != bad[0] {
			if lower := bad[i-1]; float64(above(lower)) <= math.Floor(rate*float64(len(bad)))-1 {
				t.Fatalf("%v would do, and it is %v", lower, at)
			}
		}
	})
}

func TestFigures(t *testing.T) {
	var pairs []entail.LabelledPair
	var verdicts []schema.Verdict
	add := func(label, kind string, v schema.Label, score float64) {
		pairs = append(pairs, entail.LabelledPair{Premise: "Teague owns the ferry.", Hypothesis: "Teague owns a boat.",
			Label: label, Kind: kind, Origin: "npc"})
		verdicts = append(verdicts, schema.Verdict{Label: v, Score: score})
	}
	add("supported", "paraphrase", schema.Supported, 0.95)
	add("supported", "paraphrase", schema.Unverifiable, 0.5)
	add("supported", "", schema.Supported, 0.99)
	add("contradicted", "number", schema.Contradicted, 0.01)
	add("contradicted", "number", schema.Supported, 0.96)
	add("unverifiable", "number", schema.Unverifiable, 0.3)
	add("unverifiable", "detail", schema.Unverifiable, 0.6)
	f := entail.FiguresOf(pairs, verdicts)
	if f.Pairs != 7 || f.True != 2.0/3 || f.False != 0.25 || f.Closeness <= 0 || f.Closeness >= 1 {
		t.Errorf("%+v", f)
	}
	if want := (3.0 + 2 + 4) / 12; math.Abs(f.AUROC-want) > 1e-12 {
		t.Errorf("AUROC %v, want %v", f.AUROC, want)
	}
	if f.AtFive != 1.0/3 { // no false accept of four: only what lies above all of them
		t.Errorf("at 5 %% %v", f.AtFive)
	}
	want := []entail.KindFigures{{"npc", true, 1, 1, 0}, {"paraphrase", true, 2, 0.5, 0}, {"detail", false, 1, 0, 0},
		{"number", false, 3, 1.0 / 3, 1.0 / 3}}
	if !slices.Equal(f.ByKind, want) {
		t.Errorf("by kind %+v, want %+v", f.ByKind, want)
	}
}

// Of nothing there are no figures, and none that is no number.
func TestFiguresOfNothing(t *testing.T) {
	f := entail.FiguresOf(nil, nil)
	for _, v := range []float64{f.AUROC, f.False, f.True, f.AtFive, f.Closeness} {
		if v != 0 {
			t.Errorf("%+v", f)
		}
	}
}
