// Package meshbench measures what the mesh itself costs: a turn whose passes
// return at once, beside a bare chain of as many hops with the same bytes, in
// the same run. It measures no grounding and asserts nothing; a machine's
// figures are printed, never tested.
package meshbench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"golang.org/x/sync/errgroup"
)

// Options of one measurement.
type Options struct {
	Conversations int // at once; default 64
	Turns         int // in all; default 2,000
	Bytes         int // of each hop's message; default 8 KiB
}

func (o Options) withDefaults() Options {
	if o.Conversations == 0 {
		o.Conversations = 64
	}
	if o.Turns == 0 {
		o.Turns = 2000
	}
	if o.Bytes == 0 {
		o.Bytes = 8 << 10
	}
	return o
}

// Result is what was measured.
type Result struct {
	Turns     int           `json:"turns"`
	Elapsed   time.Duration `json:"elapsed_ns"`
	PerSecond float64       `json:"turns_per_second"`
	P50       time.Duration `json:"p50_ns"` // of one turn, from publish to reply
	P99       time.Duration `json:"p99_ns"`
}

func (r Result) String() string {
	return fmt.Sprintf("%d turns in %s: %.0f turns/s, p50 %s, p99 %s", r.Turns, r.Elapsed.Round(time.Millisecond), r.PerSecond,
		r.P50.Round(10*time.Microsecond), r.P99.Round(10*time.Microsecond))
}

// Bare measures the bare chain.
func Bare(ctx context.Context, o Options) (Result, error) {
	o = o.withDefaults()
	var out Result
	err := withBroker(ctx, func(conn *mesh.Conn) error {
		send, stop, err := conn.BareChain(ctx, make([]byte, o.Bytes))
		if err != nil {
			return err
		}
		defer stop()
		out, err = drive(ctx, o, func(ctx context.Context, c, n int) error {
			return send(ctx, fmt.Sprintf("c%dt%d", c, n))
		}, func(context.Context) error { return nil })
		return err
	})
	return out, err
}

// Noop measures the whole protocol around passes that return at once: queue,
// schedule, hops, one released sentence, fence, reply, traces, conversation
// document, finish.
func Noop(ctx context.Context, o Options) (Result, error) {
	o = o.withDefaults()
	var out Result
	err := withBroker(ctx, func(conn *mesh.Conn) error {
		m := mesh.New(conn, mesh.Options{Workers: o.Conversations})
		if err := m.Setup(ctx); err != nil {
			return err
		}
		register(m, padding(o.Bytes))
		running, stop := context.WithCancel(ctx)
		g, running := errgroup.WithContext(running)
		g.Go(func() error { return m.Run(running) })
		var err error
		out, err = Turns(running, mesh.NewClient(conn), o, request)
		stop()
		if waited := g.Wait(); err == nil {
			err = waited
		}
		return err
	})
	return out, err
}

// request is a turn of the no-op mesh.
func request(c, n int) *schema.Request {
	return &schema.Request{
		TurnID: fmt.Sprintf("c%dt%d", c, n), World: "bench", NPC: "mira", Player: fmt.Sprintf("p%d", c),
		Message: "Who burned the mill?", DeadlineMS: schema.MaxDeadlineMS,
	}
}

// Comparison is the no-op mesh beside the bare chain.
type Comparison struct {
	Bare  Result    `json:"bare"`  // of the middle round
	Noop  Result    `json:"noop"`  // of the middle round
	Alone Result    `json:"alone"` // the no-op mesh, one turn at a time
	Ratio float64   `json:"ratio"` // noop / bare, turns per second, the median of the rounds
	Each  []float64 `json:"each"`  // of every round, sorted
}

// Compare measures both in turn, several times: on a machine with other work a
// single pair says little.
func Compare(ctx context.Context, o Options, rounds int) (Comparison, error) {
	o = o.withDefaults()
	type pair struct{ bare, noop Result }
	var pairs []pair
	for range max(rounds, 1) {
		bare, err := Bare(ctx, o)
		if err != nil {
			return Comparison{}, err
		}
		noop, err := Noop(ctx, o)
		if err != nil {
			return Comparison{}, err
		}
		pairs = append(pairs, pair{bare, noop})
	}
	ratio := func(p pair) float64 { return p.noop.PerSecond / p.bare.PerSecond }
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(ratio(a), ratio(b)) })
	middle := pairs[len(pairs)/2]
	c := Comparison{Bare: middle.bare, Noop: middle.noop, Ratio: ratio(middle)}
	for _, p := range pairs {
		c.Each = append(c.Each, ratio(p))
	}
	var err error
	c.Alone, err = Noop(ctx, Options{Conversations: 1, Turns: max(o.Turns/10, 50), Bytes: o.Bytes})
	return c, err
}

func withBroker(ctx context.Context, f func(*mesh.Conn) error) error {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, err := embedded.Start(ctx, embedded.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer server.Stop()
	conn, err := mesh.Connect(ctx, mesh.Dial{InProcess: server, Name: "bench"})
	if err != nil {
		return err
	}
	defer conn.Close()
	return f(conn)
}

// drive runs the turns of all conversations, one at a time in each.
func drive(ctx context.Context, o Options, turn func(ctx context.Context, convo, n int) error, settle func(context.Context) error) (Result, error) {
	each := o.Turns / o.Conversations
	took := make([][]time.Duration, o.Conversations)
	start := time.Now()
	g, gctx := errgroup.WithContext(ctx)
	for c := range o.Conversations {
		g.Go(func() error {
			for n := range each {
				begun := time.Now()
				if err := turn(gctx, c, n); err != nil {
					return err
				}
				took[c] = append(took[c], time.Since(begun))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return Result{}, err
	}
	if err := settle(ctx); err != nil {
		return Result{}, err
	}
	r := Result{Turns: each * o.Conversations, Elapsed: time.Since(start)}
	all := slices.Concat(took...)
	slices.Sort(all)
	if len(all) > 0 {
		r.P50, r.P99 = all[len(all)/2], all[len(all)*99/100]
	}
	r.PerSecond = float64(r.Turns) / r.Elapsed.Seconds()
	return r, nil
}

// padding is evidence that makes a turn's message as large as asked: many small
// fields, as a real turn has, not one long string.
func padding(bytes int) []schema.Evidence {
	text := "The mill by the ford burned in the spring, and the miller has not been seen since the night of it; some say he went down river."
	var out []schema.Evidence
	for size := 900; size < bytes; {
		e := schema.Evidence{ID: fmt.Sprintf("E%d", len(out)+1), SourceID: "1", ChunkID: "lore/mill.md#1", Path: "lore/mill.md", Type: "lore",
			Text: text, Score: 0.5, Provenance: schema.Provenance{Source: schema.OriginCorpus, World: "bench", Hash: schema.HashText(text)}}
		data, err := json.Marshal(e)
		if err != nil {
			return out
		}
		size += len(data) + 1
		out = append(out, e)
	}
	return out
}

// register composes passes that only pass on.
func register(m *mesh.Mesh, pad []schema.Evidence) {
	for i, pass := range schema.Passes {
		next := schema.PassDone
		if i+1 < len(schema.Passes) {
			next = schema.Passes[i+1]
		}
		m.Handle(pass, func(ctx context.Context, t *schema.Turn) (schema.Pass, error) {
			switch pass {
			case schema.PassRetrieve:
				t.Evidence = pad
			case schema.PassReviewSpeech:
				if err := release(ctx, m, t); err != nil {
					return "", err
				}
			case schema.PassAct:
				t.Reply = &schema.Reply{Status: schema.StatusAnswered, Audit: schema.FullyCited, Sentences: t.Released}
			}
			return next, nil
		})
	}
	m.Intake(mesh.Intake{})
	m.Ends(mesh.Ends{Apply: func(doc *schema.Conversation, r *schema.Reply) { doc.Turns++ }})
}

func release(ctx context.Context, m *mesh.Mesh, t *schema.Turn) error {
	state, err := m.Said().Load(ctx, t)
	if err != nil || state.Closed || len(state.Sentences) > 0 {
		return err
	}
	text := "The mill burned in spring."
	s := schema.Sentence{Seq: 1, Text: text, Evidence: []schema.EvidenceRef{}, Hash: schema.HashText(text)}
	return m.Said().Release(ctx, t, schema.ReviewRecord{TurnID: t.TurnID, Seq: 1, Hash: s.Hash, Evidence: []string{"lore/mill.md#1"}}, s)
}
