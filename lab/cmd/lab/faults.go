package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type faultsCmd struct {
	Turns int     `help:"Turns with each of the two models." default:"120"`
	Jobs  int     `help:"Conversations at once." default:"8"`
	Rate  float64 `help:"The share of calls that fail." default:"0.1"`
	Seed  uint64  `help:"Another seed, other faults." default:"1"`
}

// Run measures the first world of the settings.
func (c *faultsCmd) Run(e *env) error {
	if c.Turns < 1 || c.Jobs < 1 || !(c.Rate > 0 && c.Rate <= 1) {
		return usage(fmt.Errorf("--turns and --jobs are at least 1, --rate lies above 0 and is at most 1"))
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	figures, err := trials.Faults(e.ctx, ws[0], trials.FaultsOptions{Turns: c.Turns, Jobs: c.Jobs, Rate: c.Rate,
		Seed: c.Seed})
	if err != nil {
		return dependency(err)
	}
	return e.measured(bench.Measured{Bench: "faults", World: ws[0].Name, Figures: figures})
}
