package eval

import (
	"fmt"
	"io"
	"math"
)

// reliabilityBins is how many equal steps of confidence are told apart.
const reliabilityBins = 10

// Bin is a step of confidence with what was right in it: a calibrated confidence
// is right as often as it says.
type Bin struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	N          int     `json:"n"`
	Confidence float64 `json:"confidence"` // their mean
	Right      float64 `json:"right"`      // the share whose top evidence answers; never so where nobody can answer
}

// reliability sorts the judged questions into bins; empty ones are left out. The
// second value is the expected calibration error: the mean gap between what the
// confidence says and what is right, weighed by the questions.
func reliability(known, refuse []judged) ([]Bin, float64) {
	bins := make([]Bin, reliabilityBins)
	put := func(confidence float64, right bool) {
		b := &bins[min(reliabilityBins-1, max(0, int(confidence*reliabilityBins)))]
		b.N++
		b.Confidence += confidence
		if right {
			b.Right++
		}
	}
	for _, k := range known {
		put(k.confidence, k.right)
	}
	for _, r := range refuse {
		put(r.confidence, false)
	}
	out, ece := []Bin{}, 0.0
	for i, b := range bins {
		if b.N == 0 {
			continue
		}
		b.From, b.To = float64(i)/reliabilityBins, float64(i+1)/reliabilityBins
		b.Confidence /= float64(b.N)
		b.Right /= float64(b.N)
		ece += math.Abs(b.Confidence-b.Right) * float64(b.N) / float64(len(known)+len(refuse))
		out = append(out, b)
	}
	return out, ece
}

func (c *Curve) writeBins(w io.Writer) {
	fmt.Fprintf(w, "  calibration: expected error %.3f\n  %11s %9s %11s %9s\n", c.ECE, "confidence", "questions", "mean",
		"right")
	for _, b := range c.Bins {
		fmt.Fprintf(w, "  %5.1f – %3.1f %9d %11.2f %7.1f %%\n", b.From, b.To, b.N, b.Confidence, 100*b.Right)
	}
}
