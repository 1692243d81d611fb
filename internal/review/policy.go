package review

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// contradictedFrom is P(contradiction) from which a sentence that is not supported is
// called contradicted.
const contradictedFrom = 0.85

// inForce is the score from which a sentence is supported.
func (l *line) inForce(r *Reviewer, judged bool) float64 {
	level := l.Level
	switch {
	case l.Support > 0:
		return l.Support
	case level == "" && judged:
		level = grounding.Balanced
	case level == "":
		level = grounding.Strict
	}
	return r.Fit.Line(level, judged)
}

// policy turns scores into verdicts by the line in force.
func (l *line) policy(r *Reviewer) {
	for i := range l.out {
		o := &l.out[i]
		if !o.open() || len(o.Issues) > 0 {
			continue
		}
		line := l.inForce(r, o.judged)
		o.Verdict.Line = line
		switch {
		case !o.known && !o.judged:
			o.Verdict.Label, o.Verdict.Score = schema.Unverifiable, 0
		case o.known && o.Kind != entail.KindWorld:
			o.Verdict.Label, o.Verdict.Why = schema.Supported, "it claims nothing that needs proof"
		case o.Verdict.Score >= line:
			o.Verdict.Label = schema.Supported
		case o.denied || o.reading.Contradicted >= cmp.Or(l.Denial, contradictedFrom):
			o.Verdict.Label = schema.Contradicted
		default:
			o.Verdict.Label = schema.Unverifiable
		}
	}
}

// Line is a score from which a sentence is supported, and its price as measured.
type Line struct {
	Score float64 `json:"score"`
	True  float64 `json:"true_spoken"`
	False float64 `json:"false_spoken"`
}

// Fit makes one probability of what the model and the checks find. It belongs to one
// weights file and is written by the command in the folder fitting.
type Fit struct {
	Weighed string             `json:"weights_sha256"` // the weights file that it belongs to
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
	// Claim is P(world) from which a sentence needs proof.
	Claim float64 `json:"claim"`
	// AtOnce is the score from which a judge is asked about the first sentence of a speech
	// before the speech has ended: about one in five reaches it.
	AtOnce float64 `json:"at_once"`
	// Alone and Judged are the lines without a judge, and with one that has shown skill.
	Alone  map[grounding.Level]Line `json:"alone"`
	Judged map[grounding.Level]Line `json:"judged"`
}

//go:embed fit.json
var fitFile []byte

// ShippedFit is the fit whatever weights are read with: for where there are none.
func ShippedFit() (f Fit, err error) {
	if err = json.Unmarshal(fitFile, &f); err != nil {
		return f, fmt.Errorf("fit.json: %w", err)
	}
	return f, nil
}

// FitOf is the fit that ships, where it belongs to these weights. Scores that were
// never measured would be guesses, so other weights are refused.
func FitOf(weights string) (Fit, error) {
	f, err := ShippedFit()
	if err != nil {
		return f, err
	}
	if f.Weighed != weights {
		return f, fmt.Errorf("fit.json belongs to weights %.12s…, these are %.12s…; run lab/fitting", f.Weighed,
			weights)
	}
	return f, nil
}

// Score is P(supported) of a sentence with these features.
func (f *Fit) Score(x Features) float64 {
	z := f.Bias
	for i, name := range featureNames {
		z += f.Weights[name] * x[i]
	}
	return sigmoid(z)
}

// Line is the score in force at a level.
func (f *Fit) Line(level grounding.Level, judged bool) float64 {
	lines := f.Alone
	if judged {
		lines = f.Judged
	}
	if l, ok := lines[level]; ok {
		return l.Score
	}
	return 2 // nothing: a level that was never measured supports nothing
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

func logit(p float64) float64 {
	p = min(max(p, 1e-6), 1-1e-6)
	return math.Log(p / (1 - p))
}

// Shifted is a probability whose log odds are moved.
func Shifted(p, by float64) float64 { return sigmoid(logit(p) + by) }

// WorldFeature is the place of P(world) among the features.
const WorldFeature = 2

// FeatureNames are the names of the features, in their order.
func FeatureNames() []string { return featureNames[:] }
