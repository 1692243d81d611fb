package main

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/measure"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

// table says how often each rule fires, and what the cascade is worth without it.
func table(c nli.Calibration, contrast, natural *set) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| rule | contrast: false, true | natural: false, true | decides: false, true | AUROC, contrast | natural | true at 1 %% false | 5 %% | at release | natural, 1 %% | 5 %% |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(name, fires string, signs ...string) {
		good, bad := contrast.scores(c, signs)
		naturalGood, naturalBad := natural.scores(c, signs)
		fmt.Fprintf(&b, "| %s | %s | %.4f | %.4f | %.3f | %.3f | %.3f | %.3f | %.3f |\n", name, fires, measure.AUROC(good, bad), measure.AUROC(naturalGood, naturalBad),
			accepted(good, bad, 0.01), accepted(good, bad, 0.05), reach(good, c.Release), accepted(naturalGood, naturalBad, 0.01), accepted(naturalGood, naturalBad, 0.05))
	}
	row("all rules", "| | ")
	for _, sign := range entail.Signs() {
		f, t, fd, td := contrast.fires(sign)
		nf, nt, nfd, ntd := natural.fires(sign)
		row("without "+sign, fmt.Sprintf("%d, %d | %d, %d | %d, %d", f, t, nf, nt, fd+nfd, td+ntd), sign)
	}
	row("no rule", "| | ", entail.Signs()...)
	return b.String()
}

// fires counts the false and the true claims that a rule speaks of, and those it decides.
func (s *set) fires(sign string) (false_, true_, falseDecided, trueDecided int) {
	for i, f := range s.found {
		found, decides := f.Has(sign)
		switch {
		case found && s.true_[i]:
			true_++
		case found:
			false_++
		}
		switch {
		case decides && s.true_[i]:
			trueDecided++
		case decides:
			falseDecided++
		}
	}
	return false_, true_, falseDecided, trueDecided
}

// scores are those of the cascade without some rules, of what is true and of what is not.
func (s *set) scores(c nli.Calibration, without []string) (good, bad []float64) {
	for i, f := range s.found {
		v := f.Without(without...)
		score := v.Score
		if !entail.Decides(v) {
			score = c.Scale.Score(s.said[i], v)
		}
		if s.true_[i] {
			good = append(good, score)
		} else {
			bad = append(bad, score)
		}
	}
	return good, bad
}

// accepted is the share of the true that is accepted where a share of the false is.
func accepted(good, bad []float64, rate float64) float64 {
	at, n := measure.Threshold(bad, rate), 0
	for _, s := range good {
		if s > at {
			n++
		}
	}
	return float64(n) / float64(max(1, len(good)))
}

// reach is the share of scores from a line on.
func reach(scores []float64, line float64) float64 {
	n := 0
	for _, s := range scores {
		if s >= line {
			n++
		}
	}
	return float64(n) / float64(max(1, len(scores)))
}
