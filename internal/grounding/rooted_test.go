package grounding_test

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A model finds everything entailed. Of a sentence of two claims, the one that shares
// nothing but names with its evidence does not ride on the other.
func TestAClaimWithoutARootDoesNotRideOnItsSentence(t *testing.T) {
	sure := believing{}
	evidence := []schema.Evidence{corpus("E1", "The mill of Hollowmere burned in the spring of 1402, and Osric saw it.")}
	for _, c := range []struct {
		name, text string
		rooted, ok bool
	}{
		{"both have roots", "Osric saw the blaze, and the mill burned to the beams.", true, true},
		{"one has none", "The mill burned to the beams, and Osric despises Hollowmere.", true, false},
		{"one has none, and none is wanted", "The mill burned to the beams, and Osric despises Hollowmere.", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := grounding.ReviewInput{Context: mira, Class: schema.ClassComplex, Evidence: evidence, Sentences: []schema.DraftSentence{draft(c.text, "E1")}}
			in.Thresholds = entail.Thresholds{Entailment: 0.9, Rooted: c.rooted}
			_, verdicts, err := grounding.Review(context.Background(), sure, in)
			if err != nil {
				t.Fatal(err)
			}
			if ok := verdicts[0].OK(); ok != c.ok {
				t.Errorf("passes: %v, want %v; %+v", ok, c.ok, verdicts[0].Issues)
			}
		})
	}
}

// believing is a model that finds everything entailed.
type believing struct{}

func (believing) Verify(_ context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i, p := range pairs {
		out[i] = p.At.Judge(entail.TierModel, 0.99, entail.Probability{Entailed: 0.99, Neutral: 0.01}, p, schema.Verdict{})
	}
	return out, nil
}
