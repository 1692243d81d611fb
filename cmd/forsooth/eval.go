package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/app"
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
