package main

import (
	"errors"
	"time"

	"github.com/forsooth-npc/forsooth/lab/trials"
)

type rollingCmd struct {
	Kinds    int           `help:"Kinds of process: the six services of a turn are shared out among so many." default:"6"`
	Replicas int           `help:"Processes of each kind." default:"2"`
	Players  int           `help:"Players who talk meanwhile." default:"20"`
	Rate     float64       `help:"Turns a second that they say." default:"5"`
	Deadline time.Duration `help:"Of each turn." default:"8s"`
	Pause    time.Duration `help:"Before each restart." default:"1s"`
	Seed     uint64        `help:"Other players." default:"1"`
}

// Run restarts a fleet.
func (c *rollingCmd) Run(e *env) error {
	if c.Kinds < 1 || c.Kinds > trials.RolledServices || c.Replicas < 1 || c.Players < 1 || c.Rate <= 0 ||
		c.Pause < 0 || c.Deadline < 2*time.Second || c.Deadline > time.Minute {
		return usage(errors.New("--kinds lies between 1 and 6, --replicas and --players are 1 at least, --rate " +
			"above 0, --deadline between 2s and 60s"))
	}
	r, err := trials.Rolling(e.ctx, trials.RollingOptions{Kinds: c.Kinds, Replicas: c.Replicas, Players: c.Players,
		Rate: c.Rate, Deadline: c.Deadline, Pause: c.Pause, Seed: c.Seed,
		Binary: e.forsooth, Log: e.err, Said: e.said})
	if err != nil {
		return dependency(err)
	}
	if e.json {
		err = e.printJSON(r)
	} else {
		e.heading("rolling")
		r.Print(e.out)
	}
	if err == nil && len(r.Violations) > 0 {
		err = errFound
	}
	return err
}
