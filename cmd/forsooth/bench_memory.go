package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/memory/sayings"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type benchMemoryCmd struct {
	File  string `arg:"" help:"Sayings with what is to be kept of each, one a line." placeholder:"FILE.jsonl"`
	Pairs string `help:"Also hold the matcher against pairs that people judged." placeholder:"FILE.jsonl"`
	Show  bool   `help:"Also print each fact that was missed, and each invention."`
}

// remembered is what the bench prints.
type remembered struct {
	bench.Measured
	Sayings sayings.Figures              `json:"sayings"`
	Matcher map[string]sayings.Agreement `json:"matcher,omitempty"`
}

// The bars of docs/memory.md.
const (
	leastRecall  = 0.85
	mostInvented = 0
)

// Run measures what extraction and Guard 1 keep of sayings.
func (c *benchMemoryCmd) Run(e *env) error {
	list, err := readSayings[sayings.Saying](c.File)
	if err != nil {
		return usage(err)
	}
	var pairs []sayings.Pair
	if c.Pairs != "" {
		if pairs, err = readSayings[sayings.Pair](c.Pairs); err != nil {
			return usage(err)
		}
	}
	tiers, err := e.verifier()
	if err != nil {
		return err
	}
	verifier := scan.Entail(tiers)
	guard, err := write.New(write.DefaultSettings(), verifier, nil)
	if err != nil {
		return failed(err)
	}
	out := remembered{Measured: bench.Measured{Bench: "memory"}}
	if out.Sayings, err = sayings.Measure(e.ctx, sayings.Guard{Guard: guard, Verifier: verifier}, list); err != nil {
		return failed(err)
	}
	out.Figures = figuresOf(&out.Sayings)
	for _, of := range []string{"keep", "not"} {
		a, err := sayings.Agree(e.ctx, sayings.Matcher{Verifier: verifier}, pairs, of)
		if err != nil {
			return failed(err)
		}
		if a.Pairs == 0 {
			continue
		}
		if out.Matcher == nil {
			out.Matcher = map[string]sayings.Agreement{}
		}
		out.Matcher[of] = a
		out.Figures = append(out.Figures, bench.Plain("matcher agrees, "+of, a.Share(), "share"))
	}
	return e.remembered(out, c.Show)
}

func readSayings[T any](name string) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	list, err := sayings.Read[T](name, f)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: holds no line", name)
	}
	return list, err
}

func figuresOf(f *sayings.Figures) []bench.Figure {
	of := func(n, all int) float64 {
		if all == 0 {
			return 0
		}
		return float64(n) / float64(all)
	}
	return []bench.Figure{
		bench.AtLeast("facts recalled", f.Recall(), "share", leastRecall),
		bench.AtMost("invented", float64(f.Invented), "memories", mostInvented),
		bench.Plain("hedges kept", of(f.Hedges, f.Hedged), "share"),
		bench.Plain("times kept", of(f.Times, f.Dated), "share"),
		bench.Plain("questions answered", of(f.Answered, f.Asked), "share"),
		bench.Plain("candidates", float64(f.Candidates), ""),
		bench.Plain("supported", float64(f.Verdicts[schema.GroundingSupported]), ""),
		bench.Plain("partial", float64(f.Verdicts[schema.GroundingPartial]), ""),
		bench.Plain("refused", float64(f.Verdicts[schema.GroundingNotSupported]), ""),
		bench.Plain("stored", float64(f.Stored), "memories"),
	}
}

func (e *env) remembered(r remembered, show bool) error {
	if e.json {
		r.Missed = bench.Missed(r.Figures)
		return e.printJSON(r)
	}
	if err := e.measured(r.Measured); err != nil {
		return err
	}
	for _, why := range slices.Sorted(maps.Keys(r.Sayings.Why)) {
		fmt.Fprintf(e.out, "  %5d %s\n", r.Sayings.Why[why], why)
	}
	if !show {
		return nil
	}
	for _, m := range r.Sayings.Missed {
		fmt.Fprintln(e.out, "missed   "+m)
	}
	for _, m := range r.Sayings.Inventions {
		fmt.Fprintln(e.out, "invented "+m)
	}
	return nil
}
