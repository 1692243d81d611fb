package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type traceCmd struct {
	Turn string `arg:"" help:"The turn's id, as the reply carries it."`
}

// Run prints the passes of a turn that is kept.
func (c *traceCmd) Run(e *env) error {
	if err := schema.CheckToken("turn", c.Turn); err != nil {
		return usage(err)
	}
	return e.joining(func(t *talk) error {
		traces, err := t.client.Trace(e.ctx, c.Turn)
		if err != nil {
			return dependency(err)
		}
		if len(traces) == 0 {
			return failed(fmt.Errorf("turn %s has aged out, or was never run here; passes are kept for seven days, in the "+
				"data folder %s", c.Turn, e.settings.Data))
		}
		if !e.json {
			console.Trace(e.out, traces)
			return nil
		}
		for _, tr := range traces {
			if err := e.printJSON(tr); err != nil {
				return err
			}
		}
		return nil
	})
}
