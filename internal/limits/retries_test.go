package limits

import (
	"testing"

	"pgregory.net/rapid"
)

// However tries and retries fall, there are never more retries than the first few and
// the share of the tries.
func TestRetriesStayWithinTheirShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share, first := rapid.Float64Range(0.01, 1).Draw(t, "share"), rapid.IntRange(0, 20).Draw(t, "first")
		r := NewRetries(share, first, 20)
		tries, retries := 0, 0
		for _, fails := range rapid.SliceOfN(rapid.Bool(), 0, 400).Draw(t, "fails") {
			if !fails {
				tries++
				r.Earn()
			} else if r.Take() {
				retries++
			}
			if most := float64(first) + share*float64(tries) + 1e-6; float64(retries) > most {
				t.Fatalf("%d retries of %d tries; %g are the most", retries, tries, most)
			}
		}
	})
}

func TestAQuietTimeSavesUpABurstOfRetries(t *testing.T) {
	r := NewRetries(0.5, 1, 3)
	for range 100 {
		r.Earn()
	}
	n := 0
	for r.Take() {
		n++
	}
	if n != 3 {
		t.Errorf("%d retries after a quiet time, want 3", n)
	}
}
