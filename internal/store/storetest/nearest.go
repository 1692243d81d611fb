package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func sessionNearest(t *testing.T, place Place[store.Session]) {
	ctx := context.Background()
	everywhere := store.MemoryFilter{World: "w"}
	t.Run("the cosine is told, from 1 down to -1", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("same", []float32{2, 0}), Point("across", []float32{0, 5}), Point("against", []float32{-3, 0}),
			Point("half", []float32{1, 1}))
		wantNearest(t, s, everywhere, []float32{7, 0}, 9, ref{"same", 1}, ref{"half", math.Sqrt2 / 2}, ref{"across", 0},
			ref{"against", -1})
	})
	t.Run("the filter comes before the ranking", func(t *testing.T) {
		s := opened(t, place(t))
		var all []store.MemoryPoint
		for i := range 60 {
			all = append(all, Point(fmt.Sprintf("near%02d", i), []float32{1, 0.01 * float32(i)}))
		}
		put(t, s, all...)
		put(t, s, Point("far", []float32{-1, 0.1}, func(m *schema.Memory) { m.Player = "p2" }))
		wantNearest(t, s, store.MemoryFilter{World: "w", NPC: "mira", Player: "p2"}, []float32{-1, 0.1}, 1, ref{"far", 1})
		wantNearest(t, s, store.MemoryFilter{World: "w", Player: "p2"}, []float32{1, -0.1}, 3, ref{"far", -1})
	})
	t.Run("equal ones come in order of id, where the list is cut too", func(t *testing.T) {
		s := opened(t, place(t))
		var all []store.MemoryPoint
		for i := range 40 {
			all = append(all, Point(fmt.Sprintf("e%02d", (i*17)%40), []float32{0.3, 0.4, 0.1}))
		}
		put(t, s, append(all, Point("z", []float32{1, 0, 0}))...)
		want := []ref{{"z", 1}}
		for i := range 39 {
			want = append(want, ref{fmt.Sprintf("e%02d", i), 0.3 / math.Sqrt(0.26)})
		}
		for _, k := range []int{1, 2, 5, 40} {
			wantNearest(t, s, everywhere, []float32{1, 0, 0}, k, want[:k]...)
		}
	})
	t.Run("none are asked for", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		wantNearest(t, s, everywhere, []float32{1, 0}, 0)
		wantNearest(t, s, everywhere, []float32{1, 0}, -3)
	})
	t.Run("another model's and those without a vector are not seen", func(t *testing.T) {
		s := opened(t, place(t))
		other := Point("other", []float32{1, 0})
		other.Model = "m2"
		put(t, s, Point("bare", nil), other, Point("a", []float32{0, 1}))
		wantNearest(t, s, everywhere, []float32{1, 0}, 9, ref{"a", 0})
	})
	t.Run("a vector of another length is refused", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		if _, err := s.Nearest(ctx, everywhere, model, []float32{1, 0, 0}, 1); err == nil {
			t.Error("was taken")
		}
		for _, v := range [][]float32{nil, {0, 0}, {float32(math.NaN()), 1}} {
			if _, err := s.Nearest(ctx, everywhere, model, v, 1); err == nil {
				t.Errorf("%v was taken", v)
			}
		}
	})
	t.Run("what is written is seen at once, through another client too", func(t *testing.T) {
		open := place(t)
		s, other := opened(t, open), opened(t, open)
		put(t, s, Point("a", []float32{1, 0}), Point("b", []float32{1, 1}))
		for _, c := range []store.Session{s, other} {
			wantNearest(t, c, everywhere, []float32{1, 0}, 9, ref{"a", 1}, ref{"b", math.Sqrt2 / 2})
		}
		put(t, other, Point("a", []float32{0, 1}))
		active := store.MemoryFilter{World: "w", NPC: "mira", Statuses: []schema.MemoryStatus{schema.MemoryActive}}
		for _, c := range []store.Session{s, other} {
			wantNearest(t, c, active, []float32{1, 0}, 9, ref{"b", math.Sqrt2 / 2}, ref{"a", 0})
		}
		put(t, s, Point("b", []float32{1, 1}, func(m *schema.Memory) { m.Status = schema.MemorySuperseded }))
		for _, c := range []store.Session{s, other} {
			wantNearest(t, c, active, []float32{1, 0}, 9, ref{"a", 0})
		}
		if _, err := s.Delete(ctx, active); err != nil {
			t.Fatal(err)
		}
		put(t, other, Point("b", nil), Point("c", []float32{1, 0}, func(m *schema.Memory) { m.NPC = "ansel" }))
		for _, c := range []store.Session{s, other} {
			wantNearest(t, c, everywhere, []float32{1, 0}, 9, ref{"c", 1})
		}
	})
	t.Run("what is gone takes no place in the list", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}), Point("b", []float32{2, 1}), Point("c", []float32{1, 1}),
			Point("d", []float32{1, 2}))
		wantNearest(t, s, everywhere, []float32{1, 0}, 1, ref{"a", 1})
		if _, err := s.Delete(ctx, store.MemoryFilter{World: "w", IDs: []string{"a"}}); err != nil {
			t.Fatal(err)
		}
		put(t, s, Point("b", nil))
		put(t, s, Point("c", []float32{1, 1}, func(m *schema.Memory) { m.World = "w2" }))
		put(t, s, Point("c", []float32{1, 1}, func(m *schema.Memory) { m.NPC = "ansel" }))
		wantNearest(t, s, everywhere, []float32{1, 0}, 1, ref{"c", math.Sqrt2 / 2})
		wantNearest(t, s, store.MemoryFilter{World: "w", NPC: "mira"}, []float32{1, 1}, 1, ref{"d", 3 / math.Sqrt(10)})
	})
	t.Run("a write of another client between two own is seen", func(t *testing.T) {
		open := place(t)
		s, other := opened(t, open), opened(t, open)
		put(t, s, Point("a", []float32{1, 0}))
		wantNearest(t, s, everywhere, []float32{1, 0}, 9, ref{"a", 1})
		put(t, other, Point("b", []float32{1, 1}))
		put(t, s, Point("c", []float32{0, 1}))
		wantNearest(t, s, everywhere, []float32{1, 0}, 9, ref{"a", 1}, ref{"b", math.Sqrt2 / 2}, ref{"c", 0})
	})
	t.Run("the use of a point is told with it", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		must(t, s.Touch(ctx, "w", []string{"a"}, day(4)))
		got, err := s.Nearest(ctx, everywhere, model, []float32{1, 0}, 1)
		if err != nil || len(got) != 1 {
			t.Fatalf("got %v, %v", got, err)
		}
		want := Point("a", []float32{1, 0})
		want.Accessed, want.LastUsed = 1, day(4)
		samePoint(t, got[0].MemoryPoint, want)
	})
	t.Run("as every vector compared with every other", func(t *testing.T) { nearestOfMany(t, opened(t, place(t))) })
}

// nearestOfMany compares with a ranking by brute force, over points of which a
// fifth are doubles of others.
func nearestOfMany(t *testing.T, s store.Session) {
	r := rand.New(rand.NewPCG(6, 2))
	var all []store.MemoryPoint
	for i := range 300 {
		v := direction(r, 16)
		if i%5 == 4 {
			v = slices.Clone(all[r.IntN(i)].Vector)
		}
		all = append(all, Point(fmt.Sprintf("m%03d", (i*101)%300), v, func(m *schema.Memory) {
			m.NPC = []string{"mira", "ansel", "brom"}[i%3]
			m.Player = []string{"", "p1", "p2"}[r.IntN(3)]
			m.Status = []schema.MemoryStatus{schema.MemoryActive, schema.MemoryPending}[r.IntN(2)]
		}))
	}
	for i := 0; i < len(all); i += 100 {
		put(t, s, all[i:i+100]...)
	}
	for _, f := range []store.MemoryFilter{
		{World: "w"},
		{World: "w", NPC: "ansel"},
		{World: "w", NPC: "ansel", Player: "p1", NoPlayer: true, Statuses: []schema.MemoryStatus{schema.MemoryActive}},
	} {
		for range 5 {
			v := direction(r, 16)
			want := bruteForce(all, f, v)
			for _, k := range []int{1, 3, 10, 1000} {
				wantNearest(t, s, f, v, k, want[:min(k, len(want))]...)
			}
		}
	}
}

func direction(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// ref is what a ranking should hold at one place.
type ref struct {
	id    string
	score float64
}

func bruteForce(all []store.MemoryPoint, f store.MemoryFilter, v []float32) []ref {
	var out []ref
	for _, p := range all {
		if !f.Match(&p.Memory) {
			continue
		}
		var dot, a, b float64
		for i := range v {
			x, y := float64(v[i]), float64(p.Vector[i])
			dot, a, b = dot+x*y, a+x*x, b+y*y
		}
		out = append(out, ref{p.Memory.ID, dot / math.Sqrt(a*b)})
	}
	slices.SortFunc(out, func(a, b ref) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	return out
}

func wantNearest(t *testing.T, s store.Session, f store.MemoryFilter, v []float32, k int, want ...ref) {
	t.Helper()
	got, err := s.Nearest(context.Background(), f, model, v, k)
	must(t, err)
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", scoredIDs(got), want)
	}
	for i, w := range want {
		if got[i].Memory.ID != w.id || math.Abs(got[i].Score-w.score) > 1e-5 {
			t.Fatalf("place %d of %d is %s with %.6f, want %s with %.6f", i, k, got[i].Memory.ID, got[i].Score, w.id, w.score)
		}
	}
}
