package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/eval/runner"
	"github.com/forsooth-npc/forsooth/internal/world"
)

type evalCmd struct {
	Suite   evalSuiteCmd   `cmd:"" default:"withargs" help:"Run a suite."`
	Stages  evalStagesCmd  `cmd:"" help:"Run a suite with one stage left out at a time: what each is worth."`
	Targets evalTargetsCmd `cmd:"" help:"Run suites without and with a model, beside the papers' targets."`
	Compare evalCompareCmd `cmd:"" help:"Hold the report of a run against an earlier one's."`
}

type evalSuiteCmd struct {
	Suite   string   `arg:"" help:"File, or hollowmere, shadowwatch, paper or memory of the binary." placeholder:"SUITE"`
	Jobs    int      `help:"Conversations at once; 1 measures times undisturbed." default:"8"`
	Earlier []string `help:"Earlier report: new lore that repeats its answers is a leak." type:"path" placeholder:"FILE"`
	Show    bool     `help:"Print every case with its reply and evidence on standard error."`
	Without []string `help:"Leave out a stage, to see what it is worth; repeatable." placeholder:"STAGE" sep:"none"`
	Triage  bool     `help:"List the passing known answers whose cited ids are not corpus."`
	Report  string   `help:"Write the report to a file: .md, .json, or .html with plots." type:"path" placeholder:"FILE"`
	Against string   `name:"compare" help:"Report of an earlier run to compare with." type:"path" placeholder:"OLD.json"`
	judging
}

// Run runs a suite on a throw-away data folder.
func (c *evalSuiteCmd) Run(e *env) error {
	if err := checkReport(c.Report); err != nil {
		return usage(err)
	}
	without, err := ablation.Parse(c.Without)
	if err != nil {
		return usage(err)
	}
	suite, w, err := c.load(e)
	if err != nil {
		return usage(err)
	}
	if err := suite.Bind(w); err != nil {
		return usage(err)
	}
	if err := c.quarantine(suite, w); err != nil {
		return err
	}
	index, err := runner.IndexFile(w, time.Now())
	if err != nil {
		return dependency(err)
	}
	with, err := e.withModels(e.options(nil, nil))
	if err != nil {
		return err
	}
	with.Without = without
	outcomes, err := runner.Run(e.ctx, suite, w, runner.Options{App: with, Index: index, Jobs: c.Jobs, Done: c.shown(e)})
	switch {
	case e.ctx.Err() != nil:
		return failed(errors.New("stopped"))
	case err != nil:
		return dependency(err)
	}
	report := eval.Summarise(suite, outcomes)
	report.Model, report.Without = with.LLM.Primary.Model, without.Names()
	if with.LLM.Primary.URL != "" && report.Usage.Calls.Max == 0 {
		e.log.Warn().Msg("no call of a model was answered: these are the extractive answers; forsooth doctor says what " +
			"is wrong with the model")
	}
	if err := writeReport(c.Report, report); err != nil {
		return failed(err)
	}
	return c.print(e, report)
}

// load reads the suite and its world.
func (c *evalSuiteCmd) load(e *env) (*eval.Suite, *world.World, error) {
	suite, dir, err := c.suite()
	if err != nil {
		return nil, nil, err
	}
	w, problems, err := app.LoadWorld(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", suite.Path, err)
	}
	for _, p := range world.Errors(problems) {
		e.log.Warn().Str("file", p.File).Int("line", p.Line).Msg(p.Message)
	}
	return suite, w, nil
}

// suite reads a file, or a suite that the binary carries.
func (c *evalSuiteCmd) suite() (*eval.Suite, string, error) {
	if data, dir, ok := app.CarriedSuite(c.Suite); ok {
		suite, err := eval.Parse(c.Suite, data)
		if err == nil && dir == "" {
			dir = filepath.Base(suite.World)
		}
		return suite, dir, err
	}
	suite, err := eval.Load(c.Suite)
	if err != nil {
		return nil, "", err
	}
	return suite, suite.WorldDir(), nil
}

// quarantine keeps a suite from being answered by a leak.
func (c *evalSuiteCmd) quarantine(suite *eval.Suite, w *world.World) error {
	var earlier []string
	for _, report := range c.Earlier {
		answers, err := eval.Answers(report)
		if err != nil {
			return usage(err)
		}
		earlier = append(earlier, answers...)
	}
	return failed(eval.Quarantine(suite, w, earlier, eval.Modified(w)))
}

func (c *evalSuiteCmd) print(e *env, report *eval.Report) error {
	against, err := c.against(report)
	if err != nil {
		return err
	}
	if e.json {
		if err := e.printJSON(struct {
			*eval.Report
			Comparison *eval.Comparison `json:"comparison,omitempty"`
		}{report, against}); err != nil {
			return err
		}
	} else {
		c.printTables(e, report, against)
	}
	if !report.Met {
		return failed(errSilent)
	}
	return c.verdict(against)
}

func (c *evalSuiteCmd) printTables(e *env, report *eval.Report, against *eval.Comparison) {
	report.WriteTable(e.out)
	if c.Triage {
		fmt.Fprintln(e.out)
		report.WriteTriage(e.out)
	}
	if against != nil {
		fmt.Fprintln(e.out)
		against.WriteTable(e.out)
	}
}

// against holds the run against the earlier one that was named, if any.
func (c *evalSuiteCmd) against(report *eval.Report) (*eval.Comparison, error) {
	if c.Against == "" {
		return nil, nil
	}
	old, err := eval.ReadReport(c.Against)
	if err != nil {
		return nil, usage(err)
	}
	comparison, err := eval.Compare(old, report, c.Tolerance)
	return comparison, usage(err)
}

// shown prints a case as it ends, for reading answers rather than figures.
func (c *evalSuiteCmd) shown(e *env) func(*eval.Outcome) {
	if !c.Show {
		return counting(e)
	}
	return func(o *eval.Outcome) {
		mark := "ok  "
		if !o.Passed() {
			mark = "FAIL"
		}
		fmt.Fprintf(e.err, "%s %s (%s)\n", mark, o.Case.Name, o.Case.Kind)
		if o.Reply != nil {
			fmt.Fprintf(e.err, "  %s\n  %s (confidence %.2f): %s\n", o.Message(), o.Reply.NPCName, o.Reply.Confidence,
				o.Reply.Text)
			console.Why(e.err, o.Reply)
		}
		if !o.Passed() {
			fmt.Fprintf(e.err, "  want %s\n  got  %s\n", o.Want, o.Got)
		}
	}
}

// counting shows how far the run is, on a terminal only.
func counting(e *env) func(*eval.Outcome) {
	f, ok := e.err.(*os.File)
	if !ok || !isTerminal(f) {
		return nil
	}
	n := 0
	return func(*eval.Outcome) {
		n++
		fmt.Fprintf(f, "\r%d cases\x1b[K\r", n)
	}
}

// judging says when a comparison fails a command.
type judging struct {
	Tolerance   float64 `help:"How far a share may fall before it is worse." default:"0.02"`
	FailOnWorse bool    `help:"Exit 1 where a figure is worse than in the earlier run."`
}

// verdict fails where it was asked to; nil is a run that is held against none.
func (j judging) verdict(c *eval.Comparison) error {
	if c != nil && j.FailOnWorse && len(c.Worse) > 0 {
		return failed(errSilent)
	}
	return nil
}

type evalCompareCmd struct {
	Old string `arg:"" help:"Report of the earlier run, as eval --json prints it." type:"path" placeholder:"OLD.json"`
	New string `arg:"" help:"Report of the later run." type:"path" placeholder:"NEW.json"`
	judging
}

// Run prints two runs side by side.
func (c *evalCompareCmd) Run(e *env) error {
	old, err := eval.ReadReport(c.Old)
	if err != nil {
		return usage(err)
	}
	now, err := eval.ReadReport(c.New)
	if err != nil {
		return usage(err)
	}
	comparison, err := eval.Compare(old, now, c.Tolerance)
	if err != nil {
		return usage(fmt.Errorf("%s and %s: %w", c.Old, c.New, err))
	}
	if e.json {
		err = comparison.WriteJSON(e.out)
	} else {
		comparison.WriteTable(e.out)
	}
	if err != nil {
		return err
	}
	return c.verdict(comparison)
}

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

// writers are the forms of a report, by the ending of its file.
var writers = map[string]func(io.Writer, *eval.Report) error{".md": eval.WriteMarkdown, ".html": eval.WriteHTML,
	".json": func(w io.Writer, r *eval.Report) error { return json.NewEncoder(w).Encode(r) }}

// checkReport refuses, before a long run, a file that cannot be written after it.
func checkReport(path string) error {
	if path == "" {
		return nil
	}
	if writers[filepath.Ext(path)] == nil {
		return fmt.Errorf("--report %s: its name must end in .md, .html or .json", path)
	}
	if dir := filepath.Dir(path); !app.IsFolder(dir) {
		return fmt.Errorf("--report %s: no such folder as %s; make it first", path, dir)
	}
	return nil
}

func writeReport(path string, r *eval.Report) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := writers[filepath.Ext(path)](&b, r); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("report %s cannot be written: %w", path, err)
	}
	return nil
}
