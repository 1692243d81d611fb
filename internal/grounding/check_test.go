package grounding

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func ratio(r float64) *float64 { return &r }

func sources(texts ...string) []schema.CheckSource {
	var out []schema.CheckSource
	for _, s := range texts {
		out = append(out, schema.CheckSource{Content: s})
	}
	return out
}

func TestCheckTextJudgesClaimByClaim(t *testing.T) {
	for _, c := range []struct {
		name, text string
		sources    []schema.CheckSource
		ratio      float64 // negative: none is named
		grounded   bool
		reason     string
		counts     [3]int // supported, contradicted, unverifiable
	}{
		{"verbatim", "The mill burned in spring.", sources("The mill burned in spring."), 0, true, "", [3]int{1, 0, 0}},
		{"denied", "The toll is four pennies.", sources("The toll is three pennies."), 0, false,
			protocol.GroundingContradiction, [3]int{0, 1, 0}},
		{"denied weighs more than a ratio", "The toll is four pennies.", sources("The toll is three pennies."), 1, false,
			protocol.GroundingContradiction, [3]int{0, 1, 0}},
		{"not said", "The mill burned in spring. The reeve wept over it.", sources("The mill burned in spring."), 0, false,
			protocol.GroundingUnverifiable, [3]int{1, 0, 1}},
		{"not said, and no ratio named", "The mill burned in spring. The reeve wept over it.",
			sources("The mill burned in spring."), -1, true, "", [3]int{1, 0, 1}},
		{"not said, within the ratio", "The mill burned in spring. The reeve wept over it.",
			sources("The mill burned in spring."), 0.5, true, "", [3]int{1, 0, 1}},
		{"no sources", "The mill burned in spring.", nil, 0, false, protocol.GroundingNoSources, [3]int{0, 0, 1}},
		{"no claims", "Good morning to you!", nil, 0, true, "", [3]int{0, 0, 0}},
		{"code is none", "```\nthe mill burned\n```", nil, 0, true, "", [3]int{0, 0, 0}},
		{"the free tier does not deny the premium one", "The premium tier has 1,000 requests a minute.",
			sources("The free tier has 500 requests a minute.", "The premium tier has 1,000 requests a minute."), 0, true, "",
			[3]int{1, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := Checker{Verifier: entail.NewRules()}
			q := schema.CheckQuery{Text: c.text, Sources: c.sources}
			if c.ratio >= 0 {
				q.MaxUnverifiableRatio = &c.ratio
			}
			out, err := k.Check(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if out.Grounded != c.grounded || out.Reason != c.reason ||
				[3]int{out.Supported, out.Contradicted, out.Unverifiable} != c.counts {
				t.Errorf("%+v", out)
			}
			if out.Total != len(out.Claims) || out.Claims == nil {
				t.Errorf("total %d of %v", out.Total, out.Claims)
			}
			for _, claim := range out.Claims {
				if claim.Best != nil && !strings.Contains(claim.Best.Content, claim.Best.Span) {
					t.Errorf("span %q is not in %q", claim.Best.Span, claim.Best.Content)
				}
			}
		})
	}
}

func TestCheckTextRefusesWhatItCannotRead(t *testing.T) {
	for name, q := range map[string]schema.CheckQuery{
		"empty":           {Text: " \n"},
		"huge":            {Text: strings.Repeat("a ", schema.MaxCheckText)},
		"many sources":    {Text: "x", Sources: make([]schema.CheckSource, schema.MaxCheckSources+1)},
		"a ratio above 1": {Text: "x", MaxUnverifiableRatio: ratio(2)},
		"an empty source": {Text: "x", Sources: sources("The mill burned.", " ")},
	} {
		k := Checker{Verifier: entail.NewRules()}
		if _, err := k.Check(t.Context(), q); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A verifier that fails supports nothing.
func TestCheckTextWithoutAVerifierSupportsNothing(t *testing.T) {
	k := Checker{Verifier: broken{}}
	out, err := k.Check(t.Context(), schema.CheckQuery{Text: "The mill burned.", Sources: sources("The mill burned.")})
	if err != nil || out.Grounded || out.Supported != 0 || out.Claims[0].Tier != entail.TierNone {
		t.Errorf("%+v, %v", out, err)
	}
}

type broken struct{}

func (broken) Verify(context.Context, []entail.Pair) ([]schema.Verdict, error) {
	return nil, errors.New("broken")
}
