package embed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTopKIsTheHeadOfTheFullOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, n := rapid.IntRange(1, 40).Draw(t, "dim"), rapid.IntRange(0, 60).Draw(t, "n")
		k := rapid.IntRange(-1, 70).Draw(t, "k")
		number := rapid.Map(rapid.IntRange(-2, 2), func(i int) float32 { return float32(i) }) // few values: many ties
		vector := rapid.SliceOfN(number, dim, dim)
		f := NewFlat(dim, 0)
		admitted := make([]bool, n)
		for i := range n {
			if err := f.Add(vector.Draw(t, "vector")); err != nil {
				t.Fatal(err)
			}
			admitted[i] = rapid.Bool().Draw(t, "admitted")
		}
		query := vector.Draw(t, "query")
		var want []Hit
		for i := range n {
			if admitted[i] {
				want = append(want, Hit{i, Dot(query, f.At(i))})
			}
		}
		slices.SortStableFunc(want, func(a, b Hit) int { return int(b.Score - a.Score) })
		want = want[:min(len(want), max(k, 0))]
		if got := f.TopK(query, k, func(i int) bool { return admitted[i] }); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestTopKWithoutAFilterSeesAll(t *testing.T) {
	f, random := randomFlat(t, 100, 256)
	if got := f.TopK(f.At(42), 1, nil); len(got) != 1 || got[0].Index != 42 {
		t.Errorf("the vector nearest to number 42 is %v", got)
	}
	if got := f.TopK(random()[:255], 5, nil); got != nil {
		t.Errorf("a query of another dimension finds %v", got)
	}
	if err := f.Add(make([]float32, 8)); err == nil {
		t.Error("a vector of another dimension was added")
	}
}

func TestTopKAllocatesItsResultAlone(t *testing.T) {
	f, random := randomFlat(t, 500, 256)
	query, even := random(), func(i int) bool { return i%2 == 0 }
	if n := testing.AllocsPerRun(50, func() { f.TopK(query, 10, even) }); n > 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}

func TestDotAndCosine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 70).Draw(t, "n")
		numbers := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n)
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		var dot, aa, bb float64
		for i := range a {
			dot += float64(a[i]) * float64(b[i])
			aa += float64(a[i]) * float64(a[i])
			bb += float64(b[i]) * float64(b[i])
		}
		if got := float64(Dot(a, b)); math.Abs(got-dot) > 1e-4 || Dot(a, b) != Dot(b, a) {
			t.Fatalf("Dot %v, want %v both ways", got, dot)
		}
		if aa < 1e-12 || bb < 1e-12 {
			return
		}
		if got, want := float64(Cosine(a, b)), dot/math.Sqrt(aa*bb); math.Abs(got-want) > 1e-3 {
			t.Fatalf("Cosine %v, want %v", got, want)
		}
	})
	if got := Cosine([]float32{0, 0}, []float32{1, 2}); got != 0 {
		t.Errorf("Cosine with a zero vector is %v", got)
	}
	if got := Dot([]float32{1, 2, 3}, []float32{1}); got != 1 {
		t.Errorf("Dot of unequal lengths is %v", got)
	}
}

func randomFlat(t testing.TB, n, dim int) (*Flat, func() []float32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		normalise(v)
		return v
	}
	f := NewFlat(dim, n)
	for range n {
		if err := f.Add(random()); err != nil {
			t.Fatal(err)
		}
	}
	return f, random
}

func BenchmarkTopK(b *testing.B) {
	f, random := randomFlat(b, 10_000, 256)
	query := random()
	for _, c := range []struct {
		name  string
		allow func(i int) bool
	}{
		{"all of 10000", nil},
		{"half", func(i int) bool { return i%2 == 0 }},
		{"one in 20", func(i int) bool { return i%20 == 0 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.TopK(query, 10, c.allow)
			}
		})
	}
}
