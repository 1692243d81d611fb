package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/eval"
)

// judging says when a comparison fails a command.
type judging struct {
	Tolerance   float64 `help:"How far a share may fall before it is worse." default:"0.02"`
	FailOnWorse bool    `help:"Exit 1 where a figure is worse than in the earlier run."`
}

// verdict fails where it was asked to; nil is a run that is held against none.
func (j judging) verdict(c *eval.Comparison) error {
	if c != nil && j.FailOnWorse && len(c.Worse) > 0 {
		return failed(errSilent)
	}
	return nil
}

type evalCompareCmd struct {
	Old string `arg:"" help:"Report of the earlier run, as eval --json prints it." type:"path" placeholder:"OLD.json"`
	New string `arg:"" help:"Report of the later run." type:"path" placeholder:"NEW.json"`
	judging
}

// Run prints two runs side by side.
func (c *evalCompareCmd) Run(e *env) error {
	old, err := eval.ReadReport(c.Old)
	if err != nil {
		return usage(err)
	}
	now, err := eval.ReadReport(c.New)
	if err != nil {
		return usage(err)
	}
	comparison, err := eval.Compare(old, now, c.Tolerance)
	if err != nil {
		return usage(fmt.Errorf("%s and %s: %w", c.Old, c.New, err))
	}
	if e.json {
		err = comparison.WriteJSON(e.out)
	} else {
		comparison.WriteTable(e.out)
	}
	if err != nil {
		return err
	}
	return c.verdict(comparison)
}
