package trials

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// OverloadOptions size a run.
type OverloadOptions struct {
	Binary     string // forsooth itself
	Dir        string // the world as --world names it
	Log        *os.File
	For        time.Duration // of the overload; default a minute
	Times      float64       // the capacity; default 5
	Extractive bool          // without a model: the processor is what there is too little of
}

// What a model of the run can do: so many calls of each pass at once, each of which
// takes so long.
const (
	modelsAtOnce = 8
	modelTakes   = 250 * time.Millisecond
)

// Overload asks more of a mesh than it can do, and says what became of the turns that
// it took, of those it did not take, and of its memory; and how soon it is itself again.
// The mesh is `up` in a process of its own, on a folder of its own.
func Overload(ctx context.Context, w *world.World, o OverloadOptions) (_ []bench.Figure, _ []invariant.Violation,
	err error) {
	if o.For <= 0 {
		o.For = time.Minute
	}
	if o.Times <= 0 {
		o.Times = 5
	}
	l, err := bench.NewLoad(w)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "forsooth-overload-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env, closeModel, err := o.environment()
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	p, err := bench.Begin(ctx, o.Binary, o.Log, env, "up", "--world", o.Dir, "--data", dir, "--port", "0")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		_, stopErr := p.Stop()
		err = errors.Join(err, stopErr)
	}()
	conn, err := transport.Connect(ctx, transport.Dial{URL: p.NATS, Name: "forsooth bench"})
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	run := &overload{OverloadOptions: o, load: l, client: mesh.NewClient(conn), process: p}
	return run.run(ctx)
}

// environment starts the model, and names it to the mesh.
func (o OverloadOptions) environment() (env []string, done func() error, err error) {
	if o.Extractive {
		return nil, func() error { return nil }, nil
	}
	server, err := llmtest.Start(llmtest.Options{Persona: "quote", Pace: llmtest.Pace{First: modelTakes}})
	if err != nil {
		return nil, nil, err
	}
	env = []string{"FORSOOTH_LLM_URL=" + server.URL(), "FORSOOTH_LLM_MODEL=scripted"}
	for _, pass := range []string{"THINK", "DECIDE", "SPEAK"} {
		env = append(env, fmt.Sprintf("FORSOOTH_WORKERS_%s=%d", pass, modelsAtOnce))
	}
	return env, server.Close, nil
}

// overload is a run.
type overload struct {
	OverloadOptions
	load    *bench.Load
	client  *mesh.Client
	process *bench.Process

	mu       sync.Mutex
	accepted []invariant.Accepted
	refused  refusals
	unsent   int // the generator itself was late
}

// refusals are publishes that the mesh did not take, and what they were told.
type refusals struct {
	busy, full  int
	least, most time.Duration // of retry_after
}

func (r *refusals) add(e *mesh.RefusedError) {
	if e.Busy {
		r.busy++
	} else {
		r.full++
	}
	if r.busy+r.full == 1 || e.RetryAfter < r.least {
		r.least = e.RetryAfter
	}
	r.most = max(r.most, e.RetryAfter)
}

// phases of a run, besides the overload itself.
const (
	restShare  = 0.5 // of capacity, before and after
	shortPhase = 5 * time.Second
	longPhase  = 15 * time.Second
)

// span is a time in which turns were accepted.
type span struct{ from, to time.Time }

func (s span) holds(t time.Time) bool { return !t.Before(s.from) && t.Before(s.to) }

func (o *overload) run(ctx context.Context) ([]bench.Figure, []invariant.Violation, error) {
	phase := max(shortPhase, min(longPhase, o.For/4))
	cold, _, _ := o.process.Memory() // without /proc there is no figure
	capacity, warmed, err := o.warmUp(ctx, phase)
	if err != nil {
		return nil, nil, err
	}
	normal, err := o.publish(ctx, "normal", restShare*capacity, phase)
	if err != nil {
		return nil, nil, err
	}
	o.refused = refusals{}
	memory := o.watchMemory(ctx)
	before := len(o.accepted)
	over, err := o.publish(ctx, "over", o.Times*capacity, o.For)
	if err != nil {
		return nil, nil, err
	}
	taken := len(o.accepted) - before
	after, err := o.publish(ctx, "after", restShare*capacity, longPhase)
	if err != nil {
		return nil, nil, err
	}
	start, most := memory()
	end, _, _ := o.process.Memory()
	idle, stop := context.WithTimeout(ctx, time.Minute) // what is still under way then is a violation
	defer stop()
	_ = o.client.Idle(idle)
	kept, err := o.kept(ctx)
	if err != nil {
		return nil, nil, err
	}
	violations := invariant.Check(&invariant.Run{Accepted: o.accepted, Kept: kept})
	out := []bench.Figure{
		bench.Plain("capacity", capacity, "turns/s"),
		bench.Plain("offered", o.Times*capacity, "turns/s"),
		bench.Plain("offered_unsent", float64(o.unsent), ""),
		bench.Plain("accepted", float64(taken)/o.For.Seconds(), "turns/s"),
		bench.Plain("refused_busy", float64(o.refused.busy), ""), bench.Plain("refused_full", float64(o.refused.full),
			""),
		bench.Plain("retry_after_least", bench.Milliseconds(o.refused.least), "ms"),
		bench.Plain("retry_after_most", bench.Milliseconds(o.refused.most), "ms"),
	}
	out = append(out, outcomes(kept.Replies, over)...)
	out = append(out,
		bench.Plain("normal_p50", bench.Milliseconds(quantile(latencies(kept.Replies, normal), 0.5)), "ms"),
		bench.Plain("normal_p95", bench.Milliseconds(quantile(latencies(kept.Replies, normal), 0.95)), "ms"),
		bench.Plain("overload_p50", bench.Milliseconds(quantile(latencies(kept.Replies, over), 0.5)), "ms"),
		bench.Plain("overload_p99", bench.Milliseconds(quantile(latencies(kept.Replies, over), 0.99)), "ms"),
		bench.Plain("warmed_up", warmed.Seconds(), "s"), bench.Plain("resident_when_ready", cold, "MB"),
		bench.Plain("resident_at_start", start, "MB"), bench.Plain("resident_most", most, "MB"),
		bench.Plain("resident_at_end", end, "MB"),
		bench.AtMost("resident_to_start", most/max(1, start), "", 1.3),
		bench.AtMost("recovery", recovery(kept.Replies, normal, after).Seconds(), "s", 5),
		bench.AtMost("violations", float64(len(violations)), "", 0),
	)
	return out, violations, nil
}

// kept reads the streams when the last timers have ended.
func (o *overload) kept(ctx context.Context) (invariant.Kept, error) {
	for range 100 {
		timers, err := invariant.Timers(ctx, o.client)
		undone, undoneErr := o.client.Undone(ctx)
		if err := errors.Join(err, undoneErr); err != nil {
			return invariant.Kept{}, err
		}
		if len(timers)+len(undone) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return invariant.Kept{}, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return invariant.Read(ctx, o.client)
}

func (o *overload) request(phase string, convo, n int) *schema.Request {
	r := o.load.Request(phase, convo, n)
	r.DeadlineMS = 0 // the default, as players have it
	return r
}

func (o *overload) hear(ctx context.Context, r *schema.Request) error {
	ctx, stop := context.WithTimeout(ctx, 2*r.Deadline())
	defer stop()
	events, err := o.client.Watch(ctx, r.Conversation(), r.TurnID)
	if err != nil {
		return err
	}
	replied := false
	for e := range events {
		replied = replied || e.Reply != nil
	}
	if !replied {
		return fmt.Errorf("turn %s has no reply", r.TurnID)
	}
	return nil
}

// say publishes a turn, and counts it where the mesh takes it, and where it does not.
func (o *overload) say(ctx context.Context, r *schema.Request) error {
	taken, err := o.client.Publish(ctx, r)
	o.mu.Lock()
	defer o.mu.Unlock()
	var refused *mesh.RefusedError
	switch {
	case errors.As(err, &refused):
		o.refused.add(refused)
	case err == nil:
		o.accepted = append(o.accepted, invariant.Accepted{Convo: r.Conversation(), Turn: r.TurnID,
			Sequence: taken.Sequence, At: time.Now(), Deadline: r.Deadline()})
	}
	return err
}

// speaking is how many turns are on their way to the broker at once, and eachSays how
// often one player says something.
const (
	speaking = 64
	eachSays = 5 * time.Second
)

// publish has many players say so many turns a second, whatever becomes of them.
func (o *overload) publish(ctx context.Context, phase string, rate float64, long time.Duration) (span, error) {
	players := int(rate*eachSays.Seconds()) + 1
	due := make(chan int, speaking)
	g, gctx := errgroup.WithContext(ctx)
	for range speaking {
		g.Go(func() error {
			for n := range due {
				err := o.say(gctx, o.request(phase, n%players, n/players))
				if refused := (*mesh.RefusedError)(nil); err != nil && !errors.As(err, &refused) {
					return err
				}
			}
			return nil
		})
	}
	s := span{from: time.Now()}
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	sent := 0
	for gctx.Err() == nil && time.Since(s.from) < long {
		for want := int(time.Since(s.from).Seconds() * rate); sent < want; sent++ {
			select {
			case due <- sent:
			default:
				o.mu.Lock()
				o.unsent++
				o.mu.Unlock()
			}
		}
		<-ticker.C
	}
	s.to = time.Now()
	close(due)
	return s, g.Wait()
}

// latencies are those of the turns that were accepted in a time, by the broker's clock.
func latencies(replies []invariant.Reply, in span) []time.Duration {
	var out []time.Duration
	for i := range replies {
		if r := &replies[i]; in.holds(r.AcceptedAt) {
			out = append(out, r.At.Sub(r.AcceptedAt))
		}
	}
	slices.Sort(out)
	return out
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// outcomes count how the turns of a time ended.
func outcomes(replies []invariant.Reply, in span) []bench.Figure {
	count := map[string]int{}
	for i := range replies {
		if r := &replies[i]; in.holds(r.AcceptedAt) {
			name := "replies_" + string(r.Status)
			if r.Reason == schema.ReasonOverload || r.Reason == schema.ReasonDeadline ||
				r.Reason == schema.ReasonRateLimited {
				name += "_" + r.Reason
			}
			count[name]++
		}
	}
	var out []bench.Figure
	for name, n := range count {
		out = append(out, bench.Plain(name, float64(n), ""))
	}
	slices.SortFunc(out, func(a, b bench.Figure) int { return int(b.Value - a.Value) })
	return out
}

// A mesh is itself again when of the turns of half a second nine in ten take no longer
// than usual, and of those of the next one too.
const (
	window = 500 * time.Millisecond
	usual  = 0.9
)

// recovery is how long after the overload that was.
func recovery(replies []invariant.Reply, normal, after span) time.Duration {
	bar := quantile(latencies(replies, normal), 0.95)*3/2 + 20*time.Millisecond
	isUsual := func(from time.Time) bool {
		all := latencies(replies, span{from, from.Add(window)})
		return len(all) > 0 && quantile(all, usual) <= bar
	}
	for at := after.from; at.Add(2 * window).Before(after.to); at = at.Add(window / 2) {
		if isUsual(at) && isUsual(at.Add(window)) {
			return at.Sub(after.from)
		}
	}
	return after.to.Sub(after.from)
}
