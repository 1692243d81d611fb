package trials

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
)

// A scan of what the store gives back does what was planted, and no more; how long
// it took is only printed.
func TestScanFindsWhatWasPlanted(t *testing.T) {
	runs, figures, err := Scan(t.Context(), ScanOptions{Sizes: []int{400, 150}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Memories != 150 || runs[1].Memories != 400 {
		t.Fatalf("%+v", runs)
	}
	for _, r := range runs {
		if r.Actions != r.Planted || r.Planted == 0 || r.Clusters == 0 || r.Pairs == 0 || r.ComputeS <= 0 || !r.Stored ||
			r.HeapS <= 0 || r.Calls > judgeBar {
			t.Errorf("%+v", r)
		}
	}
	for _, r := range runs { // a night has fifty calls, and there is more to ask
		if r.Doubtful != judgeBar || r.Carried != r.Calls+doubtful-judgeBar {
			t.Errorf("the judge was asked %d times, %d were carried over", r.Doubtful, r.Carried)
		}
	}
	if runs[0].Growth != 0 || runs[1].Growth <= 0 || runs[1].NLogN < 2.6 || runs[1].NLogN > 3.6 {
		t.Errorf("growth of %+v", runs)
	}
	growth := slices.IndexFunc(figures, func(f bench.Figure) bool { return f.Name == "growth_150_to_400" })
	if growth < 0 || !strings.Contains(figures[growth].Bar, "n log n") || figures[growth].Met == nil {
		t.Errorf("%+v", figures)
	}
	if last := figures[len(figures)-1]; last.Name != "all_with_their_making" || last.Met == nil || !*last.Met {
		t.Errorf("%+v", last)
	}
}

func TestScanBarsAreThoseOfTheirSizes(t *testing.T) {
	for _, c := range []struct {
		memories int
		seconds  float64
		bar      string
		missed   bool
	}{
		{1_000, 99, "", false},
		{10_000, 0.9, "≤ 1", false},
		{10_000, 1.1, "≤ 1", true},
		{100_000, 14, "≤ 15", false},
		{100_000, 16, "≤ 15", true},
	} {
		f := scanFigures([]ScanRun{{Memories: c.memories, ComputeS: c.seconds}}, 0)[0]
		if f.Bar != c.bar || (f.Met != nil && !*f.Met) != c.missed {
			t.Errorf("%d in %v s: %+v", c.memories, c.seconds, f)
		}
	}
}

// A store that would take too long is left out, and so are all larger ones.
func TestAStoreThatTakesTooLongIsLeftOut(t *testing.T) {
	quick := ScanRun{Memories: 1000, Stored: true, MakeS: 0.1, WriteS: 0.2, ReadS: 0.1}
	for _, c := range []struct {
		name   string
		before []ScanRun
		n      int
		passed time.Duration
		want   bool
	}{
		{"the first", nil, 100_000, 0, true},
		{"a quick one", []ScanRun{quick}, 100_000, 10 * time.Second, true},
		{"a slow one", []ScanRun{quick}, 200_000, 0, false},
		{"late", []ScanRun{quick}, 100_000, 30 * time.Second, false},
		{"after one without", []ScanRun{{Memories: 1000}}, 2000, 0, false},
	} {
		if got := affordable(c.before, c.n, c.passed); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
