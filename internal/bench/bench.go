// Package bench measures whole turns: how long one takes through all passes, how
// many a second the mesh ends beside the same mesh without its passes and a bare
// chain of as many hops, and what a process costs that waits. Each figure stands
// beside its baseline of the same run. It asserts nothing: a machine's figures
// are printed, never tested.
package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/meshbench"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Options size a run.
type Options struct {
	Single        int // turns one at a time; default 400
	Turns         int // turns of the conversations at once; default 3,000
	Conversations int // default 64
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value *int
		def   int
	}{{&o.Single, 400}, {&o.Turns, 3000}, {&o.Conversations, 64}} {
		if *d.value <= 0 {
			*d.value = d.def
		}
	}
	o.Turns = max(o.Turns, o.Conversations)
	return o
}

// Turn measures turns of a world: one at a time, then many conversations at
// once, beside the same mesh whose passes return at once and a bare chain.
func Turn(ctx context.Context, w *world.World, o Options) ([]Figure, error) {
	o = o.withDefaults()
	load, err := NewLoad(w)
	if err != nil {
		return nil, err
	}
	single, many, bytes, err := load.real(ctx, o)
	if err != nil {
		return nil, err
	}
	of := meshbench.Options{Conversations: o.Conversations, Turns: o.Turns, Bytes: bytes}
	noop, err := meshbench.Measure(ctx, meshbench.Whole, of)
	if err != nil {
		return nil, fmt.Errorf("the mesh without its passes: %w", err)
	}
	bare, err := meshbench.Measure(ctx, meshbench.Bare, of)
	if err != nil {
		return nil, fmt.Errorf("the bare chain: %w", err)
	}
	return []Figure{
		AtMost("turn_p50", Milliseconds(single.P50), "ms", 15),
		AtMost("turn_p99", Milliseconds(single.P99), "ms", 60),
		Plain("hop_bytes", float64(bytes), "bytes"),
		Plain("extractive", many.PerSecond, "turns/s"),
		Plain("extractive_p99", Milliseconds(many.P99), "ms"),
		Plain("noop", noop.PerSecond, "turns/s"),
		Plain("bare", bare.PerSecond, "turns/s"),
		AtLeast("a_extractive_to_bare", many.PerSecond/bare.PerSecond, "", 0.10),
		AtLeast("b_extractive_to_noop", many.PerSecond/noop.PerSecond, "", 0.5),
		Plain("c_noop_to_bare", noop.PerSecond/bare.PerSecond, ""),
	}, nil
}

// Load is what players say to a world's NPCs.
type Load struct {
	World    *world.World
	messages []message
}

type message struct{ npc, text string }

// NewLoad asks each NPC about what it may know, and now and then greets it or
// asks about a name that nobody bears, as players do.
func NewLoad(w *world.World) (*Load, error) { return loadIn(w, "What do you know about %s?") }

func loadIn(w *world.World, words string) (*Load, error) {
	l := &Load{World: w}
	for _, handle := range w.Handles() {
		for i, d := range w.Documents {
			if !w.InScope(d, w.NPCs[handle]) || len(d.Keywords) == 0 {
				continue
			}
			text := fmt.Sprintf(words, d.Keywords[i%len(d.Keywords)])
			switch len(l.messages) % 10 {
			case 3:
				text = "Good day to you."
			case 7:
				text = "Have you ever been to Quellamar?"
			}
			l.messages = append(l.messages, message{handle, text})
		}
	}
	if len(l.messages) == 0 {
		return nil, fmt.Errorf("world %s has nobody who knows anything; there is nothing to measure", w.Name)
	}
	return l, nil
}

// Request is the n-th turn of a conversation; the stride spreads conversations
// over the messages.
func (l *Load) Request(phase string, convo, n int) *schema.Request {
	m := l.messages[(convo*7919+n*31)%len(l.messages)]
	return &schema.Request{TurnID: fmt.Sprintf("%s-%d-%d", phase, convo, n), World: l.World.Name, NPC: m.npc,
		Player: fmt.Sprintf("%s-%d", phase, convo), Message: m.text, DeadlineMS: schema.MaxDeadlineMS}
}

// real runs the extractive mesh: one turn at a time, which also tells the mean
// bytes of its hops, then the conversations.
func (l *Load) real(ctx context.Context, o Options) (single, many meshbench.Result, bytes int, err error) {
	var weighing atomic.Bool
	var sum, hops atomic.Int64
	weigh := func(_ schema.Pass, h mesh.Handler) mesh.Handler {
		return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
			if weighing.Load() {
				if data, err := json.Marshal(t); err == nil {
					sum.Add(int64(len(data)))
					hops.Add(1)
				}
			}
			return h(ctx, t)
		}
	}
	a, end, err := InProcess(ctx, app.Options{Worlds: []*world.World{l.World}, Workers: o.Conversations, Wrap: weigh})
	if err != nil {
		return single, many, 0, err
	}
	defer func() { err = errors.Join(err, end()) }()
	turns := func(phase string, convos, turns int) (meshbench.Result, error) {
		return meshbench.Turns(ctx, a.Client, meshbench.Options{Conversations: convos, Turns: turns},
			func(c, n int) *schema.Request { return l.Request(phase, c, n) })
	}
	weighing.Store(true)
	if _, err = turns("weigh", 1, min(o.Single, 100)); err != nil {
		return single, many, 0, err
	}
	weighing.Store(false)
	if single, err = turns("single", 1, o.Single); err != nil {
		return single, many, 0, err
	}
	if many, err = turns("many", o.Conversations, o.Turns); err != nil {
		return single, many, 0, err
	}
	return single, many, int(sum.Load() / max(1, hops.Load())), nil
}

// Milliseconds of a time, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
