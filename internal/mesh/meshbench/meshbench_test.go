package meshbench

import (
	"testing"
)

// The figures are for reading; that both ends do all their turns is what is
// tested.
func TestBothMeasurementsEnd(t *testing.T) {
	o := Options{Conversations: 4, Turns: 40}
	bare, err := Bare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	noop, err := Noop(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if bare.Turns != 40 || noop.Turns != 40 || bare.PerSecond <= 0 || noop.P99 < noop.P50 {
		t.Errorf("bare %v, noop %v", bare, noop)
	}
}

// BenchmarkMesh prints bare, noop and their ratio: go test -bench Mesh -benchtime 1x.
func BenchmarkMesh(b *testing.B) {
	for b.Loop() {
		o := Options{Turns: 6400}
		bare, err := Bare(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		noop, err := Noop(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		alone, err := Noop(b.Context(), Options{Conversations: 1, Turns: 300})
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("bare chain: %v", bare)
		b.Logf("no-op mesh: %v", noop)
		b.Logf("one at a time: %v", alone)
		b.ReportMetric(noop.PerSecond/bare.PerSecond, "noop/bare")
	}
}
