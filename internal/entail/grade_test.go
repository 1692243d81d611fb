package entail

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var usual = Thresholds{Entailment: 0.9, Contradiction: 0.7, Ambiguous: 0.2, Doubted: 0.95}

func TestGrade(t *testing.T) {
	for _, c := range []struct {
		name         string
		score        float64
		contradicted float64
		label        schema.Label
		final        bool
		why          string
	}{
		{"sure", 0.95, 0, schema.Supported, false, "entailed"},
		{"just sure", 0.9, 0, schema.Supported, false, "entailed"},
		{"nearly sure", 0.899, 0, schema.Unverifiable, false, "not sure"},
		{"half sure", 0.5, 0.1, schema.Unverifiable, false, "not sure"},
		{"half sure, and denied", 0.3, 0.7, schema.Unverifiable, false, "not sure"},
		{"unlikely", 0.1, 0.3, schema.Unverifiable, true, "not entailed"},
		{"denied", 0.1, 0.8, schema.Contradicted, false, "denies"},
		{"just denied", 0.19, 0.7, schema.Contradicted, false, "denies"},
		{"no number", math.NaN(), math.NaN(), schema.Unverifiable, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Grade(TierModel, c.score, Probability{Contradicted: c.contradicted}, usual)
			if v.Label != c.label || v.Final != c.final || v.Tier != TierModel || !strings.Contains(v.Why, c.why) {
				t.Errorf("%+v", v)
			}
		})
	}
}

// A zero is the tier's own; whatever else a pair says stands.
func TestThresholdsFillEachOther(t *testing.T) {
	if got := (Thresholds{}).Or(usual); got != usual {
		t.Errorf("nothing of its own: %+v", got)
	}
	if got, want := (Thresholds{Entailment: 0.5}).Or(usual), (Thresholds{0.5, 0.7, 0.2, 0.95}); got != want {
		t.Errorf("one of its own: %+v", got)
	}
	for _, v := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		for _, at := range []Thresholds{{Entailment: v}, {Contradiction: v}, {Ambiguous: v}, {Doubted: v}} {
			if err := at.Check(); err == nil || !strings.Contains(err.Error(), "between 0 and 1") {
				t.Errorf("%+v passes: %v", at, err)
			}
		}
	}
}

func TestSoundProbabilities(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		p    Probability
		want bool
	}{
		{Probability{0.2, 0.3, 0.5}, true}, {Probability{1, 0, 0}, true}, {Probability{0.333, 0.333, 0.333}, true},
		{Probability{}, false}, {Probability{nan, 0.5, 0.5}, false}, {Probability{1.5, -0.5, 0}, false},
		{Probability{1, 1, 1}, false}, {Probability{math.Inf(1), 0, 0}, false}, {Probability{-4, 2, 3}, false}, // logits
	} {
		if got := c.p.Sound(); got != c.want {
			t.Errorf("%+v is sound: %v", c.p, got)
		}
	}
}

// A scale keeps the order of what it scales, and gives probabilities.
func TestPropertyAScaleKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Scale{Slope: rapid.Float64Range(0.01, 5).Draw(t, "slope"), Shift: rapid.Float64Range(-5, 5).Draw(t, "shift")}
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		s.Doubt = rapid.Float64Range(-5, 0).Draw(t, "doubt")
		doubt := schema.Verdict{Label: schema.Unverifiable, Tier: TierRule, Score: scoreDoubted}
		before := rapid.SampledFrom([]schema.Verdict{{}, doubt}).Draw(t, "before")
		low, high := s.Score(Probability{Entailed: min(a, b)}, before), s.Score(Probability{Entailed: max(a, b)}, before)
		if doubted := s.Score(Probability{Entailed: a}, doubt); doubted > s.Score(Probability{Entailed: a},
			schema.Verdict{}) {
			t.Fatalf("a doubt raises the score to %v", doubted)
		}
		if !(low >= 0 && high <= 1 && low <= high) {
			t.Fatalf("%v gives %v, %v gives %v", min(a, b), low, max(a, b), high)
		}
	})
}

// A higher entailment threshold never supports what a lower one did not, and no
// threshold that is raised makes support of anything else.
func TestPropertyGradeIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.Float64Range(0, 1)
		at := Thresholds{unit.Draw(t, "entailment"), unit.Draw(t, "contradiction"), unit.Draw(t, "ambiguous"), 0}
		higher := Thresholds{rapid.Float64Range(at.Entailment, 1).Draw(t, "to"), unit.Draw(t, "contradiction"),
			unit.Draw(t, "ambiguous"), 0}
		score, p := unit.Draw(t, "score"), Probability{Contradicted: unit.Draw(t, "denied")}
		low, high := Grade(TierModel, score, p, at), Grade(TierModel, score, p, higher)
		if low.Label != schema.Supported && high.Label == schema.Supported {
			t.Fatalf("%+v at %+v, %+v at %+v", low, at, high, higher)
		}
	})
}

// careful is a tier that supports what is not doubted, and of the doubted what is
// above its second threshold.
type careful struct {
	score float64
	name  string
}

func (c careful) Verify(ctx context.Context, pairs []Pair) ([]schema.Verdict, error) {
	return c.VerifyAfter(ctx, pairs, make([]schema.Verdict, len(pairs)))
}

func (c careful) VerifyAfter(_ context.Context, pairs []Pair, before []schema.Verdict) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i := range out {
		at := usual
		if Doubts(before[i]) {
			at.Entailment = at.Doubted
		}
		out[i] = Grade(c.name, c.score, Probability{}, at)
	}
	return out, nil
}

// What the rules doubt is doubted by every tier behind them, not by the next alone.
func TestADoubtOutlivesATier(t *testing.T) {
	doubt := says(schema.Unverifiable, scoreDoubted, TierRule)
	unsure := careful{0.5, TierModel}
	for _, c := range []struct {
		name  string
		tiers []Verifier
		label schema.Label
	}{
		{"no doubt", []Verifier{says(schema.Unverifiable, scoreUnknown, TierRule), careful{0.92, TierModel}},
			schema.Supported},
		{"the next tier is told", []Verifier{doubt, careful{0.92, TierModel}}, schema.Unverifiable},
		{"the one behind it too", []Verifier{doubt, unsure, careful{0.92, TierSidecar}}, schema.Unverifiable},
		{"and where the one between failed",
			[]Verifier{doubt, tier(func(context.Context, []Pair) ([]schema.Verdict, error) { return nil, errors.New("down") }),
				careful{0.92, TierSidecar}}, schema.Unverifiable},
		{"who is very sure is believed", []Verifier{doubt, unsure, careful{0.97, TierSidecar}}, schema.Supported},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := NewCascade(c.tiers...).Verify(context.Background(),
				[]Pair{{Premise: "The mill stood.", Hypothesis: "The mill burned."}})
			if err != nil || out[0].Label != c.label {
				t.Errorf("%+v, %v", out, err)
			}
			if c.label == schema.Unverifiable && !strings.Contains(out[0].Why, "says so") {
				t.Errorf("the doubt is not in the reason %q", out[0].Why)
			}
		})
	}
}

// Whatever tiers stand behind the rules and however they answer, or fail to, what
// the rules decide stays, one verdict a pair stays, and nonsense supports nothing.
func TestPropertyNoTierIsAboveTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pairs []Pair
		for range rapid.IntRange(0, 6).Draw(t, "pairs") {
			p := Pair{Premise: makeSentence(t).String(), Hypothesis: makeSentence(t).String()}
			if rapid.Bool().Draw(t, "any text") {
				p.Hypothesis = rapid.String().Draw(t, "text")
			}
			pairs = append(pairs, p)
		}
		ruled, err := NewRules().Verify(context.Background(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		tiers := []Verifier{NewRules()}
		sound := false
		for range rapid.IntRange(0, 3).Draw(t, "tiers") {
			v, ok := anyTier(t)
			tiers, sound = append(tiers, v), sound || ok
		}
		out, err := NewCascade(tiers...).Verify(context.Background(), pairs)
		if err != nil || len(out) != len(pairs) {
			t.Fatalf("%d verdicts of %d, %v", len(out), len(pairs), err)
		}
		for i := range out {
			if Decides(ruled[i]) && out[i] != ruled[i] {
				t.Fatalf("%+v: the rules say %+v, then %+v", pairs[i], ruled[i], out[i])
			}
			if !sound && !Decides(ruled[i]) && out[i].Label == schema.Supported {
				t.Fatalf("nonsense supports %+v: %+v", pairs[i], out[i])
			}
		}
	})
}

// anyTier draws a tier, and says whether it answers as a tier should.
func anyTier(t *rapid.T) (Verifier, bool) {
	switch rapid.IntRange(0, 6).Draw(t, "tier") {
	case 0:
		return tier(func(context.Context, []Pair) ([]schema.Verdict, error) { panic("out of range") }), false
	case 1:
		return tier(func(context.Context, []Pair) ([]schema.Verdict, error) { return nil, errors.New("down") }), false
	case 2:
		return says(schema.Supported, math.NaN(), TierModel), false
	case 3:
		return says("entailment", 0.99, TierModel), false
	case 4: // a verdict too many
		return tier(func(_ context.Context, pairs []Pair) ([]schema.Verdict, error) {
			return says(schema.Supported, 0.99, TierModel)(context.Background(), append(pairs, Pair{}))
		}), false
	case 5: // verdicts together with an error
		return tier(func(_ context.Context, pairs []Pair) ([]schema.Verdict, error) {
			out, _ := says(schema.Supported, 0.99, TierModel)(context.Background(), pairs)
			return out, errors.New("half of it")
		}), false
	}
	return says(schema.Supported, 0.99, TierModel), true
}

func TestTheNearestSentenceIsTheSpan(t *testing.T) {
	const premise = "Teague owns the ferry. A crossing costs two bits. The ferry leaves at dawn."
	for claim, want := range map[string]string{
		"You pay two bits for a crossing.": "A crossing costs two bits.",
		"At dawn it leaves.":               "The ferry leaves at dawn.",
		"Teague has it.":                   "Teague owns the ferry.",
	} {
		if got := Nearest(premise, claim); got != want {
			t.Errorf("%q is nearest to %q", claim, got)
		}
	}
	if got := Nearest("", "Teague has it."); got != "" {
		t.Errorf("nothing holds %q", got)
	}
}

// A pair that a rule doubts needs more.
func TestADoubtRaisesTheThreshold(t *testing.T) {
	at := Thresholds{Entailment: 0.86, Doubted: 0.9}
	p := Pair{Premise: "The white wolf has taken no sheep this year.", Hypothesis: "The wolf took no sheep."}
	doubt := schema.Verdict{Tier: TierRule, Label: schema.Unverifiable, Score: scoreDoubted}
	for _, c := range []struct {
		before schema.Verdict
		score  float64
		want   schema.Label
	}{
		{schema.Verdict{}, 0.87, schema.Supported},
		{doubt, 0.87, schema.Unverifiable},
		{doubt, 0.9, schema.Supported},
	} {
		if got := at.Judge(TierModel, c.score, Probability{}, p, c.before); got.Label != c.want {
			t.Errorf("%v after %+v: %+v, want %s", c.score, c.before, got, c.want)
		}
	}
}
