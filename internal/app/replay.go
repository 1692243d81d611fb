package app

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Replay runs a stored turn again beside the running mesh, with what this process has loaded,
// and nothing is written: no stream, no conversation, no memory and no file. Models are asked
// where they are switched on, and the comparison holds what they were asked; what that costs
// is in no budget. A judge is believed as the mesh believes it, and is not tested for this.
func (a *App) Replay(ctx context.Context, o Options, traces []protocol.Trace, old *schema.Reply,
	change replay.Change) (*replay.Comparison, error) {
	if err := change.Check(); err != nil {
		return nil, err
	}
	stored, err := replay.Stored(traces)
	if err != nil {
		return nil, err
	}
	x, npc, err := a.Library.Find(&stored.Request)
	if err != nil {
		return nil, err
	}
	w := change.Over(x.World, npc.Handle)
	b, err := a.besides(o, &lore.Lore{World: w, Index: x.Index, Grounding: x.Grounding, Echo: x.Echo}, change.Model)
	if err != nil {
		return nil, err
	}
	defer b.closeBeside()
	log := replay.NewLog(traces[len(traces)-1].Turn)
	static, err := embed.NewStatic()
	if err != nil {
		return nil, err
	}
	o.Worlds, o.Alert, o.Judged = []*world.World{w}, nil, nil
	passes, _, err := b.passes(ctx, o, static, log)
	if err != nil {
		return nil, err
	}
	now, err := replay.Again(ctx, passes, log, stored, !w.Now.IsZero(), o.now)
	if err != nil {
		return nil, err
	}
	out := replay.Compare(stored, old, now)
	out.Change, out.Exchanges = change, b.asked.all()
	return out, nil
}

// exchanges are what models were asked in one replay.
type exchanges struct {
	mu   sync.Mutex
	list []llm.Exchange
}

func (e *exchanges) add(x llm.Exchange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, x)
}

func (e *exchanges) all() []llm.Exchange {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]llm.Exchange{}, e.list...)
}

// besides is an App for one replay: what is read is shared with the mesh, and what counts or
// keeps is its own. Another model speaks where one is named; the judge stays.
func (a *App) besides(o Options, x *lore.Lore, speaks string) (b *App, err error) {
	b = &App{Metrics: report.NewMetrics(), beside: true, reviews: true, tiers: a.tiers, hooks: a.hooks,
		asked: &exchanges{}}
	if a.memory != nil {
		b.memory = &remembering{session: a.memory.session, quiet: true}
	}
	if b.Library, err = lore.NewLibrary(x); err != nil || o.LLM.Primary.URL == "" {
		return b, err
	}
	o.Worlds = []*world.World{x.World}
	err = b.openModels(o, llm.Options{Now: o.now, Rand: rand.Float64, Report: o.Models, Record: b.asked.add,
		Off: func() bool { return !a.Mesh.Flags().On(FlagLLM) }})
	if err != nil {
		b.closeBeside()
		return nil, err
	}
	b.Model = b.Model.Named(speaks)
	return b, nil
}

// closeBeside closes what a replay does not share.
func (a *App) closeBeside() {
	for _, m := range []*llm.Models{a.llm, a.judges} {
		m.Close()
	}
}
