package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

// outcome is a confidence and what came of it.
type outcome struct {
	p     float64
	right bool
	n     float64
	set   string
}

func bucket(group string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(group)) // a hash takes every write
	return int(h.Sum32() % folds)
}

// auroc is the chance that a right one has the higher confidence.
func auroc(os []outcome) float64 {
	sum, pairs := 0.0, 0.0
	for _, a := range os {
		for _, b := range os {
			if a.right && !b.right {
				pairs++
				switch {
				case a.p > b.p:
					sum++
				case a.p == b.p:
					sum += 0.5
				}
			}
		}
	}
	return sum / max(pairs, 1)
}

func brier(os []outcome) float64 {
	sum, n := 0.0, 0.0
	for _, o := range os {
		y := 0.0
		if o.right {
			y = 1
		}
		sum += o.n * (o.p - y) * (o.p - y)
		n += o.n
	}
	return sum / max(n, 1e-9)
}

// reliability is the curve in tenths, weighed as the gate was fitted.
func reliability(os []outcome) []retrieval.Reliable {
	out := make([]retrieval.Reliable, 10)
	weight := make([]float64, 10)
	for i := range out {
		out[i].From, out[i].To = float64(i)/10, float64(i+1)/10
	}
	for _, o := range os {
		k := min(9, int(o.p*10))
		r := &out[k]
		r.N++
		weight[k] += o.n
		r.Said += o.n * o.p
		if o.right {
			r.Right += o.n
		}
	}
	for i := range out {
		if weight[i] > 0 {
			out[i].Said, out[i].Right = round(out[i].Said/weight[i]), round(out[i].Right/weight[i])
		}
	}
	return out
}

func round(v float64) float64 { return float64(int(v*1000+0.5)) / 1000 }

// measured is a case of a suite as the index answers it.
type measured struct {
	ask
	p     float64
	rank  int // of the first right document, 0 for none
	found retrieval.Explanation
}

// measureSuite prints how a suite's questions fare: the rank of the right
// document, and the whole curve of the gate.
func measureSuite(
	ctx context.Context, name, dir, path, temp string, opts options, f *retrieval.Fitted, verbose bool,
) error {
	s, err := openSet(ctx, name, dir, temp, opts)
	if err != nil {
		return err
	}
	if f != nil {
		if err := s.index.Use(*f); err != nil {
			return err
		}
	}
	if s.asks, err = readSuite(path); err != nil {
		return err
	}
	var all []measured
	for _, a := range s.asks {
		e, err := s.explain(ctx, a)
		if err != nil {
			return err
		}
		m := measured{ask: a, p: e.Confidence, found: e}
		docs := map[string]bool{}
		for _, c := range e.Candidates {
			docs[c.Path] = true
			if m.rank == 0 && a.answersRight(c.Path) {
				m.rank = len(docs)
			}
		}
		all = append(all, m)
	}
	fmt.Printf("\n%s over %s\n", path, dir)
	printRanks(all)
	printCurve(all)
	if verbose {
		printCases(all)
	}
	return nil
}

func printRanks(all []measured) {
	var n, one, three, eight int
	for _, m := range all {
		if m.kind != "known" {
			continue
		}
		n++
		if m.rank > 0 {
			one += b2i(m.rank <= 1)
			three += b2i(m.rank <= 3)
			eight += b2i(m.rank <= 8)
		}
	}
	if n > 0 {
		fmt.Printf("right document among the first 1 / 3 / 8: %.1f / %.1f / %.1f %% of %d known\n", pc(one, n), pc(three, n),
			pc(eight, n), n)
	}
	var against []outcome
	for _, m := range all {
		switch m.kind {
		case "known":
			against = append(against, outcome{p: m.p, right: true})
		case "fake", "private", "unknown":
			against = append(against, outcome{p: m.p})
		}
	}
	asked := 0
	for _, m := range all {
		asked += b2i(len(m.found.Answers) > 0)
	}
	fmt.Printf("the trained judgement was asked for %.1f %% of %d\n", pc(asked, len(all)), len(all))
	fmt.Printf("known against fake, private and unknown: AUROC %.3f\n", auroc(against))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func pc(a, n int) float64 { return 100 * float64(a) / float64(max(n, 1)) }

// printCurve prints, for each threshold, the known answered with the right
// document first (and among the first three), and the share refused of each
// other kind.
func printCurve(all []measured) {
	var kinds []string
	for _, m := range all {
		if !slices.Contains(kinds, m.kind) && m.kind != "known" {
			kinds = append(kinds, m.kind)
		}
	}
	fmt.Printf("threshold  passed  right@1  right@3")
	for _, k := range kinds {
		fmt.Printf("  %s refused", k)
	}
	fmt.Println()
	for t := 0.05; t < 0.96; t += 0.05 {
		var known, passed, one, three int
		refused, total := map[string]int{}, map[string]int{}
		for _, m := range all {
			if m.kind != "known" {
				total[m.kind]++
				refused[m.kind] += b2i(m.p < t)
				continue
			}
			known++
			if m.p >= t {
				passed++
				one += b2i(m.rank == 1)
				three += b2i(m.rank > 0 && m.rank <= 3)
			}
		}
		fmt.Printf("     %.2f   %5.1f    %5.1f    %5.1f", t, pc(passed, known), pc(one, known), pc(three, known))
		for _, k := range kinds {
			fmt.Printf("  %*.1f", len(k)+8, pc(refused[k], total[k]))
		}
		fmt.Println()
	}
}

func printCases(all []measured) {
	slices.SortFunc(all, func(a, b measured) int { return strings.Compare(a.kind, b.kind) })
	for _, m := range all {
		fmt.Printf("%-13s %.2f rank %d %s: %s", m.kind, m.p, m.rank, m.npc, m.message)
		if len(m.found.Unknown) > 0 {
			fmt.Printf(" UNKNOWN %q", m.found.Unknown)
		}
		if len(m.found.Answers) > 0 {
			fmt.Printf(" ANSWERS %.2f", m.found.Answers)
		}
		for i, c := range m.found.Candidates {
			if i < 2 {
				fmt.Printf(" | %s %.1f", c.Path, c.Score)
			}
		}
		fmt.Println()
	}
}
