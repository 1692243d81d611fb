package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type scanCmd struct {
	Memories []int  `help:"Memories of each run." default:"1000,10000,100000" sep:","`
	Seed     uint64 `help:"Another seed, another world." default:"1"`
}

// scannedRuns is what the bench prints.
type scannedRuns struct {
	Runs []trials.ScanRun `json:"runs"`
	Seed uint64           `json:"seed"`
	bench.Measured
}

// Run measures the nightly scan.
func (c *scanCmd) Run(e *env) error {
	for _, n := range c.Memories {
		if n < 100 || n > 1_000_000 {
			return usage(fmt.Errorf("--memories %d: give from 100 to 1000000", n))
		}
	}
	runs, figures, err := trials.Scan(e.ctx, trials.ScanOptions{Sizes: c.Memories, Seed: c.Seed})
	if err != nil {
		return dependency(err)
	}
	out := scannedRuns{Runs: runs, Seed: c.Seed, Measured: bench.Measured{Bench: "scan", Figures: figures}}
	if e.json {
		out.Missed = bench.Missed(figures)
		return e.printJSON(out)
	}
	fmt.Fprintf(e.out, "seed %d; the scan alone, on one core, by rules\n\n  %10s %10s %8s %8s %8s %10s %8s %8s %8s %8s\n",
		c.Seed,
		"memories", "compute s", "growth", "n log n", "clusters", "pairs", "actions", "make s", "write s", "read s")
	for _, r := range runs {
		store := fmt.Sprintf("%8.1f %8.1f", r.WriteS, r.ReadS)
		if !r.Stored {
			store = "the store was left out: it would have taken too long here"
		}
		fmt.Fprintf(e.out, "  %10d %10.3f %8s %8s %8d %10d %8d %8.1f %s\n", r.Memories, r.ComputeS, times(r.Growth),
			times(r.NLogN),
			r.Clusters, r.Pairs, r.Actions, r.MakeS, store)
	}
	fmt.Fprintln(e.out)
	return e.measured(out.Measured)
}

// times is how much longer; of the first run nothing is known.
func times(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("× %.1f", v)
}
