package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

// figures are the calibration as Markdown.
func figures(c nli.Calibration) string {
	var b strings.Builder
	at := c.Thresholds
	fmt.Fprintf(&b, "Rules and model together, on %d pairs with known labels, weights `%.12s…`: AUROC %.3f, "+
		"supported against the rest.\n", c.Pairs, c.Weights, c.AUROC)
	ships, _ := pointAt(c, at.Entailment)
	fmt.Fprintf(&b, "At the threshold that ships %s of the unsupported are accepted, and %s of the supported.\n",
		percent(ships.False), percent(ships.True))
	fmt.Fprintf(&b, "The score of a pair that the model decides is 1 / (1 + exp(−(%.4g · logit %+.4g))), logit "+
		"being that of its entailment; a rule's doubt adds %.4g.\n\n", c.Scale.Slope, c.Scale.Shift, c.Scale.Doubt)
	b.WriteString("| threshold | value | a pair … | chosen |\n|---|---|---|---|\n")
	for _, r := range [][4]string{
		{"`entailment_threshold`", number(at.Entailment), "is supported from this score",
			fmt.Sprintf("so that at most %s of the unsupported pairs pass the whole cascade", percent(c.FalseRate))},
		{"doubted", number(at.Doubted), "that a rule doubts is supported from this score",
			"the same among the doubted pairs, and never below the one above"},
		{"`contradiction_threshold`", number(at.Contradiction), "is contradicted from this probability",
			"so that at most 2 % of the supported would be, and at least 0.5"},
		{"ambiguous", number(at.Ambiguous), "is worth another tier's look from this score; below it the refusal is final",
			"by hand"},
	} {
		b.WriteString("| " + strings.Join(r[:], " | ") + " |\n")
	}
	b.WriteString("\n![What scores are worth, and what thresholds let through](" + plotName + ")\n\n")
	b.WriteString("| accepted from | supported accepted | others accepted |\n|---|---|---|\n")
	for _, p := range c.Curve {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", fixed(p.Threshold), percent(p.True), percent(p.False))
	}
	b.WriteString("\n| mean score of a tenth of the pairs | of them supported | pairs |\n|---|---|---|\n")
	for _, r := range c.Reliable {
		fmt.Fprintf(&b, "| %.2f | %.2f | %d |\n", r.Score, r.True, r.N)
	}
	return b.String()
}

// pointAt is the point of the curve at a threshold.
func pointAt(c nli.Calibration, t float64) (nli.Point, bool) {
	for _, p := range c.Curve {
		if math.Abs(p.Threshold-t) < 1e-9 {
			return p, true
		}
	}
	return nli.Point{}, false
}

func percent(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*x), ".0") + " %"
}

func number(x float64) string { return fmt.Sprintf("%.3f", x) }

// fixed is a threshold with two places, or three where it has them.
func fixed(x float64) string {
	s := number(x)
	return strings.TrimSuffix(s, "0")
}
