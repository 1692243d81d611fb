package entail

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// tier is a verifier made of a function.
type tier func(ctx context.Context, pairs []Pair) ([]schema.Verdict, error)

func (f tier) Verify(ctx context.Context, pairs []Pair) ([]schema.Verdict, error) {
	return f(ctx, pairs)
}

func says(label schema.Label, score float64, name string) tier {
	return func(_ context.Context, pairs []Pair) ([]schema.Verdict, error) {
		out := make([]schema.Verdict, len(pairs))
		for i := range out {
			out[i] = schema.Verdict{Label: label, Score: score, Tier: name, Why: name + " says so"}
		}
		return out, nil
	}
}

func TestCascadeAsksUntilATierDecides(t *testing.T) {
	unsure := says(schema.Unverifiable, 0.4, "unsure")
	yes := says(schema.Supported, 0.9, "yes")
	final := tier(func(_ context.Context, pairs []Pair) ([]schema.Verdict, error) {
		return []schema.Verdict{{Label: schema.Unverifiable, Tier: "final", Final: true}}, nil
	})
	cases := []struct {
		name  string
		tiers []Verifier
		label schema.Label
		tier  string
	}{
		{"no tier at all", nil, schema.Unverifiable, TierNone},
		{"the first decides", []Verifier{yes, final}, schema.Supported, "yes"},
		{"the second decides", []Verifier{unsure, yes}, schema.Supported, "yes"},
		{"a final refusal is final", []Verifier{final, yes}, schema.Unverifiable, "final"},
		{"nobody knows", []Verifier{unsure}, schema.Unverifiable, "unsure"},
		{"an error passes over", []Verifier{
			tier(func(context.Context, []Pair) ([]schema.Verdict, error) { return nil, errors.New("down") }), yes},
			schema.Supported, "yes"},
		{"a panic passes over", []Verifier{
			tier(func(context.Context, []Pair) ([]schema.Verdict, error) { panic("out of range") }), yes}, schema.Supported,
			"yes"},
		{"only failures support nothing",
			[]Verifier{tier(func(context.Context, []Pair) ([]schema.Verdict, error) { panic("out of range") })},
			schema.Unverifiable, TierNone},
		{"too few verdicts", []Verifier{tier(func(context.Context, []Pair) ([]schema.Verdict, error) { return nil, nil })},
			schema.Unverifiable, TierNone},
		{"not a number", []Verifier{says(schema.Supported, math.NaN(), "nan")}, schema.Unverifiable, TierNone},
		{"more than certain", []Verifier{says(schema.Supported, 1.5, "big")}, schema.Unverifiable, TierNone},
		{"another model's labels", []Verifier{says("entailment", 0.9, "other")}, schema.Unverifiable, TierNone},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := NewCascade(c.tiers...).Verify(context.Background(),
				[]Pair{{Premise: "The mill stood.", Hypothesis: "The mill burned."}})
			if err != nil || len(out) != 1 {
				t.Fatalf("%v, %v", out, err)
			}
			if out[0].Label != c.label || out[0].Tier != c.tier {
				t.Errorf("got %+v", out[0])
			}
			if out[0].Label != schema.Supported && c.tier != "final" && out[0].Why == "" {
				t.Error("no reason is given")
			}
		})
	}
}

func TestCascadeAsksEachTierOnlyWhatIsOpen(t *testing.T) {
	asked := 0
	last := tier(func(_ context.Context, pairs []Pair) ([]schema.Verdict, error) {
		asked += len(pairs)
		return says(schema.Supported, 0.8, "last").Verify(context.Background(), pairs)
	})
	out, err := NewCascade(NewRules(), last).Verify(context.Background(), []Pair{
		{Premise: "The mill burned.", Hypothesis: "The mill burned."},
		{Premise: "The mill burned.", Hypothesis: "Fire took the mill."},
		{Premise: "It costs 40 marks.", Hypothesis: "It costs 41 marks."},
	})
	if err != nil {
		t.Fatal(err)
	}
	if asked != 1 || out[0].Tier != TierRule || out[1].Tier != "last" || out[2].Label == schema.Supported {
		t.Errorf("asked %d, got %+v", asked, out)
	}
}

func TestEmptyBatch(t *testing.T) {
	for _, v := range []Verifier{NewRules(), NewCascade(NewRules())} {
		if out, err := v.Verify(context.Background(), nil); err != nil || len(out) != 0 {
			t.Errorf("%T: %v, %v", v, out, err)
		}
	}
}

// A rule that panics on one pair takes neither the others' rules from them nor the last word
// from the tier: a model that believes everything is not asked.
func TestARuleThatPanicsRefusesItsPairAlone(t *testing.T) {
	before := rules
	t.Cleanup(func() { rules = before })
	rules = append(slices.Clone(before), func(c *comparison) []finding {
		if c.h.has(text.Set("boom")) {
			panic("out of range")
		}
		return nil
	})
	pairs := []Pair{
		{Premise: "The well is sixty feet deep.", Hypothesis: "The well went boom."},
		{Premise: "The well is sixty feet deep.", Hypothesis: "The well is fifty feet deep."},
		{Premise: "The well is sixty feet deep.", Hypothesis: "The well is sixty feet deep."},
	}
	out, err := NewRules().Verify(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	if v := out[0]; v.Label != schema.Unverifiable || !v.Final ||
		!strings.Contains(v.Why, "a rule failed on it: out of range") {
		t.Errorf("the pair: %+v", v)
	}
	if out[1].Label != schema.Contradicted || out[2].Label != schema.Supported {
		t.Errorf("the others: %+v", out[1:])
	}
}
