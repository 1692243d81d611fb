package grounding_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// gullible is a model that takes every claim for entailed by the blocks it is
// named, whatever they say.
type gullible []string

func (g gullible) Verify(_ context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i, p := range pairs {
		out[i] = schema.Verdict{Label: schema.Unverifiable, Score: 0.4, Tier: entail.TierModel, Why: "not sure"}
		if slices.Contains(g, p.Premise) {
			out[i] = schema.Verdict{Label: schema.Supported, Score: 0.9, Tier: entail.TierModel, Why: "entailed"}
		}
	}
	return out, nil
}

func of(path string, e schema.Evidence) schema.Evidence {
	e.Path = path
	return e
}

// What only a model supports gives way to what the rules deny, wherever it stands.
func TestADenialByRuleOutweighsSupportByAModel(t *testing.T) {
	const stores = "lore/stores.yaml"
	vague := corpus("E1", "The granary was counted on Friday.")
	sacks := corpus("E1", "Forty sacks were counted on Friday.")
	cases := []struct {
		name     string
		said     string
		cites    []string
		evidence []schema.Evidence
		issue    schema.IssueType
		why      string
	}{
		{"nothing denies it", "The granary held some rye.", []string{"E1"}, []schema.Evidence{vague, corpus("E2", "The granary held forty sacks of oats.")}, "", ""},
		{"another document", "The granary held some rye.", []string{"E1"}, []schema.Evidence{vague, corpus("E2", "The granary held no rye.")}, schema.IssueContradicted, "negation"},
		{"another line of the same document", "The granary held some rye.", []string{"E1"},
			[]schema.Evidence{of(stores, vague), of(stores, corpus("E2", "The granary held no rye."))}, schema.IssueContradicted, "negation"},
		{"a line with a date", "The granary held some rye.", []string{"E1"},
			[]schema.Evidence{of(stores, vague), of(stores, corpus("E2", "The granary held no rye on the twentieth of April 1402."))}, schema.IssueContradicted, "negation"},
		{"a line that is cited too", "The granary held some rye.", []string{"E2", "E1"},
			[]schema.Evidence{of(stores, vague), of(stores, corpus("E2", "The granary held no rye."))}, schema.IssueContradicted, "negation"},
		{"a number in another document that is cited too", "The granary held forty sacks.", []string{"E1", "E2"},
			[]schema.Evidence{sacks, corpus("E2", "The granary held thirty sacks.")}, schema.IssueContradicted, "number"},
		{"lines of one document with a number each", "The granary held forty sacks.", []string{"E1"},
			[]schema.Evidence{of(stores, sacks), of(stores, corpus("E2", "The granary held thirty sacks of barley."))}, "", ""},
		{"under a condition", "The ferry crosses the mere.", []string{"E1"},
			[]schema.Evidence{vague, corpus("E2", "While the ice holds the ferry never crosses the mere.")}, "", ""},
		{"of lower rank", "The granary held some rye.", []string{"E1"}, []schema.Evidence{vague, by("E2", "aldith", "chronicle", "The granary held no rye.")}, "", ""},
		{"a rumour", "The granary held some rye.", []string{"E1"}, []schema.Evidence{vague, rumour("E2", "The granary held no rye.")}, "", ""},
		{"of another matter", "The granary held some rye.", []string{"E1"}, []schema.Evidence{vague, corpus("E2", "The mill had no rye to grind.")}, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, verdicts, err := grounding.Review(t.Context(), entail.NewCascade(entail.NewRules(), gullible{vague.Text, sacks.Text}), grounding.ReviewInput{
				Sentences: []schema.DraftSentence{draft(c.said, c.cites...)}, Evidence: c.evidence, Class: schema.ClassComplex, Context: mira})
			if err != nil {
				t.Fatal(err)
			}
			issues := verdicts[0].Issues
			switch {
			case c.issue == "" && len(issues) > 0:
				t.Errorf("%+v", issues)
			case c.issue != "" && (len(issues) == 0 || issues[0].Type != c.issue || !strings.Contains(issues[0].Correction, c.why)):
				t.Errorf("got %+v, claims %+v", issues, verdicts[0].Claims)
			}
		})
	}
}
