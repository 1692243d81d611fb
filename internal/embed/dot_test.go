package embed

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

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
