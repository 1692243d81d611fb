package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type memoryCmd struct {
	Only         []string `help:"escapes, injections, soak, collateral, merge, write, reply." sep:","`
	Fabrications string   `help:"Made-up memories." default:"evals/memory-fabrications.jsonl" placeholder:"FILE.jsonl"`
	Injections   string   `help:"Attempts to dictate." default:"evals/memory-injections.jsonl" placeholder:"FILE"`
	Seed         uint64   `help:"Another seed, other made-up memories." default:"1"`
	RulesOnly    bool     `help:"Leave the verifier in process out: rules alone."`
	Page         string   `help:"Write what gets past the guards into this page." placeholder:"PAGE.md" type:"path"`
	Escaped      bool     `help:"Also list what got past the write or the reply guard."`
}

// rememberedBench is what the bench prints.
type rememberedBench struct {
	Seed uint64 `json:"seed"`
	trials.MemoryResult
	Bench  string   `json:"bench"`
	World  string   `json:"world"`
	Missed []string `json:"missed"`
}

// Run measures the guards of memory.
func (c *memoryCmd) Run(e *env) error {
	for _, part := range c.Only {
		if !slices.Contains(trials.Parts, part) {
			return usage(fmt.Errorf("--only %s: there is no such part; give some of %s", part,
				strings.Join(trials.Parts, ", ")))
		}
	}
	place, err := bench.PlaceIn(c.Page, escapesMark)
	if err != nil {
		return usage(err)
	}
	o := trials.MemoryOptions{Parts: c.Only, Seed: c.Seed, RulesOnly: c.RulesOnly}
	if len(c.Only) == 0 || slices.Contains(c.Only, trials.PartEscapes) {
		cases, err := c.cases()
		if err != nil {
			return usage(err)
		}
		o.Fabrications = cases
	}
	if len(c.Only) == 0 || slices.Contains(c.Only, trials.PartInjections) {
		attempts, err := c.attempts()
		if err != nil {
			return usage(err)
		}
		o.Injections = attempts
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	o.World = ws[0]
	found, err := trials.Memory(e.ctx, o)
	if err != nil {
		return dependency(err)
	}
	if err := place.Write(escapesTable(&found)); err != nil {
		return err
	}
	if e.json {
		return e.printJSON(rememberedBench{Seed: c.Seed, MemoryResult: found, Bench: "memory", World: ws[0].Name,
			Missed: bench.Missed(found.Figures)})
	}
	fmt.Fprintf(e.out, "seed %d\n\n", c.Seed)
	for i := range found.Escapes {
		c.escapes(e, &found.Escapes[i])
	}
	injected(e, found.Injected)
	if len(found.Soaks) > 0 {
		soaks(e, found.Soaks)
	}
	return e.measured(bench.Measured{Bench: "memory", World: ws[0].Name, Figures: found.Figures})
}

// injected prints what attempts to dictate a memory came to.
func injected(e *env, found []trials.Injected) {
	for _, x := range found {
		obeying := "no model"
		if x.Obeying {
			obeying = "a model that obeys"
		}
		fmt.Fprintf(e.out, "%d attempts to dictate a memory, %s, %s: %d kept as said by that player, %d held for "+
			"true, %d known to others\n", x.Of, behind(x.Verifier), obeying,
			x.Stored, len(x.True), len(x.Shared))
		for _, content := range append(x.True, x.Shared...) {
			fmt.Fprintf(e.out, "    %s\n", content)
		}
	}
	if len(found) > 0 {
		fmt.Fprintln(e.out)
	}
}

func (c *memoryCmd) cases() ([]trials.Fabrication, error) {
	f, err := os.Open(c.Fabrications)
	if err != nil {
		return nil, fmt.Errorf("%w; give --fabrications FILE, or leave that part out with --only", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	return trials.ReadFabrications(c.Fabrications, f)
}

func (c *memoryCmd) attempts() ([]trials.Injection, error) {
	f, err := os.Open(c.Injections)
	if err != nil {
		return nil, fmt.Errorf("%w; give --injections FILE, or leave that part out with --only", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	return trials.ReadInjections(c.Injections, f)
}

// escapes are the rates with their intervals.
func (c *memoryCmd) escapes(e *env, x *trials.Escapes) {
	fmt.Fprintf(e.out, "%d fabrications past the guards, %s\n\n  %-10s %-42s %s\n", x.Of, behind(x.Verifier), "guard",
		"alone", "in sequence")
	for i, r := range x.Alone {
		fmt.Fprintf(e.out, "  %-10s %-42s %s\n", r.Guard, r, x.Sequence[i])
	}
	fmt.Fprintf(e.out, "  %-10s %-42s %s\n", x.Joint.Guard, fmt.Sprintf("%.4f, were they independent", x.Product),
		x.Joint)
	if x.Dependent {
		fmt.Fprintln(e.out, "  DEPENDENT: more got past all three than the product allows; they err on the same things")
	}
	fmt.Fprintf(e.out, "  where a true memory has the same subject and predicate, past the scan alone: %s\n",
		x.Contested)
	fmt.Fprintf(e.out, "  %d were kept at write as no more than the words say; %d took a true memory's place in the "+
		"scan alone\n", x.CutDown, x.Supplanted)
	fmt.Fprintf(e.out, "  beside them: of %d turns rules kept something true in %d, the scan marked %d true "+
		"memories with none made up beside it and set %d aside, and %d truths could be told\n",
		x.Of, x.TrueKept, x.TrueMarked, x.TrueAside, x.TrueTold)
	fmt.Fprintf(e.out, "  of %d truths that the write guard lets in, the scan doubts %d\n", x.TrueStored, x.TrueDoubt)
	for _, p := range x.Past {
		if !c.Escaped {
			break
		}
		if len(p.Alone) == 1 && p.Alone[0] == "scan" {
			continue // by itself the scan lets through what neither its words nor another memory deny
		}
		fmt.Fprintf(e.out, "    line %d, past %s: %s: %s\n", p.Line, strings.Join(p.Alone, ", "), p.Reason, p.Content)
	}
	fmt.Fprintln(e.out)
}

func behind(verifier string) string {
	if verifier == "model" {
		return "rules and the verifier in process"
	}
	return "rules alone"
}

func soaks(e *env, all []trials.Soak) {
	fmt.Fprintf(e.out, "An NPC tells its own inventions for %d days, and has them proposed as facts\n\n  %-8s %-12s "+
		"%-10s %9s %6s %9s %8s %8s %7s\n", all[0].Days,
		"verifier", "review", "words", "proposed", "said", "invented", "first", "last", "growth")
	for _, s := range all {
		review, words := "none", "the same"
		if s.Reviewed {
			review = "from day 2"
		}
		if s.Reworded {
			words = "others"
		}
		fmt.Fprintf(e.out, "  %-8s %-12s %-10s %9d %6d %9d %8d %8d %7d\n", s.Verifier, review, words, s.Proposed,
			s.Said, s.Invented, s.First, s.Last, s.Growth)
	}
	fmt.Fprintln(e.out)
}
