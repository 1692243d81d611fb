package entail

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestBareTakesOffWhatSaysNothing(t *testing.T) {
	road := "A wagon needs three days for the Sallow Road, and a good rider needs two."
	for _, c := range []struct{ premise, hypothesis, want string }{
		{road, "Since you ask, a wagon needs three days for the road, there you have it.",
			"A wagon needs three days for the road."},
		{road, "Mark this: a wagon needs three days for the road.", "A wagon needs three days for the road."},
		{road, "Well, friend, a wagon needs three days, and that is that, my friend.", "A wagon needs three days."},
		{road, "A wagon needs three days, a rider two.", ""},     // both ends say something
		{road, "No, a wagon needs three days for the road.", ""}, // a denial
		{road, "Never, a wagon needs three days, never.", ""},    // the same
		{road, "For all wagons, three days are too few.", ""},    // a word of the evidence
		{road, "Listen, no.", ""},                            // nothing would be left
		{road, "A wagon needs three days for the road.", ""}, // nothing to take off
		{road, "", ""},
	} {
		got, ok := bare(Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		switch {
		case ok != (c.want != ""), ok && got.Hypothesis != c.want, !ok && got.Hypothesis != c.hypothesis:
			t.Errorf("%q: %q, %v; want %q", c.hypothesis, got.Hypothesis, ok, c.want)
		}
	}
}

// believer is a model that takes whatever is said with a certain phrase for entailed.
func believer(phrase string) Verifier {
	return tier(func(_ context.Context, pairs []Pair) ([]schema.Verdict, error) {
		out := make([]schema.Verdict, len(pairs))
		for i, p := range pairs {
			out[i] = schema.Verdict{Label: schema.Unverifiable, Score: 0.5, Tier: TierModel, Why: "not sure"}
			if strings.Contains(p.Hypothesis, phrase) {
				out[i] = schema.Verdict{Label: schema.Supported, Score: 0.95, Tier: TierModel, Why: "entailed"}
			}
		}
		return out, nil
	})
}

// What a model supports only with an opener or a tag around it is not supported.
func TestAnOpenerMakesNothingTrue(t *testing.T) {
	pairs := []Pair{
		{Premise: "Bram sold the anvil.", Hypothesis: "Since you ask, Bram gave the anvil away."},
		{Premise: "Bram sold the anvil.", Hypothesis: "Bram got rid of the anvil, there you have it."},
	}
	for phrase, want := range map[string][2]schema.Label{
		"ince you ask": {schema.Unverifiable, schema.Unverifiable},
		"gave":         {schema.Supported, schema.Unverifiable},
		"got rid":      {schema.Unverifiable, schema.Supported},
	} {
		got, err := NewCascade(believer(phrase)).Verify(context.Background(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i].Label != want[i] {
				t.Errorf("a model that likes %q: %q is %+v", phrase, pairs[i].Hypothesis, got[i])
			}
		}
	}
}

// Asking again never makes support.
func TestPropertyAskingBareOnlyRefuses(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("since you ask , , : the wagon needs never three days road friend " +
		"listen and Bram"))
	rapid.Check(t, func(t *rapid.T) {
		c := NewCascade(believer(word.Draw(t, "phrase")))
		p := []Pair{{Premise: "A wagon needs three days for the road.",
			Hypothesis: strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "claim"), " ")}}
		first := c.once(context.Background(), p)
		last, _ := c.Verify(context.Background(), p)
		if last[0].Label == schema.Supported && first[0].Label != schema.Supported {
			t.Fatalf("%+v became %+v", first[0], last[0])
		}
	})
}
