package app

import (
	"fmt"
	"path"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// guarded are the settings of the guards of memory.
func (o *Options) guarded() guards.Settings {
	if o.Guards != nil {
		return *o.Guards
	}
	return guards.Default()
}

// metrics are the counters of a process, with the worlds that it serves.
func (o *Options) metrics() *report.Metrics {
	m := o.Metrics
	if m == nil {
		m = report.NewMetrics()
	}
	for _, w := range o.Worlds {
		m.World(w.Name)
	}
	return m
}

// spentOn are the calls of a model for memory, and the stage that the funnel counts
// them under.
var spentOn = map[string]string{prompt.Memories: "extract", prompt.Cluster: "judge", prompt.Judge: "ground"}

// WriteSettings are the settings of Guard 1's pure part. A newer value takes an
// older one's place as it is written by the rule that the nightly scan has.
func WriteSettings(s guards.Settings) write.Settings {
	g := s.Grounding
	out := write.DefaultSettings()
	out.Floor, out.OnFailure, out.RewritePartial, out.Shadow = g.Floor, write.OnFailure(g.OnUnknown), g.Rewrite, g.Shadow
	out.SkipForTypes = nil
	for _, kind := range g.Skip {
		out.SkipForTypes = append(out.SkipForTypes, schema.MemoryKind(kind))
	}
	out.Supersede, out.Gap = s.Consistency.Auto.Supersede, time.Duration(s.Consistency.Signals.DriftDays)*24*time.Hour
	return out
}

// checkGuards refuses settings that cannot be, and a world that asks for streaming
// where a policy holds each reply until it is scored.
func (o *Options) checkGuards() error {
	s := o.guarded()
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.CheckReach(o.Verifying.Sidecar != "", o.LLM.Primary.URL != ""); err != nil {
		return err
	}
	if !s.Holds() {
		return nil
	}
	for _, w := range o.Worlds {
		where := path.Join(w.Dir, "world.yaml")
		if w.Streaming != nil && *w.Streaming {
			return streamsUnderGuard(where, s)
		}
		for _, handle := range w.Handles() {
			if npc := w.NPCs[handle]; npc.Streaming != nil && *npc.Streaming {
				return streamsUnderGuard(path.Join(w.Dir, npc.Path), s)
			}
		}
	}
	return nil
}

func streamsUnderGuard(where string, s guards.Settings) error {
	return fmt.Errorf("%s: streaming is true, but guards.faithfulness.on_hallucination is %s, which holds a reply "+
		"until it is scored; take streaming out there, or set the policy to %s",
		where, s.Faithfulness.Policy, guards.PolicyWarn)
}
