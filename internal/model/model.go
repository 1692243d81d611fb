// Package model is a language model as the passes use it: the prompts of a world,
// the client, an NPC's own settings, the time and the calls that a turn has left.
// A pass asks; where no model may or can answer, the turn is marked and goes on
// the extractive way. Nothing that comes back is trusted here: the reviews judge
// it.
package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Depths of a turn with a model.
const (
	DepthFull = "full" // thoughts, decision and speech are calls of their own
	DepthLean = "lean" // one call
)

// Options are what a process sets.
type Options struct {
	CitationQuery bool // let the model word the search
	Rerank        bool // let the model order the sources
	Memories      bool // let the model find what is worth remembering, after the reply
	Compact       bool // let the model shorten long sources

	// Sources above so many tokens are shortened to so many; 0: the usual.
	SourceTokens, CompactedTokens int

	Judge prompt.JudgeKind // how the model is asked as a judge; empty: by the chat prompt

	Quotes bool // the experiment in which the model quotes by document id

	// Spent is told what a call that belongs to no turn took; nil: nobody.
	Spent func(name string, calls int, cost float64)
}

// Model asks for the passes. A nil *Model is a process without a model.
type Model struct {
	llm     *llm.Models
	options Options
	books   map[string]*prompt.Book // by world
	base    *prompt.Book
	worlds  map[string]*world.World
	named   string // the model that is asked instead of those that calls and NPCs name
}

// Named is the same access with every question put to one model of the provider; an
// empty name changes nothing.
func (m *Model) Named(name string) *Model {
	if m == nil || name == "" {
		return m
	}
	out := *m
	out.named = name
	return &out
}

// New puts the prompts of the worlds and a client together.
func New(models *llm.Models, worlds []*world.World, o Options) (*Model, error) {
	m := &Model{llm: models, options: o, books: map[string]*prompt.Book{}, base: prompt.Default(), worlds: byName(worlds)}
	for _, w := range worlds {
		if len(w.Prompts) == 0 && !o.Quotes {
			continue
		}
		read := prompt.NewBook
		if o.Quotes {
			read = prompt.Quoting
		}
		book, err := read(w.Prompts)
		if err != nil {
			return nil, fmt.Errorf("world %s: %w", w.Name, err)
		}
		m.books[w.Name] = book
	}
	return m, nil
}

// Turn is one turn's access to the model.
type Turn struct {
	m     *Model
	t     *protocol.Turn
	w     *world.World
	npc   *world.NPC
	meter *llm.Meter
	prompt.Scene
}

// For gives a turn its access, or nil where no model speaks in it: none is
// configured, an earlier pass fell back, the confidence gate did not open, or there is
// no time left for one.
func (m *Model) For(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) *Turn {
	if m == nil || t.Fallback != "" || t.Retrieval == nil || t.Retrieval.Zone != protocol.ZoneModel {
		return nil
	}
	return m.access(ctx, t, x, npc)
}

// Speaking gives Pass 4 its access: a model answers every message in scope, however sure
// the search was of its evidence. It is not asked where the NPC keeps its silence, nor
// about small talk in a world that has its own lines for it.
func (m *Model) Speaking(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) *Turn {
	if m == nil || t.Fallback != "" || t.Retrieval == nil || t.Decision == nil {
		return nil
	}
	switch t.Decision.Kind {
	case protocol.KindAnswer, protocol.KindUnknown:
	case protocol.KindSocial:
		if x.World.Smalltalk == world.SmalltalkAuthored {
			return nil
		}
	default:
		return nil
	}
	return m.access(ctx, t, x, npc)
}

// Searching gives Pass 1 its access: there the gate has not been asked yet.
func (m *Model) Searching(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) *Turn {
	if m == nil || t.Fallback != "" {
		return nil
	}
	return m.access(ctx, t, x, npc)
}

func (m *Model) access(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) *Turn {
	if err := hurried(ctx, t); err != nil {
		fallBack(t, schema.ReasonOverload, err)
		return nil
	}
	return &Turn{m: m, t: t, w: x.World, npc: npc, meter: llm.NewMeter(t),
		Scene: prompt.Scene{Turn: t, NPC: npc, Person: x.Person(npc),
			Quotes: m.options.Quotes}}
}

// Lean says whether the turn makes one call of all.
func (a *Turn) Lean() bool { return a.w.DepthFor(a.npc) == DepthLean }

// WordsSearch and Reranks say what Pass 1 asks a model.
func (a *Turn) WordsSearch() bool { return a != nil && a.m.options.CitationQuery }

// Reranks says whether a model orders the sources.
func (a *Turn) Reranks() bool { return a != nil && a.m.options.Rerank }

// Compacts says whether a model shortens long sources.
func (a *Turn) Compacts() bool { return a.m.options.Compact }

// Sources above so many tokens are shortened to so many, where nothing else is set.
const (
	sourceTokens    = 4000
	compactedTokens = 2000
)

// SourceTokens are the tokens above which the sources of a prompt are shortened, and to
// how many.
func (a *Turn) SourceTokens() (above, to int) {
	return cmp.Or(a.m.options.SourceTokens, sourceTokens), cmp.Or(a.m.options.CompactedTokens, compactedTokens)
}

// Asked is one call with what its texts may name.
type Asked struct {
	Name      string
	Data      *prompt.Data
	Words     int
	Sentences int
	// Share is how much of the time that the turn has left the call may take; 0 is
	// all but what the extractive way needs.
	Share    float64
	Validate func([]byte) error
}

// reserve is what a turn keeps for the extractive way when a model hangs.
const reserve = 400 * time.Millisecond

// Ask makes a call and gives its answer, validated.
func (a *Turn) Ask(ctx context.Context, q Asked) (llm.Answer, error) {
	request, ctx, cancel, err := a.request(ctx, q)
	if err != nil {
		return llm.Answer{}, err
	}
	defer cancel()
	defer a.clock()()
	return a.m.llm.Complete(ctx, request)
}

// Stream makes a call and gives its text as it comes.
func (a *Turn) Stream(ctx context.Context, q Asked, onText func(string) error) (llm.Answer, error) {
	request, ctx, cancel, err := a.request(ctx, q)
	if err != nil {
		return llm.Answer{}, err
	}
	defer cancel()
	defer a.clock()()
	return a.m.llm.Stream(ctx, request, onText)
}

// clock adds the time of a call to the record of its pass.
func (a *Turn) clock() (stop func()) {
	start := time.Now()
	return func() {
		if n := len(a.t.Passes); n > 0 {
			a.t.Passes[n-1].LLMMS += float64(time.Since(start).Microseconds()) / 1000
		}
	}
}

func (a *Turn) request(ctx context.Context, q Asked) (llm.Request, context.Context, context.CancelFunc, error) {
	p, err := a.m.book(a.w.Name).Build(q.Name, a.Persona(q.Words, q.Sentences), q.Data)
	if err != nil {
		return llm.Request{}, nil, nil, err
	}
	request := llm.Request{
		Name: p.Name, Schema: p.Schema, System: p.System, User: p.User, World: a.t.World, Player: a.t.Player,
		Limits: a.m.limits(a.npc, q.Name), Budget: budget(a.w), Meter: a.meter, Validate: q.Validate,
	}
	ctx, cancel := a.within(ctx, q.Share)
	return request, ctx, cancel, nil
}

func (m *Model) limits(npc *world.NPC, name string) llm.Limits {
	l := npc.Model[name]
	return llm.Limits{Model: cmp.Or(m.named, l.Model), Timeout: l.Timeout, MaxTokens: l.MaxTokens}
}

func budget(w *world.World) llm.Budget {
	return llm.Budget{
		WorldTokensPerDay: w.Budget.TokensPerDay, WorldCostPerDay: w.Budget.CostPerDay,
		PlayerTokensPerDay: w.Budget.PlayerTokensPerDay, PlayerCostPerDay: w.Budget.PlayerCostPerDay,
	}
}

// FallBack marks the turn: no model speaks in what is left of it. ended is the
// error of a turn that is over, which a pass returns as it is.
func FallBack(ctx context.Context, t *protocol.Turn, err error) (ended error) {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	fallBack(t, Reason(err), err)
	return nil
}

func fallBack(t *protocol.Turn, reason string, err error) {
	t.Fallback = reason
	if n := len(t.Passes); n > 0 {
		t.Passes[n-1].Note = err.Error()
	}
}

// GoOn is FallBack for a call that a turn can do without: where the model answers,
// and not with what it was asked for, or its calls are spent, rules take its place
// and the model may still speak.
func GoOn(ctx context.Context, t *protocol.Turn, err error) (ended error) {
	if ctx.Err() == nil && (errors.Is(err, llm.ErrAnswer) || errors.Is(err, llm.ErrSpent)) {
		if n := len(t.Passes); n > 0 {
			t.Passes[n-1].Note = err.Error()
		}
		return nil
	}
	return FallBack(ctx, t, err)
}

// Reason is what a reply says of a turn in which no model spoke.
func Reason(err error) string {
	switch {
	case errors.Is(err, llm.ErrOff), errors.Is(err, llm.ErrBudget):
		return schema.ReasonBudget // the record of the pass says which
	}
	return schema.ReasonModelDown
}

// What a model is asked for takes time that a turn must have. Less than leastTime
// before the mesh ends it, a turn is answered the extractive way, which needs none to
// speak of; one with a short deadline from a quarter of it.
//
// A turn that has waited at the door of a pass for a quarter of its deadline is in a
// queue that is not served in time. It is answered the extractive way at once, so that
// the queue grows shorter and those behind it still have time for a model.
const (
	leastTime = 1500 * time.Millisecond
	share     = 4
)

// hurried says why no model is asked in what is left of a turn; nil where one may be.
func hurried(ctx context.Context, t *protocol.Turn) error {
	quarter := t.Deadline() / share
	if ends, ok := ctx.Deadline(); ok {
		if left := time.Until(ends); left < min(leastTime, quarter) {
			return fmt.Errorf("%s were left, too little for a model", left.Round(time.Millisecond))
		}
	}
	if waited := waited(t); waited > quarter {
		return fmt.Errorf("the turn waited %s for this pass, and others behind it", waited.Round(time.Millisecond))
	}
	return nil
}

// waited is how long a turn stood before the pass that runs took it: from the end of
// the last one. Before the first it may have waited for its own conversation, and one
// that is delivered again, or a sentence of a speech under way, has not waited alone.
func waited(t *protocol.Turn) time.Duration {
	n := len(t.Passes)
	if n < 2 || t.Part > 0 || t.Passes[n-1].Attempt > 1 {
		return 0
	}
	now, last := t.Passes[n-1], t.Passes[n-2]
	return time.Duration((now.StartMS - last.StartMS - last.TookMS) * float64(time.Millisecond))
}
