package retrieval

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// The zones of the gate.
const (
	UnknownBelow = 0.25
	ModelFrom    = 0.60
)

// nearShare is from which share of the border on a question is near to being answered.
const nearShare = 0.92

// Zones are the borders of the gate's three zones. A zero is the usual border.
type Zones struct {
	Unknown float64 // below it nothing is known
	Model   float64 // from it on a model may speak
}

// Of is what a confidence is worth, whatever was found.
func (z Zones) Of(confidence float64) protocol.Zone {
	switch {
	case confidence < cmp.Or(z.Unknown, UnknownBelow):
		return protocol.ZoneUnknown
	case confidence < cmp.Or(z.Model, ModelFrom):
		return protocol.ZoneExtractive
	}
	return protocol.ZoneModel
}

// near says whether a confidence lies just below the border to what is known.
func (z Zones) near(confidence float64) bool {
	return z.Of(confidence) == protocol.ZoneUnknown && confidence >= nearShare*cmp.Or(z.Unknown, UnknownBelow)
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
		return fmt.Errorf("the model has %d weights and %d of them are of known features; fit it again",
			len(m.Weights), known)
	}
	return nil
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

//go:embed gate.json
var gateFile []byte

// Fitted is what the fitting program writes.
type Fitted struct {
	Ranker Model `json:"ranker"` // orders candidates as answers
	Gate   Model `json:"gate"`   // the probability that the best one answers
	// Sure is Gate where the trained judgement was asked, as Asking says; Answers is
	// what a candidate's score gains by it.
	Sure    Model      `json:"sure,omitzero"`
	Answers float64    `json:"answers,omitzero"`
	Asking  Asking     `json:"asking,omitzero"`
	Curve   []Reliable `json:"reliability"`
	Queries int        `json:"queries"`
}

// Reliable is a stretch of the reliability curve, out of sample.
type Reliable struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	N     int     `json:"n"`
	Said  float64 `json:"said"`  // mean confidence
	Right float64 `json:"right"` // share that was answered
}

// shipped are the models of gate.json.
var shipped = mustRead("gate.json", gateFile)

//go:embed gate-meaning.json
var deepFile []byte

// shippedDeep are those for an index that searches by meaning.
var shippedDeep = mustRead("gate-meaning.json", deepFile)

func mustRead(name string, data []byte) *Fitted {
	var f Fitted
	if err := json.Unmarshal(data, &f); err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	if err := f.Ranker.bind(featureNames); err != nil {
		panic(fmt.Sprintf("%s: ranker: %v", name, err))
	}
	if err := f.Gate.bind(gateFeatures); err != nil {
		panic(fmt.Sprintf("%s: gate: %v", name, err))
	}
	if err := f.Sure.bind(sureFeatures); err != nil {
		panic(fmt.Sprintf("%s: sure: %v", name, err))
	}
	return &f
}

// messageFeatures are what the gate sees besides the best candidate's features:
// how well it answers by the ranker, by how much it beats the best one of another
// document, what the message names that nothing in scope holds, how much it asks,
// and by how much something out of scope comes nearer.
var messageFeatures = []string{"top", "margin", "unknown_sure", "unknown_odd", "absent_rare", "absent", "terms_none",
	"terms_one", "terms", "outside"}

var gateFeatures = append(append([]string(nil), featureNames...), messageFeatures...)

// sureFeatures are the gate's with what the trained judgement says of the first candidate.
var sureFeatures = append(append([]string(nil), gateFeatures...), "answers")

// confidence is the calibrated probability that the best candidate answers.
func (s *search) confidence() float64 {
	if len(s.found) == 0 {
		return 0
	}
	if len(s.answering) > 0 && s.models.Sure.Weights != nil {
		return sigmoid(s.models.Sure.logit(append(s.judged(), s.answering[0])))
	}
	return sigmoid(s.models.Gate.logit(s.judged()))
}

// judged are the gate's features.
func (s *search) judged() []float64 {
	best := s.found[0]
	margin := 1.0
	for _, c := range s.found[1:] {
		if s.x.passages[c.at].doc != s.x.passages[best.at].doc {
			margin = min(margin, (best.score-c.score)/4)
			break
		}
	}
	sure, odd := s.unknownKinds()
	plain := 0
	for _, t := range s.q.terms {
		plain += int(bit(!t.late))
	}
	return append(append([]float64(nil), best.features...),
		best.score/4, margin, sure, odd, s.absentRare(), s.absent(),
		bit(plain == 0), bit(plain == 1), clamp(float64(plain)/8, 0, 1), s.outside)
}

// unknownKinds says whether the message holds an unknown name that can be
// nothing else, and one that may be a name.
func (s *search) unknownKinds() (sure, odd float64) {
	for _, n := range s.names {
		if n.unknown {
			sure = max(sure, bit(n.sure))
			odd = max(odd, bit(!n.sure))
		}
	}
	return sure, odd
}

// absent is the share of the message's words that nothing in scope holds.
func (s *search) absent() float64 {
	absent, total := 0.0, 0.0
	for i, t := range s.q.terms {
		total += s.weight(i)
		if !s.held(t.stem) {
			absent += s.weight(i)
		}
	}
	return absent / max(total, 1e-9)
}

// absentRare is the rarity of the rarest word of the message that nothing in
// scope holds.
func (s *search) absentRare() float64 {
	rarest := 0.0
	for i := range s.q.terms {
		if t := &s.q.terms[i]; !t.late && !s.held(t.stem) {
			rarest = max(rarest, s.x.rarity(t.word))
		}
	}
	return rarest
}

// Logit is the model's raw score for features under the given names.
func (m Model) Logit(names []string, features []float64) float64 {
	if err := m.bind(names); err != nil {
		return 0
	}
	return m.logit(features)
}

// Probability is the model's answer for features under the given names.
func (m Model) Probability(names []string, features []float64) float64 {
	if err := m.bind(names); err != nil {
		return 0
	}
	return sigmoid(m.logit(features))
}
