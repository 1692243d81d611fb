// Package trials tries Forsooth with faults, lies, hidden orders, restarts and more than it can
// do, and says what came of it. Figures stand beside a bar; whether one is met is printed, not tested.
package trials

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// FaultsOptions size a run with models that fail.
type FaultsOptions struct {
	Turns int     // default 120
	Jobs  int     // conversations at once; default 8
	Rate  float64 // the share of calls that fail; default 0.1
	Seed  uint64
}

func (o FaultsOptions) withDefaults() FaultsOptions {
	if o.Turns <= 0 {
		o.Turns = 120
	}
	if o.Jobs <= 0 {
		o.Jobs = 8
	}
	if o.Rate <= 0 {
		o.Rate = 0.1
	}
	return o
}

// asked is what some turns asked of a model.
type asked struct {
	calls, struck int // by the server's own count
	modelled      int // turns in which it was asked
	worst         int // calls of one turn
	spoken        int // turns in whose reply it speaks
}

// Faults has players say the same to a mesh whose model is well, and to one whose model
// fails in every way by turns, and counts what each was asked.
func Faults(ctx context.Context, w *world.World, o FaultsOptions) ([]bench.Figure, error) {
	o = o.withDefaults()
	l, err := bench.NewLoad(w)
	if err != nil {
		return nil, err
	}
	well, err := asking(ctx, l, o, 0)
	if err != nil {
		return nil, fmt.Errorf("with a model that is well: %w", err)
	}
	if well.calls == 0 {
		return nil, errors.New("no turn asked the model; there is nothing to compare")
	}
	ill, err := asking(ctx, l, o, o.Rate)
	if err != nil {
		return nil, fmt.Errorf("with a model that fails: %w", err)
	}
	return []bench.Figure{
		bench.Plain("turns", float64(o.Turns), ""),
		bench.Plain("fault_rate", o.Rate, ""), bench.Plain("faults_struck", float64(ill.struck), ""),
		bench.Plain("healthy_calls", float64(well.calls), ""), bench.Plain("healthy_calls_per_turn",
			float64(well.calls)/float64(well.modelled), ""),
		bench.Plain("faulty_calls", float64(ill.calls), ""),
		bench.Plain("healthy_spoken", float64(well.spoken), ""), bench.Plain("faulty_spoken", float64(ill.spoken), ""),
		bench.AtMost("calls_worst", float64(max(well.worst, ill.worst)), "", 15),
		bench.AtMost("faulty_to_healthy_calls", float64(ill.calls)/float64(well.calls), "", 1.2),
	}, nil
}

// asking runs the turns with a model of which a share of the calls fails.
func asking(ctx context.Context, l *bench.Load, o FaultsOptions, rate float64) (out asked, err error) {
	a, server, end, err := scripted(ctx, llmtest.Options{Persona: "quote", Seed: o.Seed, FaultRate: rate},
		app.Options{Worlds: []*world.World{l.World}})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, end()) }()
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	for job := range o.Jobs {
		g.Go(func() error {
			for n := job; n < o.Turns; n += o.Jobs {
				reply, err := converse(gctx, a, l.Request("faults", n, 0))
				if err != nil {
					return err
				}
				mu.Lock()
				out.add(reply)
				mu.Unlock()
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return out, err
	}
	stats := server.Stats()
	out.calls = stats.Calls
	for _, fault := range llmtest.Faults {
		out.struck += stats.ByPersona[fault]
	}
	return out, nil
}

// add counts a turn.
func (a *asked) add(r *schema.Reply) {
	calls := 0
	for _, p := range r.Passes {
		calls += p.LLMCalls
	}
	if calls > 0 {
		a.modelled++
	}
	if r.Status == schema.StatusAnswered && r.Reason == "" {
		a.spoken++
	}
	a.worst = max(a.worst, calls)
}

// converse says something and waits for the reply.
func converse(ctx context.Context, a *app.App, r *schema.Request) (*schema.Reply, error) {
	events, err := a.Client.Watch(ctx, r.Conversation(), r.TurnID)
	if err != nil {
		return nil, err
	}
	if _, err := a.Client.Publish(ctx, r); err != nil {
		return nil, err
	}
	var reply *schema.Reply
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil {
		return nil, fmt.Errorf("turn %s has no reply", r.TurnID)
	}
	return reply, nil
}
