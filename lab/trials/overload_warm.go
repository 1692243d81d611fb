package trials

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// warming is how many turns a new process has before anything is measured.
const warming = 8

// A mesh is warm when its memory stands still: its highest in one phase is hardly above
// that of the one before. The broker keeps what was last written to each stream, up to
// 8 MB of it, so this takes as long as those fill.
const (
	steady      = 1.02
	longestWarm = 16 // phases; one that is not warm by then is measured as it is
)

// warmUp has just enough conversations keep the mesh busy, none of which says anything
// before it has its answer, until its memory stands still. The capacity is how many
// turns a second it ended in the last phase.
func (o *overload) warmUp(ctx context.Context, phase time.Duration) (capacity float64, took time.Duration, err error) {
	for n := range warming {
		if err := o.talk(ctx, o.request("first", n, 0)); err != nil {
			return 0, 0, err
		}
	}
	conversations := 4 * modelsAtOnce
	if o.Extractive {
		conversations = 16
	}
	var ended atomic.Int64
	var enough atomic.Bool
	g, gctx := errgroup.WithContext(ctx)
	for c := range conversations {
		g.Go(func() error {
			for n := 0; !enough.Load(); n++ {
				if err := o.talk(gctx, o.request("busy", c, n)); err != nil {
					return err
				}
				ended.Add(1)
			}
			return nil
		})
	}
	began, before := time.Now(), 0.0
	for n := range longestWarm {
		from, had := time.Now(), ended.Load()
		memory := o.watchMemory(gctx)
		select {
		case <-gctx.Done():
		case <-time.After(phase):
		}
		_, most := memory()
		capacity = float64(ended.Load()-had) / time.Since(from).Seconds()
		if gctx.Err() != nil || n > 0 && most <= steady*before {
			break
		}
		before = max(before, most)
	}
	enough.Store(true)
	took = time.Since(began)
	return capacity, took, g.Wait()
}

// talk says a turn, as often as it is refused, and hears its reply.
func (o *overload) talk(ctx context.Context, r *schema.Request) error {
	for {
		err := o.say(ctx, r)
		var refused *mesh.RefusedError
		switch {
		case err == nil:
			return o.hear(ctx, r)
		case !errors.As(err, &refused):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(refused.RetryAfter):
		}
	}
}

// watchMemory looks at the memory of the process, from now until the function that it
// returns is called, which gives the first and the highest figure in MB.
func (o *overload) watchMemory(ctx context.Context) (done func() (start, most float64)) {
	ctx, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	start, _, _ := o.process.Memory() // without /proc there is no figure
	most := start
	wait.Go(func() {
		ticker := time.NewTicker(250 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if now, _, err := o.process.Memory(); err == nil {
				most = max(most, now)
			}
		}
	})
	return func() (float64, float64) {
		stop()
		wait.Wait()
		return start, most
	}
}
