package meshbench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// asNode has this test binary be a process of a bench.
const asNode = "FORSOOTH_TEST_BENCH_NODE"

func TestMain(m *testing.M) {
	if node := os.Getenv(asNode); node != "" {
		if err := Serve(context.Background(), node, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func again(node string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asNode+"="+node)
	cmd.Stderr = os.Stderr
	return cmd
}

// The figures are for reading; that every chain does all its turns, wherever it
// runs, is what is tested.
func TestEveryChainDoesAllItsTurns(t *testing.T) {
	tests := []struct {
		name string
		o    Options
	}{
		{"in one process", Options{}},
		{"in connections of their own", Options{Processes: 3}},
		{"in processes of their own", Options{Processes: 3, Spawn: again}},
		{"on a cluster of three", Options{Replicas: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Conversations, tt.o.Turns, tt.o.Workers = 4, 16, 4
			row, err := Compare(t.Context(), tt.o, 1)
			if err != nil {
				t.Fatal(err)
			}
			for chain, r := range map[Chain]Result{Bare: row.Bare, Hops: row.Hops, Whole: row.Whole} {
				if r.Turns != 16 || r.P99 < r.P50 || r.P50 <= 0 || r.CPU <= 0 {
					t.Errorf("%s: %+v", chain, r)
				}
			}
			if row.HopsRatio != row.Hops.PerSecond/row.Bare.PerSecond ||
				row.WholeRatio != row.Whole.PerSecond/row.Bare.PerSecond {
				t.Errorf("ratios %f and %f", row.HopsRatio, row.WholeRatio)
			}
		})
	}
}

func TestTheMiddleRoundCounts(t *testing.T) {
	if got := median([]float64{9, 1, 3}); got != 3 {
		t.Errorf("median %f", got)
	}
	if got := middle([]Result{{PerSecond: 5}, {PerSecond: 1}, {PerSecond: 2}}).PerSecond; got != 2 {
		t.Errorf("middle round %f", got)
	}
}

func TestTaxCountsEachTurnAlone(t *testing.T) {
	r, err := Tax(t.Context(), Options{Turns: 10})
	if err != nil || r.Turns != 10 || r.P50 <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// One replica of a pass that sleeps 50 ms cannot do more than twenty turns a second,
// so what two do beyond that they have shared.
func TestReplicasShareAPass(t *testing.T) {
	got, err := Scale(t.Context(), Options{Conversations: 8, Turns: 16, Workers: 1}, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].PerSecond > 20 || got[0].Linear != 1 || got[1].PerSecond <= got[0].PerSecond {
		t.Errorf("%+v", got)
	}
}

// BenchmarkChain is for profiles: go test -bench Chain/hops -benchtime 1x -cpuprofile FILE.
func BenchmarkChain(b *testing.B) {
	for _, chain := range []Chain{Bare, Hops, Whole} {
		b.Run(string(chain), func(b *testing.B) {
			for b.Loop() {
				r, err := Measure(b.Context(), chain, Options{Turns: 3000})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.PerSecond, "turns/s")
				b.ReportMetric(float64(r.CPU.Microseconds()), "cpu-us/turn")
			}
		})
	}
}
