package scan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// crowd are vectors of one bucket in loose heaps, as those of sentences lie, and
// of some a near one of a given cosine.
func crowd(n, twins, dim int, cosine float64) []*Item {
	random := rand.New(rand.NewPCG(5, 5))
	vector := func() []float32 {
		v := make([]float32, dim)
		for d := range v {
			v[d] = float32(random.NormFloat64())
		}
		return v
	}
	unit := func(v []float32) []float32 {
		length := float32(math.Sqrt(float64(embed.Dot(v, v))))
		for d := range v {
			v[d] /= length
		}
		return v
	}
	heaps := make([][]float32, 1+n/100)
	for i := range heaps {
		heaps[i] = unit(vector())
	}
	var out []*Item
	for range n {
		v := unit(vector())
		heap := heaps[random.IntN(len(heaps))]
		for d := range v {
			v[d] += 0.9 * heap[d]
		}
		out = append(out, &Item{Memory: schema.Memory{NPC: "mira"}, Vector: unit(v)})
	}
	for i := range twins {
		v, w := out[i].Vector, unit(vector())
		along := embed.Dot(v, w)
		for d := range w {
			w[d] -= along * v[d]
		}
		unit(w)
		for d := range w {
			w[d] = float32(cosine)*v[d] + float32(math.Sqrt(1-cosine*cosine))*w[d]
		}
		out = append(out, &Item{Memory: schema.Memory{NPC: "mira"}, Vector: w})
	}
	return out
}

// found are the pairs that a search of one bucket gives.
func found(items []*Item, exact bool, floor float64) map[[2]int]bool {
	r := &run{Scanner: &Scanner{Settings: Settings{Floor: floor}}, items: items, vocab: newVocabulary()}
	out := map[[2]int]bool{}
	for _, b := range r.buckets() {
		b.cut = float32(floor)
		b.meet = func(i, k int) { out[[2]int{min(i, k), max(i, k)}] = true }
		if !exact {
			r.search(b, 0)
			continue
		}
		b.fill(items)
		for x := range b.at {
			for y := x + 1; y < len(b.at); y++ {
				b.meets(x, y)
			}
		}
	}
	return out
}

// Trees miss some of what is barely near, and little of what is very near.
func TestWhatTreesFindInALargeBucket(t *testing.T) {
	for _, c := range []struct{ cosine, least float64 }{{0.8, 0.80}, {0.9, 0.95}} {
		items := crowd(2000, 400, 64, c.cosine)
		all, some := found(items, true, c.cosine-0.001), found(items, false, c.cosine-0.001)
		for p := range some {
			if !all[p] {
				t.Fatalf("%v is no pair", p)
			}
		}
		recall := float64(len(some)) / float64(len(all))
		t.Logf("at %.2f: %d of %d pairs (%.3f)", c.cosine, len(some), len(all), recall)
		if len(all) < 400 || recall < c.least {
			t.Errorf("at %.2f a search finds %d of %d pairs", c.cosine, len(some), len(all))
		}
	}
}

func TestASmallBucketIsSearchedWhole(t *testing.T) {
	items := crowd(300, 40, 32, 0.8)
	if all, some := found(items, true, 0.79), found(items, false, 0.79); len(all) != len(some) || len(all) < 40 {
		t.Errorf("%d of %d pairs", len(some), len(all))
	}
}
