package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/actions"
	"github.com/forsooth-npc/forsooth/services/monologue"
	"github.com/forsooth-npc/forsooth/services/retriever"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/speaker"
)

// Keeper is where the passes leave what a turn says: the mesh's streams, or what a
// replay keeps in memory.
type Keeper interface {
	reviewer.Releaser
	reviewer.Confirmer
	speaker.Streamer
}

// OffMesh composes every pass over the worlds without a broker: what a turn says
// goes to the keeper. The worlds are searched by meaning from the first turn on, unless
// the options forbid it. The function that it returns closes what was opened.
func OffMesh(ctx context.Context, o Options, keep Keeper) (_ map[schema.Pass]mesh.Handler, done func(), err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o = o.ablated()
	a := &App{Metrics: o.metrics(), reviews: true}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	static, err := embed.NewStatic()
	if err != nil {
		return nil, nil, err
	}
	if a.Library, a.corpus, err = openLibrary(ctx, o, static); err != nil {
		return nil, nil, err
	}
	if err := a.connectModels(o); err != nil {
		return nil, nil, err
	}
	if a.hooks, err = moderation.NewHooks(o.Worlds, moderation.Options{Hosts: o.Hosts}); err != nil {
		return nil, nil, err
	}
	if err := a.openVerifier(o); err != nil {
		return nil, nil, err
	}
	if o.Meaning == MeaningLater {
		o.Meaning = MeaningFirst // there is no later: its one turn would be searched for without
	}
	if err := a.startDeepening(ctx, o); err != nil {
		return nil, nil, err
	}
	a.readMemory(ctx, o)
	handlers, _, err := a.passes(ctx, o, static, keep)
	return handlers, a.Close, err
}

// serviceOf is which service runs a pass.
var serviceOf = map[schema.Pass]string{
	schema.PassRetrieve: "retriever", schema.PassThink: "monologue", schema.PassReviewThought: "reviewer",
	schema.PassReviewSpeech: "reviewer",
	schema.PassDecide:       "speaker", schema.PassSpeak: "speaker", schema.PassAct: "actions",
}

// passes composes the services and gives the handler of each pass, and the service
// that ends turns.
func (a *App) passes(
	ctx context.Context, o Options, static *embed.Static, keep Keeper,
) (map[schema.Pass]mesh.Handler, *actions.Service, error) {
	second, err := scorer(o, a.tiers, a.Model)
	if err != nil {
		return nil, nil, err
	}
	review := reviewer.Options{Confirm: keep, Alert: o.Alert, Hooks: a.hooks, Faithfulness: o.guarded().Faithfulness,
		Scorer: second, Meter: a.reviewed(), Now: o.Now, Without: o.Without}
	if review.Judgement, err = Judgement(o.Verifying, a.tiers.Sidecar); err != nil && o.Alert != nil &&
		a.tiers.Missing == nil {
		o.Alert(reviewer.AlertNoModel, "", "no model reads the sentences of a speech: "+err.Error())
	}
	if o.Judge {
		review.Judge, review.Claims = a.judging, o.Claims
	}
	r := reviewer.New(a.Library, keep, review)
	a.startQualifying(ctx, o, r, a.judging)
	a.checker = a.tiers.Checker(o.Verifying)
	a.checker.Judge = r.Checks(entailed())
	s := speaker.New(a.Library, speaker.Options{Similar: Similarity(static), Reads: reads(o), Model: a.Model,
		Stream: keep, Without: o.Without, Requests: requests(o)})
	search := retriever.Options{Model: a.Model, Hooks: a.hooks, Without: o.Without}
	if recaller := a.recaller(o, static); recaller != nil {
		search.Memories = recaller
	}
	ends := actions.New(a.Library, actions.Options{Model: a.Model, Hooks: a.hooks})
	return map[schema.Pass]mesh.Handler{
		schema.PassRetrieve:      retriever.New(a.Library, search).Retrieve,
		schema.PassThink:         monologue.New(a.Library, a.Model).Think,
		schema.PassReviewThought: r.ReviewThoughts,
		schema.PassDecide:        s.Decide,
		schema.PassSpeak:         s.Speak,
		schema.PassReviewSpeech:  r.ReviewSpeech,
		schema.PassAct:           ends.Act,
	}, ends, nil
}

// requests reads what players ask for, nil where the sentence encoder is left out.
func requests(o Options) speaker.Requests {
	if o.Meaning == MeaningOff {
		return nil
	}
	encoder, err := Encoder()
	if err != nil {
		o.notice("requests are understood by the actions' own words alone: " + err.Error())
		return nil
	}
	return deed.NewReader(encoder)
}

// onMesh is the keeper of turns on a mesh: its streams, and the game behind it.
type onMesh struct {
	*mesh.Said
	*mesh.Mesh
}

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
