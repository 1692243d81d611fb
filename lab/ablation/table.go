package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

// fired counts the false and the true claims of one kind that a rule speaks against.
type fired struct{ false_, true_ int }

// table says how often each rule speaks, and what the cascade is worth without it.
func table(ctx context.Context, c nli.Calibration, contrast, natural *set) (string, error) {
	onContrast, onNatural := contrast.fires(), natural.fires()
	names := slices.Collect(maps.Keys(onContrast))
	names = slices.AppendSeq(names, maps.Keys(onNatural))
	slices.Sort(names)
	names = slices.Compact(names)

	var b strings.Builder
	b.WriteString("| rule | contrast: false, true | natural: false, true | AUROC, contrast | natural |" +
		" contrast: true at 1 % false | 5 % | at release: true, false | natural: true at 1 % false | 5 % | at " +
		"release: true, false |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(name, counts string, without ...string) error {
		rules := entail.NewRules().Without(without...)
		good, bad, err := contrast.scores(ctx, rules, c)
		if err != nil {
			return err
		}
		naturalGood, naturalBad, err := natural.scores(ctx, rules, c)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "| %s | %s | %.4f | %.4f | %s | %s |\n", name, counts, entail.AUROC(good, bad),
			entail.AUROC(naturalGood, naturalBad),
			accepted(good, bad, c.Release), accepted(naturalGood, naturalBad, c.Release))
		return nil
	}
	if err := row("all rules", "| "); err != nil {
		return "", err
	}
	for _, name := range names {
		x, y := onContrast[name], onNatural[name]
		counts := fmt.Sprintf("%d, %d | %d, %d", x.false_, x.true_, y.false_, y.true_)
		if err := row("without "+name, counts, name); err != nil {
			return "", err
		}
	}
	err := row("no rule", "| ", names...)
	return b.String(), err
}

// fires counts by rule the claims that the rule speaks against.
func (s *set) fires() map[string]fired {
	out, rules := map[string]fired{}, entail.NewRules()
	for i, p := range s.pairs {
		for _, name := range rules.Found(p) {
			n := out[name]
			if s.true_[i] {
				n.true_++
			} else {
				n.false_++
			}
			out[name] = n
		}
	}
	return out
}

// scores are those of the cascade behind some rules, of what is true and of what is not.
func (s *set) scores(ctx context.Context, rules *entail.Rules, c nli.Calibration) (good, bad []float64, err error) {
	verdicts, err := rules.Verify(ctx, s.pairs)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range verdicts {
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
	return good, bad, nil
}

// accepted are the shares of the true where 1 and 5 % of the false are accepted, and those
// of the true and the false from the release's line on.
func accepted(good, bad []float64, release float64) string {
	one, five := entail.Threshold(bad, 0.01), entail.Threshold(bad, 0.05)
	above := func(line float64) func(float64) bool { return func(s float64) bool { return s > line } }
	from := func(s float64) bool { return s >= release }
	return fmt.Sprintf("%.3f | %.3f | %.3f, %.3f", share(good, above(one)), share(good, above(five)), share(good, from),
		share(bad, from))
}

func share(scores []float64, passes func(float64) bool) float64 {
	n := 0
	for _, s := range scores {
		if passes(s) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(scores)))
}
