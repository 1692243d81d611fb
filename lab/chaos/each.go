package chaos

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Alone is what came of one fault by itself.
type Alone struct {
	Kind       string                `json:"kind"`
	Pass       schema.Pass           `json:"pass,omitempty"` // at which it struck; empty where it is of no pass
	Turns      int                   `json:"turns"`
	Struck     int                   `json:"struck"`
	Violations []invariant.Violation `json:"violations"`
}

// Line says it in one line.
func (a Alone) Line() string {
	pass := string(a.Pass)
	if pass == "" {
		pass = "-"
	}
	return fmt.Sprintf("fault %-26s pass %-14s turns=%d struck=%d violations=%d", a.Kind, pass, a.Turns, a.Struck,
		len(a.Violations))
}

// single is a fault to be struck alone.
type single struct {
	kind string
	pass schema.Pass
}

// singles are all faults, those of a pass at each of them; short takes one pass of
// each, by the dice.
func (r *run) singles(short bool) []single {
	d := r.dice(7)
	var out []single
	for _, kind := range Kinds() {
		switch {
		case !r.allowed(kind):
		case !slices.Contains(atPasses, kind):
			out = append(out, single{kind: kind})
		case short:
			out = append(out, single{kind, protocol.Passes[d.IntN(len(protocol.Passes))]})
		default:
			for _, pass := range protocol.Passes {
				out = append(out, single{kind, pass})
			}
		}
	}
	return out
}

// Each strikes every fault by itself, at every pass where it applies, on one mesh that
// comes to rest in between, and tells of each as it ends.
func Each(ctx context.Context, o Options, short bool, told func(Alone)) ([]Alone, error) {
	var out []Alone
	err := onMesh(ctx, o, func(r *run) error {
		r.load = newLoad(r)
		known := map[string]bool{}
		for n, s := range r.singles(short) {
			a, err := r.alone(ctx, s, n, known)
			if err != nil {
				return fmt.Errorf("%s alone: %w", s.kind, err)
			}
			told(a)
			out = append(out, a)
		}
		return nil
	})
	return out, err
}

// Of each fault alone: so many turns at least, and so often it is tried to strike.
const (
	aloneTurns = 6
	aloneTries = 3
	alonePause = 60 * time.Millisecond // between two turns, while the fault strikes
	aloneBegun = 200 * time.Millisecond
	aloneRate  = 0.5 // of a model's faults
)

// alone plays one fault: turns are published from before it strikes until it has
// ended. known are the violations that were told of.
func (r *run) alone(ctx context.Context, s single, n int, known map[string]bool) (Alone, error) {
	r.Only, r.pass, r.one = []string{s.kind}, s.pass, s.kind
	if err := r.models.spoilBy(r.allowed, aloneRate); err != nil {
		return Alone{}, err
	}
	before, struck := len(r.load.accepted), r.struck(s.kind)
	if err := r.strike(ctx, s, n, struck); err != nil {
		return Alone{}, err
	}
	r.mend()
	r.load.later.Wait()
	if err := r.settle(ctx); err != nil {
		r.Told("%v", err)
	}
	kept, err := invariant.Read(ctx, r.client)
	if err != nil {
		return Alone{}, err
	}
	out := Alone{Kind: s.kind, Pass: s.pass, Turns: len(r.load.accepted) - before, Struck: r.struck(s.kind) - struck,
		Violations: []invariant.Violation{}}
	found := r.load.found(kept)
	found.MostEnded = 0 // of a handful of turns a share says nothing
	for _, v := range invariant.Check(found) {
		if key := fmt.Sprint(v); !known[key] {
			known[key] = true
			out.Violations = append(out.Violations, v)
		}
	}
	return out, nil
}

// strike has turns under way while the fault strikes.
func (r *run) strike(ctx context.Context, s single, n, struck int) error {
	d := r.dice(uint64(10_000 + n)) //nolint:gosec // it counts from 0
	over := make(chan struct{})
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(over)
		i := slices.IndexFunc(ownFaults, func(f fault) bool { return f.kind == s.kind })
		for range aloneTries {
			if i < 0 || r.struck(s.kind) > struck {
				return nil // it is the models', or the backend's
			}
			if !sleep(gctx, aloneBegun) { // turns are under way by then
				return gctx.Err()
			}
			if err := r.hit(gctx, ownFaults[i], d); err != nil {
				return err
			}
		}
		return nil
	})
	g.Go(func() error {
		for i := 0; ; i++ {
			select {
			case <-over:
				if i >= aloneTurns {
					return nil
				}
			default:
			}
			if err := r.load.single(gctx, d, n, i); err != nil {
				return err
			}
			if !sleep(gctx, alonePause) {
				return gctx.Err()
			}
		}
	})
	return g.Wait()
}

// struck is how often a kind has struck.
func (r *run) struck(kind string) int {
	r.counts.mu.Lock()
	defer r.counts.mu.Unlock()
	return r.counts.by[kind] + r.models.struck()[kind]
}
