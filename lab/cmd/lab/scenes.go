package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/lab/trials"
)

type scenesCmd struct {
	Turns int           `help:"What the four players say together." default:"500"`
	Pause time.Duration `help:"Between two kills." default:"2s"`
	Seed  uint64        `help:"Other words and moves." default:"1"`
}

// Run has NPCs and players talk in a scene while the mesh is killed under them.
func (c *scenesCmd) Run(e *env) error {
	if c.Turns < 1 || c.Pause < 0 {
		return usage(errors.New("--turns is 1 at least, and --pause no less than 0"))
	}
	r, err := trials.Scenes(e.ctx, trials.ScenesOptions{Turns: c.Turns, Pause: c.Pause, Seed: c.Seed, Binary: e.forsooth,
		Log: e.err, Said: e.said})
	if err != nil {
		return dependency(err)
	}
	for _, v := range r.Violations {
		e.said("broken: %s, %s: %s", v.Invariant, v.Turn, v.What)
	}
	if e.json {
		err = e.printJSON(r)
	} else {
		_, err = fmt.Fprintln(e.out, r.Line())
	}
	if err == nil && len(r.Violations) > 0 {
		err = errFound
	}
	return err
}
