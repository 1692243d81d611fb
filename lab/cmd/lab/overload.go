package main

import (
	"fmt"
	"os"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type overloadCmd struct {
	Seconds    float64 `help:"How long the overload lasts." default:"60"`
	Times      float64 `help:"How many times the capacity is asked for." default:"5"`
	Extractive bool    `help:"Without a model: the processor is what there is too little of."`
}

// Run overloads a mesh of the first world of the settings.
func (c *overloadCmd) Run(e *env) error {
	if c.Seconds < 1 || c.Seconds > 600 || c.Times < 1 || c.Times > 50 {
		return usage(fmt.Errorf("--seconds lies between 1 and 600, --times between 1 and 50"))
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	figures, violations, err := trials.Overload(e.ctx, ws[0], trials.OverloadOptions{Binary: e.forsooth,
		Dir: e.worldName(), Log: os.Stderr,
		For: time.Duration(c.Seconds * float64(time.Second)), Times: c.Times, Extractive: c.Extractive})
	if err != nil {
		return dependency(err)
	}
	for i, v := range violations {
		if i == 20 {
			fmt.Fprintf(e.err, "and %d more\n", len(violations)-i)
			break
		}
		fmt.Fprintf(e.err, "broken: %s, turn %s: %s\n", v.Invariant, v.Turn, v.What)
	}
	return e.measured(bench.Measured{Bench: "overload", World: ws[0].Name, Figures: figures})
}
