package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/eval"
)

// evalTargetsCmd runs suites without and with a model, beside the third paper's targets.
type evalTargetsCmd struct {
	Suites  []string `arg:"" help:"Files, or suites of the binary." placeholder:"SUITE"`
	Jobs    int      `help:"Conversations at once." default:"8"`
	Persona string   `help:"Who speaks where no --llm-url is given." default:"quote,paraphrase,mixed"`
	Page    string   `help:"Write the table into this page, between two marks." placeholder:"PAGE.md" type:"path"`
}

// targetsMark encloses the table in a page.
const targetsMark = "<!-- targets -->"

// Run holds the suites against the targets.
func (c *evalTargetsCmd) Run(e *env) error {
	place, err := bench.PlaceIn(c.Page, targetsMark)
	if err != nil {
		return usage(err)
	}
	var all []eval.Target
	for _, speaker := range []string{speakerExtractive, speakerModel} {
		for _, suite := range c.Suites {
			name := strings.TrimSuffix(filepath.Base(suite), ".yaml")
			run := evalStagesCmd{Suite: suite, Jobs: c.Jobs, Persona: c.Persona, speaker: speaker}
			arm, err := run.arm(e, name, nil)
			if err != nil {
				return fmt.Errorf("%s: %w", suite, err)
			}
			for _, f := range arm.Report.Failures {
				fmt.Fprintf(e.err, "%s, %s: %s: want %s, got %s: %s\n", suite, speaker, f.Name, f.Want, f.Got, f.Reply)
			}
			t := eval.Target{Speaker: arm.Report.Model, Arm: arm}
			if t.Speaker == "" {
				t.Speaker = speakerExtractive
			}
			all = append(all, t)
		}
	}
	if e.json {
		return e.printJSON(all)
	}
	var table bytes.Buffer
	eval.WriteTargets(&table, all)
	fmt.Fprint(e.out, "\n"+table.String())
	return failed(place.Write(table.String()))
}
