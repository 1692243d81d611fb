package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh/meshbench"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ModelOptions size a run with a language model.
type ModelOptions struct {
	LLM           llm.Config
	Single        int           // turns one at a time, of each depth; default 10
	Conversations int           // at once; default 64
	Turns         int           // of all conversations; default 2 each
	FirstToken    time.Duration // what the server states, for what its speed allows
	Rate          float64       // tokens a second, likewise
}

// paperMS is what paper 000 gives for each pass, section 8.
var paperMS = map[schema.Pass]float64{
	schema.PassRetrieve: 700, schema.PassThink: 3000, schema.PassReviewThought: 500,
	schema.PassDecide: 800, schema.PassSpeak: 1500, schema.PassReviewSpeech: 500,
}

// spoken is one turn with a model, as its backend saw it.
type spoken struct {
	reply *schema.Reply
	took  time.Duration // from publishing to the reply
	first time.Duration // to the first sentence

	direct time.Duration // to the first sentence of the same model, asked directly; 0: not asked
}

// calls and the milliseconds that they took.
func (s spoken) calls() (n int, ms float64) {
	for _, p := range s.reply.Passes {
		n, ms = n+p.LLMCalls, ms+p.LLMMS
	}
	return n, ms
}

// Model measures turns in which a model speaks: how much longer a turn takes than
// its calls, how soon the first verified sentence is there beside the same model
// asked directly, the time of each pass, and many conversations at once.
func Model(ctx context.Context, w *world.World, o ModelOptions) ([]Figure, error) {
	if o.Single <= 0 {
		o.Single = 10
	}
	if o.Conversations <= 0 {
		o.Conversations = 64
	}
	if o.Turns <= 0 {
		o.Turns = 2 * o.Conversations
	}
	load, err := NewLoad(w)
	if err != nil {
		return nil, err
	}
	var out []Figure
	for _, depth := range []string{model.DepthFull, model.DepthLean} {
		figures, err := load.depth(ctx, o, depth)
		if err != nil {
			return nil, fmt.Errorf("depth %s: %w", depth, err)
		}
		out = append(out, figures...)
	}
	judged, err := load.judged(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("with a judge: %w", err)
	}
	verifying, err := reviewTime(ctx)
	return append(append(out, judged...), verifying), err
}

// depth measures one depth of turns.
func (l *Load) depth(ctx context.Context, o ModelOptions, depth string) (_ []Figure, err error) {
	w := *l.World
	w.Depth = depth
	a, end, err := InProcess(ctx, app.Options{Worlds: []*world.World{&w}, Workers: o.Conversations, LLM: o.LLM})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	turns, err := l.one(ctx, a, o, depth)
	if err != nil {
		return nil, err
	}
	out := figuresOf(turns, depth)
	if depth == model.DepthLean {
		out = append(out, firstOf(turns, "lean", 1.5)...)
	}
	many, err := l.together(ctx, a, o, depth)
	return append(out, many...), err
}

// oneTime ends the turns one at a time on a machine that is busy: fewTurns are enough then.
const (
	oneTime  = 40 * time.Second
	fewTurns = 3
)

// one takes turns one at a time until enough had a model in them. Beside each it asks the
// same model directly, so that whatever else the machine does slows both.
func (l *Load) one(ctx context.Context, a *app.App, o ModelOptions, phase string) (turns []spoken, err error) {
	models, err := llm.New(o.LLM, llm.Options{Now: time.Now})
	if err != nil {
		return nil, err
	}
	defer models.Close()
	asked, began := 0, time.Now()
	for len(turns) < o.Single && asked < 12*o.Single && (len(turns) < fewTurns || time.Since(began) < oneTime) {
		s, err := l.turn(ctx, a, l.Request(phase, asked, 0))
		if asked++; err != nil {
			return nil, err
		}
		if calls, _ := s.calls(); calls == 0 {
			continue
		}
		if s.direct, err = l.direct(ctx, models, s.reply); err != nil {
			return nil, err
		}
		turns = append(turns, s)
	}
	if len(turns) == 0 {
		return nil, fmt.Errorf("no model spoke in any of %d turns; `forsooth doctor` says whether it can be reached",
			asked)
	}
	return turns, nil
}

// turn sends one request and waits for its reply.
func (l *Load) turn(ctx context.Context, a *app.App, r *schema.Request) (s spoken, err error) {
	events, err := a.Client.Watch(ctx, r.Conversation(), r.TurnID)
	if err != nil {
		return s, err
	}
	begin := time.Now()
	if _, err := a.Client.Publish(ctx, r); err != nil {
		return s, err
	}
	for ev := range events {
		switch {
		case ev.Reply != nil:
			s.reply, s.took = ev.Reply, time.Since(begin)
		case ev.Said.Kind == schema.SaidSentence && s.first == 0:
			s.first = time.Since(begin)
		}
	}
	if s.reply == nil {
		return s, fmt.Errorf("turn %s ended without a reply: %w", r.TurnID, context.Cause(ctx))
	}
	return s, nil
}

// figuresOf are the measures of turns one at a time.
func figuresOf(turns []spoken, depth string) []Figure {
	calls := func(s spoken) float64 { n, _ := s.calls(); return float64(n) }
	took := mean(turns, func(s spoken) float64 { return Milliseconds(s.took) })
	llmMS := mean(turns, func(s spoken) float64 { _, ms := s.calls(); return ms })
	healthy, most := 5.0, 15.0
	if depth == model.DepthLean {
		healthy, most = 1, 5
	}
	worst := 0.0
	for _, s := range turns {
		worst = max(worst, calls(s))
	}
	out := []Figure{
		Plain(depth+"_turn", took, "ms"), Plain(depth+"_llm_calls_took", llmMS, "ms"),
		Plain(depth+"_first_sentence", mean(turns, func(s spoken) float64 { return Milliseconds(s.first) }), "ms"),
		AtMost(depth+"_calls_median", median(turns, calls), "", healthy), AtMost(depth+"_calls_worst", worst, "", most),
	}
	bar := 1.1
	if depth == model.DepthFull {
		bar = 1.05
	}
	out = append(out, turnToItsCalls(turns, depth, bar))
	for _, p := range protocol.Passes {
		ms := mean(turns, func(s spoken) float64 {
			sum := 0.0
			for _, r := range s.reply.Passes {
				if r.Pass == p {
					sum += r.TookMS
				}
			}
			return sum
		})
		f := Plain(depth+"_pass_"+string(p), ms, "ms")
		if paper := paperMS[p]; paper > 0 {
			f.Bar = fmt.Sprintf("paper %g", paper)
		}
		out = append(out, f)
	}
	return out
}

// together runs the conversations at once and holds their throughput against what
// the server's stated speed allows: its calls and its tokens, so many at a time.
func (l *Load) together(ctx context.Context, a *app.App, o ModelOptions, depth string) ([]Figure, error) {
	if o.FirstToken <= 0 || o.Rate <= 0 {
		return nil, nil
	}
	// Twice the same load: what a mesh keeps of its first turns it keeps once.
	if _, err := meshbench.Turns(ctx, a.Client, meshbench.Options{Conversations: o.Conversations, Turns: o.Turns},
		func(c, n int) *schema.Request { return l.Request("warm-"+depth, c, n) }); err != nil {
		return nil, err
	}
	before := heap()
	result, err := meshbench.Turns(ctx, a.Client, meshbench.Options{Conversations: o.Conversations, Turns: o.Turns},
		func(c, n int) *schema.Request { return l.Request("many-"+depth, c, n) })
	if err != nil {
		return nil, err
	}
	after := heap()
	allowed, err := l.allowed(ctx, a, o, depth)
	if err != nil {
		return nil, err
	}
	return []Figure{
		Plain(depth+"_together", result.PerSecond, "turns/s"), Plain(depth+"_together_p99", Milliseconds(result.P99),
			"ms"),
		Plain(depth+"_speed_allows", allowed, "turns/s"),
		AtLeast(depth+"_together_to_allowed", result.PerSecond/allowed, "", 0.95),
		Plain(depth+"_heap_after_once", before, "MiB"), Plain(depth+"_heap_after_twice", after, "MiB"),
	}, nil
}

// allowed is the throughput that the server's stated speed allows: the turns of a
// conversation come one behind the other, so all are done when the conversation
// whose calls take longest is.
func (l *Load) allowed(ctx context.Context, a *app.App, o ModelOptions, depth string) (float64, error) {
	longest, turns := time.Duration(0), 0
	for c := range o.Conversations {
		took := time.Duration(0)
		for n := range o.Turns / o.Conversations {
			r := l.Request("many-"+depth, c, n)
			reply, err := a.Client.Reply(ctx, r.Conversation(), r.TurnID)
			if err != nil {
				return 0, fmt.Errorf("turn %s: %w", r.TurnID, err)
			}
			turns++
			for _, p := range reply.Passes {
				took += time.Duration(p.LLMCalls)*o.FirstToken +
					time.Duration(float64(p.TokensOut)/o.Rate*float64(time.Second))
			}
		}
		longest = max(longest, took)
	}
	return float64(turns) / longest.Seconds(), nil
}

// heap is what is alive, in MiB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

func mean(turns []spoken, f func(spoken) float64) float64 {
	sum := 0.0
	for _, s := range turns {
		sum += f(s)
	}
	return sum / float64(len(turns))
}

func median(turns []spoken, f func(spoken) float64) float64 {
	var all []float64
	for _, s := range turns {
		all = append(all, f(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
