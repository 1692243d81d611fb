package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/eval/runner"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/world"
)

type evalStagesCmd struct {
	Suite   string `arg:"" help:"File, or a suite of the binary." placeholder:"SUITE" default:"paper"`
	Jobs    int    `help:"Conversations at once; 1 measures times undisturbed." default:"8"`
	Persona string `help:"Who speaks where no --llm-url is given." default:"quote,paraphrase,mixed"`
	Speech  string `help:"Recorded speeches with labels, measured too." placeholder:"FILE.jsonl" type:"path"`
	Page    string `help:"Write the tables into this page, between two marks." placeholder:"PAGE.md" type:"path"`

	speaker string // extractive: no model is asked; else a scripted one where none is named
}

// Who speaks in a run.
const (
	speakerExtractive = "extractive"
	speakerModel      = "model"
)

// stagesMark encloses the tables in a page.
const stagesMark = "<!-- stages -->"

// quotesArm is what leaving out evidence-first comes to.
const quotesArm = "the model quotes, by document id"

// armsOf are the runs: the pipeline as it is, and one without each stage.
func armsOf() (names []string, sets []ablation.Set) {
	names, sets = []string{"the pipeline as it is: cites by id"}, []ablation.Set{nil}
	for _, stage := range ablation.Stages {
		name := "without " + string(stage)
		if stage == ablation.EvidenceFirst {
			name = quotesArm + " (" + name + ")"
		}
		names, sets = append(names, name), append(sets, ablation.Set{stage})
	}
	return names, sets
}

// Run measures what each stage is worth.
func (c *evalStagesCmd) Run(e *env) error {
	place, err := bench.PlaceIn(c.Page, stagesMark)
	if err != nil {
		return usage(err)
	}
	rows, err := c.rows()
	if err != nil {
		return usage(err)
	}
	var arms []eval.Arm
	names, sets := armsOf()
	for i, without := range sets {
		arm, err := c.arm(e, names[i], without)
		if err != nil {
			return err
		}
		arms = append(arms, arm)
	}
	speech, err := c.speech(e, rows)
	if err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(struct {
			Arms   []eval.Arm  `json:"arms"`
			Speech []speechArm `json:"speech,omitempty"`
		}{arms, speech})
	}
	var table bytes.Buffer
	eval.WriteStages(&table, arms, c.Jobs == 1)
	writeSpeech(&table, speech)
	fmt.Fprint(e.out, "\n"+table.String())
	return failed(place.Write(table.String()))
}

func (c *evalStagesCmd) rows() ([]llmtest.Speech, error) {
	if c.Speech == "" {
		return nil, nil
	}
	return llmtest.ReadSpeechFile(c.Speech)
}

// arm runs the suite once.
func (c *evalStagesCmd) arm(e *env, name string, without ablation.Set) (_ eval.Arm, err error) {
	suiteOf := evalSuiteCmd{Suite: c.Suite}
	suite, w, err := suiteOf.load(e)
	if err != nil {
		return eval.Arm{}, usage(err)
	}
	if err := suite.Bind(w); err != nil {
		return eval.Arm{}, usage(err)
	}
	index, err := runner.IndexFile(w, time.Now())
	if err != nil {
		return eval.Arm{}, dependency(err)
	}
	with, err := e.withModels(e.options(nil, nil))
	if err != nil {
		return eval.Arm{}, err
	}
	with.Without = without
	var scripted *llmtest.Server
	switch {
	case c.speaker == speakerExtractive:
		with.LLM = llm.Config{}
	case with.LLM.Primary.URL == "":
		if scripted, err = llmtest.Start(llmtest.Options{Persona: c.Persona, Seed: 7}); err != nil {
			return eval.Arm{}, usage(err)
		}
		defer func() { err = errors.Join(err, scripted.Close()) }()
		with.LLM = llm.Config{Primary: llm.Provider{URL: scripted.URL(), Model: "scripted"}}
	}
	outcomes, err := runner.Run(e.ctx, suite, w, runner.Options{App: with, Index: index, Jobs: c.Jobs, Done: counting(e)})
	if err != nil {
		return eval.Arm{}, dependency(err)
	}
	arm := eval.Arm{Name: name, Report: eval.Summarise(suite, outcomes)}
	arm.Report.Model, arm.Report.Without = with.LLM.Primary.Model, without.Names()
	arm.MadeUp = arm.Report.Metrics["hallucination_rate"]
	if scripted != nil {
		arm.MadeUp = madeUp(scripted, w, outcomes)
	}
	return arm, nil
}

// madeUp is the share of released sentences that a scripted model knows to be its lies.
func madeUp(model *llmtest.Server, w *world.World, outcomes []eval.Outcome) float64 {
	x := &lore.Lore{World: w}
	var told []llmtest.Told
	for i := range outcomes {
		r := outcomes[i].Reply
		if r == nil || w.NPCs[r.NPC] == nil {
			continue
		}
		npc := w.NPCs[r.NPC]
		told = append(told, llmtest.Told{Reply: *r, Person: x.Person(npc), Lines: llmtest.Lines(npc, ""),
			Leads: append(append([]string{}, npc.Voice.Openers...), npc.Voice.Hedges...)})
	}
	report := llmtest.Judge(model.Entries(), told...)
	lies := 0
	for _, f := range report.Unsupported {
		if f.Persona != "" { // what no log holds was not said by the model
			lies++
		}
	}
	return float64(lies) / float64(max(1, report.Released))
}

// speechArm is what became of recorded speeches without a stage.
type speechArm struct {
	Name   string             `json:"name"`
	Result bench.SpeechResult `json:"result"`
}

// speech lets the review judge recorded speeches, for the stages that take part in it.
func (c *evalStagesCmd) speech(e *env, rows []llmtest.Speech) ([]speechArm, error) {
	if rows == nil {
		return nil, nil
	}
	var out []speechArm
	names, sets := armsOf()
	for i, without := range sets {
		if len(without) > 0 && without[0] != ablation.RAV && without[0] != ablation.NLI {
			continue // a recorded speech was found for, thought and written before
		}
		settings := e.grounding()
		settings.Level = cmp.Or(settings.Level, grounding.Balanced) // a stricter one speaks too little to compare
		r, err := bench.Speech(e.ctx, rows, bench.SpeechOptions{Grounding: settings, Without: without,
			Verifying: app.Verifying{}})
		if err != nil {
			return nil, err
		}
		out = append(out, speechArm{names[i], r})
	}
	return out, nil
}

func writeSpeech(w io.Writer, arms []speechArm) {
	if len(arms) == 0 {
		return
	}
	fmt.Fprint(w, "\n| recorded speeches, no judge | true sentences spoken | false ones | sentences without a claim |\n"+
		"|---|---:|---:|---:|\n")
	for _, a := range arms {
		percent := func(label string) float64 { return a.Result.ByLabel[label].Percent() }
		fmt.Fprintf(w, "| %s | %.1f %% | %.1f %% | %.1f %% |\n", a.Name, percent(llmtest.Supported),
			percent(llmtest.Unsupported), percent(llmtest.NoClaim))
	}
}
