package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/lab/sayings"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type sayingsCmd struct {
	File  string `arg:"" help:"Sayings with what is to be kept of each, one a line." placeholder:"FILE.jsonl"`
	Pairs string `help:"Also hold the matcher against pairs that a person judged." placeholder:"FILE.jsonl" type:"path"`
	Show  bool   `help:"Also print each fact that was missed, and each invention."`
	Page  string `help:"Also write the figures into this page." placeholder:"PAGE.md" type:"path"`
}

// kept is what the bench prints.
type kept struct {
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
func (c *sayingsCmd) Run(e *env) error {
	place, err := bench.PlaceIn(c.Page, sayingsMark)
	if err != nil {
		return usage(err)
	}
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
	out, err := c.measure(e, list, pairs)
	if err != nil {
		return err
	}
	if err := place.Write(out.table(filepath.Base(c.File))); err != nil {
		return err
	}
	return e.kept(out, c.Show)
}

func (c *sayingsCmd) measure(e *env, list []sayings.Saying, pairs []sayings.Pair) (kept, error) {
	out := kept{Measured: bench.Measured{Bench: "sayings, " + filepath.Base(c.File)}}
	tiers, err := app.NewVerifier(app.Verifying{})
	if err == nil {
		err = tiers.Missing
	}
	if err != nil {
		return out, dependency(fmt.Errorf("the verifier in process does not load: %w", err))
	}
	verifier := scan.Entail(tiers)
	guard, err := write.New(write.DefaultSettings(), verifier, nil)
	if err != nil {
		return out, err
	}
	if out.Sayings, err = sayings.Measure(e.ctx, sayings.Guard{Guard: guard, Verifier: verifier}, list); err != nil {
		return out, err
	}
	out.Figures = figuresOf(&out.Sayings)
	for _, of := range []string{"keep", "not"} {
		a, err := sayings.Agree(e.ctx, sayings.Matcher{Verifier: verifier}, pairs, of)
		if err != nil {
			return out, err
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
	return out, nil
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
	of := func(n, all int) float64 { return float64(n) / float64(max(all, 1)) }
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

// sayingsMark stands before the table of a page and behind it.
const sayingsMark = "<!-- sayings -->"

// table shows the figures for a page.
func (r *kept) table(file string) string {
	var table strings.Builder
	f := &r.Sayings
	fmt.Fprintf(&table, "| %d sayings of `%s` | |\n|---|---|\n", f.Sayings, file)
	row := func(name string, n, of int) {
		fmt.Fprintf(&table, "| %s | %d of %d (%.1f %%) |\n", name, n, of, 100*float64(n)/float64(max(of, 1)))
	}
	row("facts that are kept", f.Recalled, f.Keep)
	row("of the stored memories, invented", f.Invented, f.Stored)
	row("hedges that are kept", f.Hedges, f.Hedged)
	row("times that are kept", f.Times, f.Dated)
	row("later questions that a memory answers which holds a fact", f.Answered, f.Asked)
	row("candidates that Guard 1 supported", f.Verdicts[schema.GroundingSupported], f.Candidates)
	row("cut down to the words", f.Verdicts[schema.GroundingPartial], f.Candidates)
	row("refused", f.Verdicts[schema.GroundingNotSupported], f.Candidates)
	for _, of := range []string{"keep", "not"} {
		if a := r.Matcher[of]; a.Pairs > 0 {
			row("the matcher agrees with a person, pairs of `"+of+"`", a.Agreed, a.Pairs)
		}
	}
	return table.String()
}

func (e *env) kept(r kept, show bool) error {
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
