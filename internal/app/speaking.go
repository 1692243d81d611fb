package app

import (
	"fmt"
	"math/rand/v2"

	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/model"
)

// connectModels makes the client of the language models; it calls none.
func (a *App) connectModels(o Options) error {
	if o.LLM.Primary.URL == "" {
		return nil
	}
	with := llm.Options{Now: o.Now, Rand: rand.Float64, Report: o.Models}
	if a.Mesh != nil { // off the mesh there is neither a switch nor an account
		with.Off, with.Ledger = func() bool { return !a.Mesh.Flags().On(FlagLLM) }, a.Conn.Ledger()
		with.Observer = a.watch
	}
	return a.openModels(o, with)
}

// openModels makes it with what it may look at.
func (a *App) openModels(o Options, with llm.Options) (err error) {
	models, err := llm.New(o.LLM, with)
	if err != nil {
		return err
	}
	a.llm = models
	asking := o.Asking
	asking.Spent = func(name string, calls int, cost float64) {
		if stage := spentOn[name]; stage != "" && a.Metrics != nil {
			a.Metrics.Called(stage, calls, cost)
		}
	}
	if a.Model, err = model.New(models, o.Worlds, asking); err != nil || o.JudgeAt.URL == "" {
		a.judging = a.Model
		return err
	}
	if a.judges, err = llm.New(llm.Config{Primary: o.JudgeAt, Calls: o.LLM.Calls}, with); err != nil {
		return fmt.Errorf("grounding.judge: %w", err)
	}
	a.judging, err = model.New(a.judges, o.Worlds, model.Options{Spent: asking.Spent, Judge: o.JudgeKind})
	return err
}
