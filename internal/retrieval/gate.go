package retrieval

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The zones of the gate.
const (
	UnknownBelow = 0.25
	ModelFrom    = 0.60
)

// ZoneOf is what a confidence is worth.
func ZoneOf(confidence float64) schema.Zone {
	switch {
	case confidence < UnknownBelow:
		return schema.ZoneUnknown
	case confidence < ModelFrom:
		return schema.ZoneExtractive
	}
	return schema.ZoneModel
}

// Model is a logistic model: weights by name of feature.
type Model struct {
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
	order   []float64
}

// logit is the model's raw score.
func (m *Model) logit(features []float64) float64 {
	z := m.Bias
	for i, f := range features {
		z += f * m.order[i]
	}
	return z
}

// bind lines the weights up with names and refuses one it does not know.
func (m *Model) bind(names []string) error {
	m.order = make([]float64, len(names))
	known := 0
	for i, n := range names {
		if w, ok := m.Weights[n]; ok {
			m.order[i] = w
			known++
		}
	}
	if known != len(m.Weights) {
		return fmt.Errorf("the model has %d weights and %d of them are of known features; fit it again", len(m.Weights), known)
	}
	return nil
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

//go:embed gate.json
var gateFile []byte

// Fitted is what the fitting program writes.
type Fitted struct {
	Ranker  Model      `json:"ranker"` // orders candidates as answers
	Gate    Model      `json:"gate"`   // the probability that the best one answers
	Curve   []Reliable `json:"reliability"`
	Queries int        `json:"queries"`
}

// Reliable is a stretch of the reliability curve, out of sample.
type Reliable struct {
	From, To float64
	N        int
	Said     float64 // mean confidence
	Right    float64 // share that was answered
}

// shipped are the models of gate.json.
var shipped = func() *Fitted {
	var f Fitted
	if err := json.Unmarshal(gateFile, &f); err != nil {
		panic(fmt.Sprintf("gate.json: %v", err))
	}
	if err := f.Ranker.bind(featureNames); err != nil {
		panic(fmt.Sprintf("gate.json: ranker: %v", err))
	}
	if err := f.Gate.bind(gateNames()); err != nil {
		panic(fmt.Sprintf("gate.json: gate: %v", err))
	}
	return &f
}()

// messageNames are the gate's features of the message and the whole ranking.
var messageNames = []string{
	"margin", "margin_cosine", "top_score", "unknown_sure", "unknown_odd", "absent", "absent_rare",
	"terms_none", "terms_few", "terms_many", "statement", "imperative",
}

func gateNames() []string {
	return append(append([]string(nil), featureNames...), messageNames...)
}

// confidence is the calibrated probability that the best candidate answers.
func (s *search) confidence() float64 {
	if len(s.found) == 0 {
		return 0
	}
	return sigmoid(s.x.models.Gate.logit(s.judged()))
}

// judged are the gate's features: those of the best candidate and of the message.
func (s *search) judged() []float64 {
	best := s.found[0]
	margin, marginCosine := 1.0, 0.0
	for _, c := range s.found[1:] {
		if s.x.passages[c.at].doc != s.x.passages[best.at].doc {
			margin = min(margin, (best.score-c.score)/4)
			marginCosine = best.cosine - c.cosine
			break
		}
	}
	absent, absentRare, total := 0.0, 0.0, 0.0
	plain := 0
	for i, t := range s.q.terms {
		if t.late {
			continue
		}
		plain++
		total += s.idf[i]
		if !s.held(t.stem) {
			absent += s.idf[i]
			absentRare = max(absentRare, s.x.rarity(t.word))
		}
	}
	if total > 0 {
		absent /= total
	}
	sure, odd := 0.0, 0.0
	for _, n := range s.names {
		if n.unknown {
			sure = max(sure, bit(n.sure))
			odd = max(odd, bit(!n.sure))
		}
	}
	return append(append([]float64(nil), best.features...),
		margin, clamp(marginCosine*4, -1, 1), clamp(best.score/4, -2, 2), sure, odd, absent, absentRare,
		bit(plain == 0), bit(plain == 1), clamp(float64(plain)/8, 0, 1), bit(s.q.kind == kindOther), 0)
}

// Probability is the model's answer for features under the given names.
func (m Model) Probability(names []string, features []float64) float64 {
	if err := m.bind(names); err != nil {
		return 0
	}
	return sigmoid(m.logit(features))
}
