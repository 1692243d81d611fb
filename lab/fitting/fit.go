package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/review"
)

// Bounds of the fit.
const (
	steps  = 4000
	rate   = 0.05
	ridge  = 0.01 // weight decay, so that a rare feature does not run away
	nobody = 2.0  // a line that nothing reaches
)

// prices are the shares of false sentences that a level may let through, without a judge
// and with one that has shown skill.
var prices = map[grounding.Level]struct{ alone, judged float64 }{
	grounding.Strict: {0.001, 0.003}, grounding.Balanced: {0.01, 0.009}, grounding.Lively: {0.07, 0.015},
}

// strictMargin is the part of the way to certainty by which the strict line lies above the
// last false sentence: a few hundred sentences cannot show one in a thousand.
const strictMargin = 0.2

// What the lines with a judge allow for. On the shipped pairs, which are harder than
// speech, an answer in twenty is wrong: judgeShift is the log of the likelihood ratio
// that such a judge has shown. Of its sure answers about natural speech, judgeWrong are.
const (
	judgeShift = 2.7
	judgeWrong = 0.01
)

// fitted is the logistic regression of P(supported) over the claims, with its lines.
func fitted(cases []one) review.Fit {
	claims := only(cases, func(c one) bool { return c.Label != llmtest.NoClaim && !c.Vetoed })
	mean, scale := moments(claims)
	w, bias := make([]float64, len(mean)), 0.0
	for range steps {
		grad, gradBias := make([]float64, len(w)), 0.0
		for _, c := range claims {
			z := bias
			for i := range w {
				z += w[i] * (c.X[i] - mean[i]) / scale[i]
			}
			miss := 1/(1+math.Exp(-z)) - truth(c)
			gradBias += miss
			for i := range w {
				grad[i] += miss * (c.X[i] - mean[i]) / scale[i]
			}
		}
		n := float64(len(claims))
		bias -= rate * gradBias / n
		for i := range w {
			w[i] -= rate * (grad[i]/n + ridge*w[i])
		}
	}
	f := review.Fit{Bias: bias, Weights: map[string]float64{}, Alone: map[grounding.Level]review.Line{},
		Judged: map[grounding.Level]review.Line{}}
	for i, name := range review.FeatureNames() {
		f.Weights[name] = round(w[i] / scale[i])
		f.Bias -= w[i] / scale[i] * mean[i]
	}
	f.Bias = round(f.Bias)
	f.Claim = claimLine(cases)
	f.AtOnce = atOnce(&f, cases)
	for level, price := range prices {
		f.Alone[level] = lineAt(&f, cases, price.alone, 0)
		f.Judged[level] = lineAt(&f, cases, price.judged, judgeWrong)
	}
	strict := f.Alone[grounding.Strict]
	strict.Score = round(strict.Score + strictMargin*max(0, 1-strict.Score))
	strict.True, strict.False = spokenAt(&f, cases, strict.Score)
	f.Alone[grounding.Strict] = strict
	return f
}

func truth(c one) float64 {
	if c.Label == llmtest.Supported {
		return 1
	}
	return 0
}

func only(cases []one, keep func(one) bool) []one {
	return slices.DeleteFunc(slices.Clone(cases), func(c one) bool { return !keep(c) })
}

func moments(cases []one) (mean, scale []float64) {
	n := len(review.FeatureNames())
	mean, scale = make([]float64, n), make([]float64, n)
	for _, c := range cases {
		for i := range n {
			mean[i] += c.X[i] / float64(len(cases))
		}
	}
	for _, c := range cases {
		for i := range n {
			scale[i] += (c.X[i] - mean[i]) * (c.X[i] - mean[i]) / float64(len(cases))
		}
	}
	for i := range n {
		if scale[i] = math.Sqrt(scale[i]); scale[i] < 1e-6 { // it is the same everywhere
			scale[i] = 1
		}
	}
	return mean, scale
}

// falseClaims is the share of false claims that may pass as no claim at all.
const falseClaims = 0.002

// claimLine is P(world) from which a sentence needs proof: the highest at which hardly
// any unsupported claim is taken for a feeling.
func claimLine(cases []one) float64 {
	var false_ []float64
	for _, c := range cases {
		if c.Label == llmtest.Unsupported && !c.Vetoed {
			false_ = append(false_, worldOf(c))
		}
	}
	slices.Sort(false_)
	if len(false_) == 0 {
		return 0
	}
	return round(false_[int(falseClaims*float64(len(false_)))] * 0.999)
}

// firstAsked is the share of first sentences that a judge is asked about at once.
const firstAsked = 0.22

// atOnce is the score that this share of the first sentences reaches.
func atOnce(f *review.Fit, cases []one) float64 {
	var scores []float64
	for _, c := range cases {
		if c.First && !c.Vetoed {
			scores = append(scores, f.Score(c.X))
		}
	}
	slices.Sort(scores)
	if len(scores) == 0 {
		return nobody
	}
	return round(scores[int((1-firstAsked)*float64(len(scores)))])
}

// worldOf is P(world) of a sentence, out of its feature.
func worldOf(c one) float64 { return 1 / (1 + math.Exp(-c.X[review.WorldFeature])) }

// lineAt is the lowest score at which at most a share of the false claims is spoken. With
// a judge, each claim carries the evidence of an answer that is right but for a share.
func lineAt(f *review.Fit, cases []one, price, wrong float64) review.Line {
	type scored struct{ yes, no, yesShare, truth float64 }
	var all []scored
	n := [2]float64{}
	for _, c := range cases {
		if c.Label == llmtest.NoClaim {
			continue
		}
		n[int(truth(c))]++
		if c.Vetoed || worldOf(c) < f.Claim {
			continue
		}
		p := f.Score(c.X)
		s := scored{yes: p, no: p, yesShare: 1, truth: truth(c)}
		if wrong > 0 {
			s.yes, s.no = review.Shifted(p, judgeShift), review.Shifted(p, -judgeShift)
			s.yesShare = math.Abs(truth(c)-1) * wrong
			if s.truth == 1 {
				s.yesShare = 1 - wrong
			}
		}
		all = append(all, s)
	}
	best := review.Line{Score: nobody}
	for line := 0.995; line > 0.02; line -= 0.005 {
		spoken := [2]float64{}
		for _, s := range all {
			k := int(s.truth)
			if s.yes >= line {
				spoken[k] += s.yesShare
			}
			if s.no >= line {
				spoken[k] += 1 - s.yesShare
			}
		}
		if spoken[0]/n[0] > price {
			break
		}
		best = review.Line{Score: round(line), True: round(spoken[1] / n[1]), False: round(spoken[0] / n[0])}
	}
	return best
}

// spokenAt are the shares of the true and of the false claims that reach a line.
func spokenAt(f *review.Fit, cases []one, line float64) (true_, false_ float64) {
	var n, spoken [2]float64
	for _, c := range cases {
		if c.Label == llmtest.NoClaim {
			continue
		}
		k := int(truth(c))
		n[k]++
		if !c.Vetoed && f.Score(c.X) >= line {
			spoken[k]++
		}
	}
	return round(spoken[1] / n[1]), round(spoken[0] / n[0])
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// tell prints what a fit is worth on some speeches.
func tell(what string, f *review.Fit, cases []one) {
	var good, bad []float64
	passed := map[string][2]float64{}
	for _, c := range cases {
		k := passed[c.Label]
		k[1]++
		if worldOf(c) < f.Claim && !c.Vetoed {
			k[0]++
		}
		passed[c.Label] = k
		switch c.Label {
		case llmtest.Supported:
			good = append(good, f.Score(c.X))
		case llmtest.Unsupported:
			bad = append(bad, f.Score(c.X))
		}
	}
	fmt.Printf("%s %d sentences: AUROC %.3f\n", what, len(cases), auroc(good, bad))
	for _, label := range []string{llmtest.Supported, llmtest.Unsupported, llmtest.NoClaim} {
		fmt.Printf("  taken for no claim: %s %.3f of %.0f\n", label, passed[label][0]/passed[label][1], passed[label][1])
	}
	for _, level := range grounding.Levels {
		l, j := f.Alone[level], f.Judged[level]
		fmt.Printf("  %-9s line %.3f: true %.3f, false %.3f; with a judge %.3f: %.3f, %.4f\n", level, l.Score,
			above(good, l.Score), above(bad, l.Score), j.Score, j.True, j.False)
	}
}

func above(scores []float64, line float64) float64 {
	n := 0.0
	for _, s := range scores {
		if s >= line {
			n++
		}
	}
	return n / float64(max(1, len(scores)))
}

func auroc(good, bad []float64) float64 {
	sum := 0.0
	for _, g := range good {
		for _, b := range bad {
			switch {
			case g > b:
				sum++
			case g == b:
				sum += 0.5
			}
		}
	}
	return sum / float64(max(1, len(good)*len(bad)))
}
