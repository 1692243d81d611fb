package reviewer_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// paraphrase says what the ferry's notice says in other words; no rule knows it.
const paraphrase = "The ferry belongs to Teague."

// Without sources nothing of the world is said, and a check says why.
func TestWithoutSourcesWorldClaimsAreStripped(t *testing.T) {
	const claim = "Teague stole the chapel bell."
	b, _ := staged(t, stage{})
	for name, said := range map[string]schema.DraftSentence{
		"a citation of nothing": cite(claim, "E1"),
		"no citation":           {Text: claim},
		"self":                  cite(claim, "self"),
	} {
		t.Run(name, func(t *testing.T) {
			turn := draft(t, b, said)
			turn.Evidence = nil
			turn.Speech.Sentences[0] = said
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if len(r.Stripped) == 0 || r.Stripped[0].Text != claim {
				t.Errorf("stripped %+v", r.Stripped)
			}
			for _, s := range r.Sentences {
				if !s.Authored {
					t.Errorf("released: %q", s.Text)
				}
			}
		})
	}
	got, err := grounding.CheckText(t.Context(), app.Verifier(), schema.CheckQuery{Text: owner + " " + crossing, Sources: []schema.CheckSource{}})
	if err != nil || got.Grounded || got.Reason != schema.GroundingNoSources || got.Unverifiable != got.Total || got.Total != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = grounding.CheckText(t.Context(), app.Verifier(), schema.CheckQuery{Text: "Good day to you!", Sources: []schema.CheckSource{}}); err != nil || !got.Grounded || got.Total != 0 {
		t.Errorf("a greeting: %+v, %v", got, err)
	}
}

// What claims nothing is of kind none and passes, whatever tiers there are.
func TestASpeechWithoutClaimsPasses(t *testing.T) {
	for name, v := range map[string]entail.Verifier{"rules": nil, "no tier at all": entail.NewCascade()} {
		t.Run(name, func(t *testing.T) {
			b, _ := staged(t, stage{verifier: v})
			turn := draft(t, b, schema.DraftSentence{Text: "Good day to you!"})
			turn.Decision.Share = nil // there is nothing that it evades
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if r.Text != "Good day to you!" || len(r.Stripped) != 0 || turn.SpeechReview.Verdict != schema.Approved || len(turn.SpeechReview.Claims) != 0 || len(turn.SpeechReview.Codes) != 0 {
				t.Errorf("%q, stripped %+v, review %+v", r.Text, r.Stripped, turn.SpeechReview)
			}
		})
	}
}

// No speech is empty: where nothing was drafted the NPC quotes, or says a line that
// was written for it.
func TestAnEmptySpeechIsAnAuthoredLine(t *testing.T) {
	for _, c := range []struct {
		name     string
		speaker  string
		evidence bool
		said     []string
		authored bool
	}{
		{"the extractive speaker has nothing to say", schema.SpeakerExtractive, true, nil, true},
		{"a model says nothing", "test", true, nil, false},
		{"a model says nothing, of nothing", "test", false, nil, true},
		{"blanks", "test", false, []string{" \t", "\u200b\u200d\ufeff"}, true},
		{"marks", "test", false, []string{"…"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := staged(t, stage{})
			turn := draft(t, b)
			turn.Speech.Speaker = c.speaker
			for _, s := range c.said {
				turn.Speech.Sentences = append(turn.Speech.Sentences, schema.DraftSentence{Text: s})
			}
			if !c.evidence {
				turn.Evidence = nil
			}
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if len(r.Sentences) == 0 || strings.TrimSpace(r.Text) == "" {
				t.Fatalf("the reply is empty: %+v", r)
			}
			if bad := unquoted(r); len(bad) > 0 || c.authored && !r.Sentences[0].Authored {
				t.Errorf("%+v", r.Sentences)
			}
		})
	}
}

// down is a tier that fails in one way.
type down func(ctx context.Context, pairs []entail.Pair) ([]schema.Verdict, error)

func (f down) Verify(ctx context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	return f(ctx, pairs)
}

func all(label schema.Label, score float64, n int) []schema.Verdict {
	out := make([]schema.Verdict, n)
	for i := range out {
		out[i] = schema.Verdict{Label: label, Score: score, Tier: entail.TierModel}
	}
	return out
}

// However the tiers behind the rules fail, a whole turn goes on: what is word for
// word in the evidence is said, and nothing else.
func TestATierThatFailsSupportsNothing(t *testing.T) {
	for name, tier := range map[string]entail.Verifier{
		"no tier": nil,
		"an error": down(func(context.Context, []entail.Pair) ([]schema.Verdict, error) {
			return nil, errors.New("down")
		}),
		"a panic": down(func(context.Context, []entail.Pair) ([]schema.Verdict, error) { panic("out of range") }),
		"a timeout": entail.Within(time.Millisecond, down(func(ctx context.Context, _ []entail.Pair) ([]schema.Verdict, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})),
		"a verdict too few": down(func(_ context.Context, p []entail.Pair) ([]schema.Verdict, error) {
			return all(schema.Supported, 0.99, len(p)-1), nil
		}),
		"a verdict too many": down(func(_ context.Context, p []entail.Pair) ([]schema.Verdict, error) {
			return all(schema.Supported, 0.99, len(p)+1), nil
		}),
		"no number": down(func(_ context.Context, p []entail.Pair) ([]schema.Verdict, error) {
			return all(schema.Supported, math.NaN(), len(p)), nil
		}),
		"another model's labels": down(func(_ context.Context, p []entail.Pair) ([]schema.Verdict, error) {
			return all("LABEL_2", 0.99, len(p)), nil
		}),
		"verdicts and an error": down(func(_ context.Context, p []entail.Pair) ([]schema.Verdict, error) {
			return all(schema.Supported, 0.99, len(p)), errors.New("half of it")
		}),
	} {
		t.Run(name, func(t *testing.T) {
			v := entail.Verifier(entail.NewCascade(entail.NewRules()))
			if tier != nil {
				v = entail.NewCascade(entail.NewRules(), tier)
			}
			b, _ := staged(t, stage{verifier: v})
			turn := draft(t, b, cite(owner, "ferry"), cite(paraphrase, "ferry"))
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if r.Text != owner {
				t.Errorf("the reply is %q", r.Text)
			}
			if !slices.ContainsFunc(r.Stripped, func(s schema.Stripped) bool { return s.Text == paraphrase && s.Issue.Type == schema.IssueNotEntailed }) {
				t.Errorf("stripped %+v", r.Stripped)
			}
			if !slices.ContainsFunc(b.Alerts, func(a string) bool {
				return strings.HasPrefix(a, reviewer.AlertStripped) && strings.Contains(a, paraphrase)
			}) {
				t.Errorf("nobody is told: %q", b.Alerts)
			}
		})
	}
}

// Where a tier is left that supports the paraphrase, it is said.
func TestATierThatIsLeftDecides(t *testing.T) {
	yes := down(func(_ context.Context, p []entail.Pair) ([]schema.Verdict, error) {
		return all(schema.Supported, 0.99, len(p)), nil
	})
	broken := down(func(context.Context, []entail.Pair) ([]schema.Verdict, error) { panic("out of range") })
	b, _ := staged(t, stage{verifier: entail.NewCascade(entail.NewRules(), broken, yes)})
	turn := draft(t, b, cite(paraphrase, "ferry"), cite("A crossing costs three bits.", "ferry"))
	if r := b.Walk(t, turn, schema.PassReviewSpeech); r.Text != paraphrase {
		t.Errorf("the reply is %q: the rules refuse the second sentence, and no tier may say otherwise", r.Text)
	}
}

// A model finds that "it seems to me that" anything at all follows from anything. What is
// wrapped so is judged bare, and only word for word as it stands.
func TestWhatIsWrappedInAHedgeIsJudgedBare(t *testing.T) {
	wraps := []string{"It seems to me that ", "They say that ", "Isn't it so that "}
	fooled := down(func(_ context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
		out := all(schema.Unverifiable, 0.5, len(pairs))
		for i, p := range pairs {
			if slices.ContainsFunc(wraps, func(w string) bool { return strings.HasPrefix(p.Hypothesis, w) }) {
				out[i] = schema.Verdict{Label: schema.Supported, Score: 0.99, Tier: entail.TierModel}
			}
		}
		return out, nil
	})
	for _, wrap := range wraps {
		b, _ := staged(t, stage{verifier: fooled})
		end := "."
		if strings.HasPrefix(wrap, "Isn't") {
			end = "?"
		}
		for _, claims := range []string{"Teague went there on foot", "Teague went there; Wren came back on foot"} {
			said := wrap + claims + end
			r := b.Walk(t, draft(t, b, cite(said, "ferry")), schema.PassReviewSpeech)
			if strings.Contains(r.Text, "on foot") {
				t.Errorf("%q is released: %q", said, r.Text)
			}
		}
	}
}
