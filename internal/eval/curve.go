package eval

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Curve is what a threshold on the confidence would do: how many known questions
// are answered rightly, and how many that should be refused are.
type Curve struct {
	AUROC   float64  `json:"auroc"` // of the confidence: known against the kinds to refuse
	Against []string `json:"against"`
	Points  []Point  `json:"points"`
	Bins    []Bin    `json:"bins"`
	ECE     float64  `json:"calibration_error"`
}

// Point is one threshold. Below the shipped one nothing was said; there a known
// question counts as right by the best evidence that was found for it.
type Point struct {
	Threshold  float64 `json:"threshold"`
	KnownRight float64 `json:"known_right"`
	Refused    float64 `json:"refused"`
}

// refuseKinds are the kinds whose questions nobody here can answer.
var refuseKinds = []string{"fake", "private", "unknown"}

type judged struct {
	confidence float64
	right      bool // known: answered rightly; to be refused: refused whatever the threshold
}

// curveOf needs known cases and cases to refuse, and is nil without.
func curveOf(outcomes []Outcome) *Curve {
	var known, refuse []judged
	c := &Curve{Against: []string{}}
	for i := range outcomes {
		o := &outcomes[i]
		switch {
		case o.Reply == nil:
		case o.Case.Kind == "known":
			known = append(known, judged{o.Reply.Confidence, o.wouldBeRight()})
		case slices.Contains(refuseKinds, o.Case.Kind):
			refuse = append(refuse, judged{o.Reply.Confidence, refused(o.Reply) && !gated(o.Reply)})
			if !slices.Contains(c.Against, o.Case.Kind) {
				c.Against = append(c.Against, o.Case.Kind)
			}
		}
	}
	if len(known) == 0 || len(refuse) == 0 {
		return nil
	}
	slices.Sort(c.Against)
	for step := range 20 {
		c.Points = append(c.Points, pointAt(float64(step)/20, known, refuse))
	}
	c.AUROC = auroc(known, refuse)
	c.Bins, c.ECE = reliability(known, refuse)
	return c
}

// wouldBeRight says whether the answer was right, or would have been had the gate
// let it through.
func (o *Outcome) wouldBeRight() bool {
	if o.Passed() || !gated(o.Reply) {
		return o.Passed()
	}
	return len(o.Prompts) > 0 && matches(o.Case.expect, o.Prompts[0])
}

// gated says whether a reply was refused for its confidence, and so would not
// have been at a lower threshold.
func gated(r *schema.Reply) bool {
	return r.Status == schema.StatusUnknown &&
		(r.Reason == schema.ReasonLowConfidence || r.Reason == schema.ReasonUnknownName ||
			r.Reason == schema.ReasonNoEvidence)
}

func pointAt(threshold float64, known, refuse []judged) Point {
	right, held := 0, 0
	for _, k := range known {
		if k.confidence >= threshold && k.right {
			right++
		}
	}
	for _, r := range refuse {
		if r.confidence < threshold || r.right {
			held++
		}
	}
	return Point{Threshold: threshold, KnownRight: share(right, len(known)), Refused: share(held, len(refuse))}
}

// auroc is the probability that a known question has the higher confidence, ties
// counted half.
func auroc(known, refuse []judged) float64 {
	below := make([]float64, 0, len(refuse))
	for _, r := range refuse {
		below = append(below, r.confidence)
	}
	slices.Sort(below)
	sum := 0.0
	for _, k := range known {
		less, found := slices.BinarySearch(below, k.confidence)
		equal := 0
		for found && less+equal < len(below) && below[less+equal] == k.confidence {
			equal++
		}
		sum += float64(less) + float64(equal)/2
	}
	return sum / float64(len(known)*len(refuse))
}

func (c *Curve) write(w io.Writer) {
	fmt.Fprintf(w, "  confidence: AUROC %.3f, known against %v; below the shipped threshold, right by the best "+
		"evidence found\n", c.AUROC, c.Against)
	fmt.Fprintf(w, "  %9s %14s %10s\n", "threshold", "known right", "refused")
	for _, p := range c.Points {
		fmt.Fprintf(w, "  %9.2f %12.1f %% %8.1f %%\n", p.Threshold, 100*p.KnownRight, 100*p.Refused)
	}
	c.writeBins(w)
}

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
