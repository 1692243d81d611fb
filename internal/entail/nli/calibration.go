package nli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/internal/entail"
)

// Calibration is what makes a model's answers a verdict: the scale of its scores,
// the thresholds, and the curve that justifies them. It belongs to one weights
// file and is written by the calibrate command.
type Calibration struct {
	Weights    string            `json:"weights_sha256"`
	Pairs      int               `json:"pairs"`      // with known labels that it was measured on
	FalseRate  float64           `json:"false_rate"` // of the unsupported pairs, how many the threshold may accept
	AUROC      float64           `json:"auroc"`      // of the whole cascade
	Scale      entail.Scale      `json:"scale"`      // to P(supported)
	Thresholds entail.Thresholds `json:"thresholds"` // as shipped
	// Release is the score from which an NPC may say a sentence: far above the
	// threshold of a verdict, for a player who is told something false cannot be
	// untold. ReleaseRate is its rate of false accepts among ReleasePairs unsupported ones.
	Release      float64 `json:"release_threshold"`
	ReleaseRate  float64 `json:"release_rate"`
	ReleasePairs int     `json:"release_pairs"`

	Curve    []Point `json:"curve"`       // what other thresholds would do
	Reliable []Bin   `json:"reliability"` // what scores are worth
}

// Point is what one threshold does.
type Point struct {
	Threshold float64 `json:"threshold"`
	False     float64 `json:"false_accepted"`
	True      float64 `json:"supported_accepted"`
}

// Bin is what scores of about that size are worth.
type Bin struct {
	Score float64 `json:"score"`     // their mean
	True  float64 `json:"supported"` // the share that was supported
	N     int     `json:"pairs"`
}

//go:generate make -C ../../.. calibration

//go:embed calibration.json
var calibrationFile []byte

// calibrationOf is the calibration that ships, where it belongs to these weights.
// Uncalibrated scores would be guesses, so other weights are refused.
func calibrationOf(weights string) (Calibration, error) {
	c, err := readCalibration(calibrationFile)
	if err != nil {
		return c, err
	}
	if c.Weights != weights {
		return c, fmt.Errorf("calibration.json belongs to weights %.12s…, these are %.12s…; run go generate "+
			"./internal/entail/nli", c.Weights, weights)
	}
	return c, nil
}

func readCalibration(data []byte) (Calibration, error) {
	var c Calibration
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("calibration.json: %w", err)
	}
	if err := c.Thresholds.Check(); err != nil {
		return c, fmt.Errorf("calibration.json: %w", err)
	}
	if c.Thresholds.Entailment == 0 || c.Scale.Slope <= 0 || math.IsNaN(c.Scale.Shift) || !(c.Scale.Doubt <= 0) {
		return c, fmt.Errorf("calibration.json: its scale or its threshold is missing, or a doubt raises a score")
	}
	return c, nil
}
