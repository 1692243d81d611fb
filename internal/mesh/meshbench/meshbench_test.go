package meshbench

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The figures are for reading; that both ends do all their turns is what is
// tested.
func TestCompareRunsAllItsTurns(t *testing.T) {
	c, err := Compare(t.Context(), Options{Conversations: 4, Turns: 40}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if c.Bare.Turns != 40 || c.Noop.Turns != 40 || c.Alone.Turns != 50 || c.Noop.P99 < c.Noop.P50 {
		t.Errorf("%+v", c)
	}
	if len(c.Each) != 2 || c.Ratio != c.Each[1] || c.Ratio <= 0 {
		t.Errorf("ratio %f of %v", c.Ratio, c.Each)
	}
}

// BenchmarkMesh prints the comparison: go test -bench Mesh -benchtime 1x.
func BenchmarkMesh(b *testing.B) {
	for b.Loop() {
		c, err := Compare(b.Context(), Options{}, 5)
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("bare chain: %v", c.Bare)
		b.Logf("no-op mesh: %v", c.Noop)
		b.Logf("one at a time: %v", c.Alone)
		b.ReportMetric(c.Ratio, "noop/bare")
	}
}
