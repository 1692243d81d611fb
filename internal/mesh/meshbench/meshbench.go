// Package meshbench measures what the mesh itself costs: turns whose passes return
// at once, and its hops alone, beside a bare chain of as many hops with the same
// bytes on the same kind of broker, in the same run; in one process and in several,
// with one copy of the streams and with three. It measures no grounding and asserts
// nothing; a machine's figures are printed, never tested.
package meshbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Chain is what a message goes through.
type Chain string

// The chains, each of as many hops.
const (
	Bare  Chain = "bare"  // plain consumers of one stream
	Hops  Chain = "hops"  // the mesh's hop, with nothing around it
	Whole Chain = "whole" // a turn: queue, schedule, hops, a released sentence, fence, reply, traces, document, finish
)

// Options of one measurement.
type Options struct {
	Conversations int // at once; default 64
	Turns         int // in all; default 2,000
	Bytes         int // of each hop's message; default 8 KiB
	Workers       int // of each hop, in each process that does it; default as many as conversations
	Replicas      int // copies of every stream: 1, or 3 on a cluster of three; default 1
	Processes     int // that share the hops, besides the one that loads them; default 1: all in that one
	Spawn         Spawn
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value *int
		def   int
	}{{&o.Conversations, 64}, {&o.Turns, 2000}, {&o.Bytes, 8 << 10}, {&o.Replicas, 1}, {&o.Processes, 1}} {
		if *d.value <= 0 {
			*d.value = d.def
		}
	}
	if o.Workers <= 0 {
		o.Workers = o.Conversations
	}
	return o
}

// Result is what was measured.
type Result struct {
	Turns     int           `json:"turns"`
	Elapsed   time.Duration `json:"elapsed_ns"`
	PerSecond float64       `json:"turns_per_second"`
	P50       time.Duration `json:"p50_ns"` // of one turn, from publish to reply
	P95       time.Duration `json:"p95_ns"`
	P99       time.Duration `json:"p99_ns"`
	CPU       time.Duration `json:"cpu_ns"` // of one turn, in all processes, broker and load among them
}

func (r Result) String() string {
	return fmt.Sprintf("%d turns in %s: %.0f turns/s, p50 %s, p99 %s, cpu %s", r.Turns, r.Elapsed.Round(time.Millisecond),
		r.PerSecond,
		r.P50.Round(10*time.Microsecond), r.P99.Round(10*time.Microsecond), r.CPU.Round(time.Microsecond))
}

// Measure sends turns through a chain of its own, on a broker of its own.
func Measure(ctx context.Context, chain Chain, o Options) (Result, error) {
	o = o.withDefaults()
	before := used()
	var out Result
	err := withBroker(ctx, o.Replicas, func(b broker) error {
		s, err := build(ctx, b, chain, o)
		if err != nil {
			return err
		}
		out, err = s.load(ctx, o)
		if ended := s.end(); err == nil {
			err = ended
		}
		return err
	})
	if err != nil {
		return Result{}, fmt.Errorf("chain %s: %w", chain, err)
	}
	out.CPU = (used() - before) / time.Duration(max(1, out.Turns))
	return out, nil
}

// drive runs the turns of all conversations, one at a time in each.
func drive(
	ctx context.Context, o Options, turn func(ctx context.Context, convo, n int) error, settle func(context.Context) error,
) (Result, error) {
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
	return resultOf(slices.Concat(took...), time.Since(start)), nil
}

func resultOf(took []time.Duration, elapsed time.Duration) Result {
	r := Result{Turns: len(took), Elapsed: elapsed, PerSecond: float64(len(took)) / elapsed.Seconds()}
	slices.Sort(took)
	if n := len(took); n > 0 {
		r.P50, r.P95, r.P99 = took[n/2], took[n*95/100], took[n*99/100]
	}
	return r
}

// padding is evidence that makes a turn's message as large as asked: many small
// fields, as a real turn has, not one long string.
func padding(bytes int) []protocol.Evidence {
	text := "The mill by the ford burned in the spring, and the miller has not been seen since the night of it; some " +
		"say he went down river."
	var out []protocol.Evidence
	for size := 900; size < bytes; {
		e := protocol.Evidence{ID: fmt.Sprintf("E%d", len(out)+1), SourceID: "1", ChunkID: "lore/mill.md#1",
			Path: "lore/mill.md", Type: "lore",
			Text: text, Score: 0.5, Provenance: protocol.Provenance{Source: schema.OriginCorpus, World: "bench",
				Hash: protocol.HashText(text)}}
		data, err := json.Marshal(e)
		if err != nil {
			return out
		}
		size += len(data) + 1
		out = append(out, e)
	}
	return out
}

// Turns measures a mesh that runs already: so many conversations at once, in
// each of which a turn is published when the reply of the last one is there. It
// ends when all of them are applied. request makes turn n of conversation c.
func Turns(
	ctx context.Context, client *mesh.Client, o Options, request func(c, n int) *schema.Request,
) (Result, error) {
	o = o.withDefaults()
	return turns(ctx, client, func(ctx context.Context, ask func(context.Context, *schema.Request) error) (Result, error) {
		return drive(ctx, o, func(ctx context.Context, c, n int) error { return ask(ctx, request(c, n)) }, client.Idle)
	})
}

// turns gives f a function that publishes a turn and waits for its reply.
func turns(
	ctx context.Context, client *mesh.Client,
	f func(ctx context.Context, ask func(context.Context, *schema.Request) error) (Result, error),
) (Result, error) {
	w := &waiter{waits: map[string]chan struct{}{}}
	listening, stop := context.WithCancel(ctx)
	g, listening := errgroup.WithContext(listening)
	ready := make(chan struct{})
	g.Go(func() error {
		return client.Replies(listening, ready, func(_ schema.ConversationID, turn string) { w.ended(turn) })
	})
	<-ready
	publish := func(ctx context.Context, r *schema.Request) error {
		_, err := client.Publish(ctx, r)
		return err
	}
	out, err := f(listening, func(ctx context.Context, r *schema.Request) error { return w.wait(ctx, r, publish) })
	stop()
	return out, errors.Join(err, g.Wait())
}

// waiter waits for the ends of turns.
type waiter struct {
	mu    sync.Mutex
	waits map[string]chan struct{}
}

func (w *waiter) ended(turn string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ch := w.waits[turn]; ch != nil {
		close(ch)
		delete(w.waits, turn)
	}
}

// wait sends a turn and waits for its end.
func (w *waiter) wait(ctx context.Context, r *schema.Request, send func(context.Context, *schema.Request) error) error {
	done := make(chan struct{})
	w.mu.Lock()
	w.waits[r.TurnID] = done
	w.mu.Unlock()
	if err := send(ctx, r); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
