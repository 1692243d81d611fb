package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func sessionLasts(t *testing.T, place Place[store.Session]) {
	ctx := context.Background()
	t.Run("over a restart", func(t *testing.T) {
		open := place(t)
		s := begun(t, open)
		a, b := Point("a", []float32{3, 4}), Point("b", nil)
		put(t, s, a, b, Point("gone", []float32{1, 0}))
		must(t, s.Touch(ctx, "w", []string{"a"}, day(2)))
		must(t, s.Mark(ctx, "log", "17"))
		if _, err := s.Delete(ctx, store.MemoryFilter{World: "w", IDs: []string{"gone"}}); err != nil {
			t.Fatal(err)
		}
		ended(t, s)
		s = opened(t, open)
		a.Accessed, a.LastUsed = 1, day(2)
		wantPoint(t, s, a)
		wantPoint(t, s, b)
		wantIDs(t, s, store.MemoryFilter{World: "w"}, "a", "b")
		wantMark(t, s, "log", "17")
		wantNearest(t, s, store.MemoryFilter{World: "w"}, []float32{3, 4}, 5, ref{"a", 1})
	})
	t.Run("under writers at once, each batch and each use once",
		func(t *testing.T) { manyWriters(t, opened(t, place(t))) })
	t.Run("under two clients at once", func(t *testing.T) {
		open := place(t)
		clients := []store.Session{opened(t, open), opened(t, open)}
		together(t, len(clients), func(c int) error {
			for i := range 10 {
				if err := clients[c].Put(ctx,
					[]store.MemoryPoint{Point(fmt.Sprintf("c%d-%d", c, i), []float32{1, float32(i)})}); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range clients {
			if n, err := c.Count(ctx, store.MemoryFilter{World: "w"}); n != 20 || err != nil {
				t.Errorf("count = %d, %v; want 20", n, err)
			}
		}
	})
}

func manyWriters(t *testing.T, s store.Session) {
	const writers, batches = 8, 10
	ctx := context.Background()
	all := store.MemoryFilter{World: "w"}
	put(t, s, Point("shared", []float32{1, 0}))
	together(t, writers, func(w int) error {
		for i := range batches {
			batch := []store.MemoryPoint{Point("shared", []float32{1, 0})}
			for k := range 3 {
				batch = append(batch, Point(fmt.Sprintf("w%d-%d-%d", w, i, k), []float32{0.5, float32(i + 1)}))
			}
			batch = append(batch, Point(fmt.Sprintf("w%d-gone", w), []float32{1, 1}))
			if err := s.Put(ctx, batch); err != nil {
				return err
			}
			if err := s.Touch(ctx, "w", []string{"shared"}, day(i)); err != nil {
				return err
			}
			if _, err := s.Nearest(ctx, all, model, []float32{1, 0}, 3); err != nil {
				return err
			}
			if _, err := s.Delete(ctx, store.MemoryFilter{World: "w", IDs: []string{fmt.Sprintf("w%d-gone", w)}}); err != nil {
				return err
			}
		}
		return nil
	})
	if n, err := s.Count(ctx, all); n != 1+writers*batches*3 || err != nil {
		t.Errorf("count = %d, %v; want %d", n, err, 1+writers*batches*3)
	}
	want := Point("shared", []float32{1, 0})
	want.Accessed, want.LastUsed = writers*batches, day(batches-1)
	wantPoint(t, s, want)
	if got, err := s.Nearest(ctx, all, model, []float32{1, 0}, 1000); err != nil || len(got) != 1+writers*batches*3 {
		t.Errorf("nearest = %d points, %v; want all", len(got), err)
	}
}

// together runs n functions at once and wants no error of any.
func together(t *testing.T, n int, do func(i int) error) {
	t.Helper()
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { errs[i] = do(i) })
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// sessionOfMany holds points of twenty NPCs and fifty players, in number as
// LargeVar says, and logs how long each part took.
func sessionOfMany(t *testing.T, place Place[store.Session]) {
	const dims = 32
	ctx, open, size := context.Background(), place(t), points()
	s := begun(t, open)
	all := manyPoints(size, dims)
	watch := func(what string) func() {
		start := time.Now()
		return func() { t.Logf("%d points: %s: %v", size, what, time.Since(start).Round(time.Millisecond)) }
	}
	done := watch("put")
	for batch := range slices.Chunk(all, 1000) {
		put(t, s, batch...)
	}
	done()
	wantCount(t, s, store.MemoryFilter{World: "w"}, size)
	wantCount(t, s, store.MemoryFilter{World: "w", NPC: "n7"}, size/20)
	wantCount(t, s, store.MemoryFilter{World: "w", Mentions: "p13"}, size/50)

	done = watch("scroll")
	pages(t, s, store.MemoryFilter{World: "w"}, size)
	done()

	r := rand.New(rand.NewPCG(6, 4))
	done = watch("nearest, six times")
	for _, f := range []store.MemoryFilter{
		{World: "w"}, {World: "w", NPC: "n7"},
		{World: "w", NPC: "n7", Player: "p7", Statuses: []schema.MemoryStatus{schema.MemoryActive}},
	} {
		for range 2 {
			v := direction(r, dims)
			wantNearest(t, s, f, v, 10, bruteForce(all, f, v)[:10]...)
		}
	}
	done()

	done = watch("delete of a player")
	if n, err := s.Delete(ctx, store.MemoryFilter{World: "w", Mentions: "p7"}); n != size/50 || err != nil {
		t.Errorf("deleted %d, %v; want %d", n, err, size/50)
	}
	done()
	ended(t, s)
	done = watch("open")
	s = opened(t, open)
	done()
	wantCount(t, s, store.MemoryFilter{World: "w"}, size-size/50)
	wantCount(t, s, store.MemoryFilter{World: "w", Player: "p7"}, 0)
}

func manyPoints(size, dims int) []store.MemoryPoint {
	r := rand.New(rand.NewPCG(6, 3))
	out := make([]store.MemoryPoint, size)
	for i := range out {
		out[i] = Point(fmt.Sprintf("m%024x", r.Uint64()), direction(r, dims), func(m *schema.Memory) {
			m.NPC, m.Player = fmt.Sprintf("n%d", i%20), fmt.Sprintf("p%d", i%50)
			m.Subject, m.TurnID, m.Object = "player:"+m.Player, fmt.Sprintf("t%d", i/4), fmt.Sprintf("place %d", i%997)
			m.EventTime = day(i % 365)
			m.Witnesses = nil
		})
	}
	return out
}

func pages(t *testing.T, s store.Session, f store.MemoryFilter, want int) {
	t.Helper()
	after, n := "", 0
	for {
		page, err := s.Scroll(context.Background(), f, after, 10_000)
		must(t, err)
		if len(page) == 0 {
			break
		}
		for _, p := range page {
			if p.Memory.ID <= after {
				t.Fatalf("%s comes after %s", p.Memory.ID, after)
			}
			after = p.Memory.ID
		}
		n += len(page)
	}
	if n != want {
		t.Errorf("%d points in all pages, want %d", n, want)
	}
}

func wantCount(t *testing.T, s store.Session, f store.MemoryFilter, want int) {
	t.Helper()
	if n, err := s.Count(context.Background(), f); n != want || err != nil {
		t.Errorf("count = %d, %v; want %d", n, err, want)
	}
}
