package deed

import (
	_ "embed"
	"encoding/json"
	"math"
	"sync"
)

// Fit is the three models with the thresholds, as lab/deedfit writes them.
type Fit struct {
	Asks       Model      `json:"asks"`  // does the message ask for a deed?
	Value      Model      `json:"value"` // does it name this value of a parameter?
	Meant      Model      `json:"meant"` // does it ask for this action?
	Thresholds Thresholds `json:"thresholds"`
	Encoder    string     `json:"encoder"` // whose vectors it was fitted on
}

// Thresholds are the probabilities from which something is done.
type Thresholds struct {
	Act     float64 `json:"act"`      // the action is taken
	Unclear float64 `json:"unclear"`  // it is asked back, or refused
	NotMine float64 `json:"not_mine"` // it is said to be none of the actions
	Loose   float64 `json:"loose"`    // asked back although the form is not that of a request
	Value   float64 `json:"value"`    // a value counts as named
}

// Model is a logistic model.
type Model struct {
	Weights []float64 `json:"weights"`
	Bias    float64   `json:"bias"`
}

// Probability is what the model says of an example.
func (m Model) Probability(x []float64) float64 {
	sum := m.Bias
	for i := range min(len(x), len(m.Weights)) {
		sum += m.Weights[i] * x[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

//go:embed fit.json
var fitted []byte

// shipped is the fit of this binary.
var shipped = sync.OnceValue(func() Fit {
	var f Fit
	if err := json.Unmarshal(fitted, &f); err != nil {
		panic("internal/deed/fit.json: " + err.Error())
	}
	return f
})

// FittedOn is the encoder whose vectors the fit that ships was made of.
func FittedOn() string { return shipped().Encoder }
