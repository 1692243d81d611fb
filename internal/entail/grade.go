package entail

import (
	"cmp"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Thresholds turn a model's probabilities into labels. All lie between 0 and 1,
// on the scale of a verdict's score. A zero is the tier's own calibrated value.
type Thresholds struct {
	// Entailment is the score from which a pair is supported.
	Entailment float64 `json:"entailment_threshold"`
	// Contradiction is the probability of a contradiction from which a pair is
	// contradicted.
	Contradiction float64 `json:"contradiction_threshold"`
	// Ambiguous is the score from which a pair that is not supported is worth
	// another tier's look. Below it the verdict is final.
	Ambiguous float64 `json:"ambiguous_threshold"`
	// Doubted is the score that a pair needs which the rules doubt.
	Doubted float64 `json:"doubted_threshold"`
}

// Or fills what is zero from another.
func (t Thresholds) Or(o Thresholds) Thresholds {
	return Thresholds{
		Entailment: cmp.Or(t.Entailment, o.Entailment), Contradiction: cmp.Or(t.Contradiction, o.Contradiction),
		Ambiguous: cmp.Or(t.Ambiguous, o.Ambiguous), Doubted: cmp.Or(t.Doubted, o.Doubted),
	}
}

// Check says which threshold is no probability.
func (t Thresholds) Check() error {
	for _, x := range []struct {
		name string
		v    float64
	}{{"entailment_threshold", t.Entailment}, {"contradiction_threshold", t.Contradiction},
		{"ambiguous_threshold", t.Ambiguous}, {"doubted_threshold", t.Doubted}} {
		if math.IsNaN(x.v) || x.v < 0 || x.v > 1 {
			return fmt.Errorf("%s is %v; it must lie between 0 and 1", x.name, x.v)
		}
	}
	return nil
}

// Probability is what a model says of a pair. The three sum to 1.
type Probability struct{ Entailed, Neutral, Contradicted float64 }

// Sound says whether the three are probabilities, as those of a broken model are
// not.
func (p Probability) Sound() bool {
	for _, v := range []float64{p.Entailed, p.Neutral, p.Contradicted} {
		if math.IsNaN(v) || v < 0 || v > 1.001 {
			return false
		}
	}
	return math.Abs(p.Entailed+p.Neutral+p.Contradicted-1) < 0.02
}

// Scale maps the odds of a model's entailment to P(supported) as measured on pairs
// with known labels (Platt 1999): logit P = Slope·logit(entailed) + Shift, and Doubt
// more, which is negative, where the rules doubt the pair.
type Scale struct {
	Slope float64 `json:"slope"`
	Shift float64 `json:"shift"`
	Doubt float64 `json:"doubt,omitzero"`
}

// Score is P(supported) of a pair of which the rules said something before.
func (s Scale) Score(p Probability, before schema.Verdict) float64 {
	e := min(max(p.Entailed, 1e-6), 1-1e-6)
	z := s.Slope*math.Log(e/(1-e)) + s.Shift
	if Doubts(before) {
		z += s.Doubt
	}
	return 1 / (1 + math.Exp(-z))
}

// Judge is a model's verdict on a pair of which the rules said something before. A doubt
// raises the threshold for support.
func (t Thresholds) Judge(tier string, score float64, p Probability, pair Pair, before schema.Verdict) schema.Verdict {
	if Doubts(before) {
		t.Entailment = max(t.Entailment, t.Doubted)
	}
	v := Grade(tier, score, p, t)
	v.Span = Nearest(pair.Premise, pair.Hypothesis)
	return v
}

// Grade is what a model's probabilities say. A contradiction is one only where the model is not
// also half convinced of the opposite.
func Grade(tier string, score float64, p Probability, t Thresholds) schema.Verdict {
	v := schema.Verdict{Label: schema.Unverifiable, Score: score, Tier: tier}
	switch {
	case score >= t.Entailment:
		v.Label = schema.Supported
		v.Why = fmt.Sprintf("entailed with probability %.2f", score)
	case p.Contradicted >= t.Contradiction && score < t.Ambiguous:
		v.Label = schema.Contradicted
		v.Why = fmt.Sprintf("the evidence denies it, with probability %.2f", p.Contradicted)
	case score < t.Ambiguous:
		v.Final = true
		v.Why = fmt.Sprintf("not entailed: probability %.2f", score)
	default:
		v.Why = fmt.Sprintf("not sure: entailed with probability %.2f, %.2f is wanted", score, t.Entailment)
	}
	return v
}
