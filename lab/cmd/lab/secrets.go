package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type secretsCmd struct {
	Policy string `help:"Policy of the review." enum:"strict,balanced,lively" default:"lively"`
	Judge  string `help:"Judge of what is left open; lying supports everything." enum:"none,lying" default:"lying"`
}

// Run tells every secret of the worlds in every spelling to a review without a guard.
func (c *secretsCmd) Run(e *env) error {
	worlds, err := e.worlds()
	if err != nil {
		return err
	}
	told, err := trials.Secrets(e.ctx, trials.SecretsOptions{Worlds: worlds, Level: grounding.Level(c.Policy),
		Judge: bench.SpeechJudge(c.Judge)})
	if err != nil {
		return err
	}
	if e.json {
		return e.printJSON(told)
	}
	fmt.Fprintf(e.out, "  %-34s %6s %22s %12s %16s\n", "spelling", "tried", "released without guard", "guard finds",
		"got past both")
	for _, t := range told {
		fmt.Fprintf(e.out, "  %-34s %6d %22d %12d %16d\n", t.Spelling, t.Tried, t.Released, t.Guarded,
			t.Released-t.Both)
	}
	return nil
}
