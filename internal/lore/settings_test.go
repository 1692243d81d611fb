package lore_test

import (
	"math"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// The process's settings hold where the world says nothing, the world's where the
// NPC says nothing.
func TestSettingsOfAnNPC(t *testing.T) {
	yes, no := true, false
	process := grounding.DefaultSettings()
	process.Confidence, process.Thresholds.Entailment, process.MaxSources, process.OnContradiction = 0.65, 0.8, 4,
		grounding.Block
	strict, held := process, process
	strict.Strict, held.Streaming = true, false
	for _, c := range []struct {
		name    string
		process *grounding.Settings
		world   world.World
		npc     *world.NPC
		want    func(*grounding.Settings) // from the defaults
	}{
		{"nobody says anything", nil, world.World{}, &world.NPC{}, func(*grounding.Settings) {}},
		{"no NPC", nil, world.World{}, nil, func(*grounding.Settings) {}},
		{"the process alone", &process, world.World{}, &world.NPC{}, func(s *grounding.Settings) { *s = process }},
		{"the world over the process", &process,
			world.World{Thresholds: map[string]float64{"entailment_threshold": 0.9, "max_sources_per_claim": 2}}, &world.NPC{},
			func(s *grounding.Settings) { *s = process; s.Thresholds.Entailment, s.MaxSources = 0.9, 2 }},
		{"the NPC over both", &process,
			world.World{Thresholds: map[string]float64{"entailment_threshold": 0.9, "model": 0.7}},
			&world.NPC{Thresholds: map[string]float64{"entailment_threshold": 0.95}},
			func(s *grounding.Settings) { *s = process; s.Thresholds.Entailment, s.Confidence = 0.95, 0.7 }},
		{"the NPC without a world's word", nil, world.World{}, &world.NPC{Thresholds: map[string]float64{"unknown": 0.1}},
			func(s *grounding.Settings) { s.Unknown = 0.1 }},
		{"the world is asked where there is no NPC", nil, world.World{Thresholds: map[string]float64{"unknown": 0.1}}, nil,
			func(s *grounding.Settings) { s.Unknown = 0.1 }},
		{"a threshold that all reach is no threshold", nil,
			world.World{Thresholds: map[string]float64{"entailment_threshold": -1}},
			&world.NPC{Thresholds: map[string]float64{"entailment_threshold": math.Inf(-1), "max_sources_per_claim": 1e300,
				"confidence_threshold": 7}}, func(*grounding.Settings) {}},

		{"a strict process", &strict, world.World{}, &world.NPC{}, func(s *grounding.Settings) { *s = strict }},
		{"a strict world", nil, world.World{Strict: true}, &world.NPC{}, func(s *grounding.Settings) { s.Strict = true }},
		{"a strict world, an NPC that is not", nil, world.World{Strict: true}, &world.NPC{Strict: &no},
			func(*grounding.Settings) {}},
		{"a strict process, an NPC that is not", &strict, world.World{}, &world.NPC{Strict: &no},
			func(s *grounding.Settings) { *s = process }},
		{"a strict NPC", &process, world.World{}, &world.NPC{Strict: &yes}, func(s *grounding.Settings) { *s = strict }},

		{"a process that holds speeches", &held, world.World{}, &world.NPC{}, func(s *grounding.Settings) { *s = held }},
		{"a world that holds speeches", &process, world.World{Streaming: &no}, &world.NPC{},
			func(s *grounding.Settings) { *s = held }},
		{"an NPC that does not, in one that does", &process, world.World{Streaming: &no}, &world.NPC{Streaming: &yes},
			func(s *grounding.Settings) { *s = process }},
		{"an NPC that streams where the process holds", &held, world.World{}, &world.NPC{Streaming: &yes},
			func(s *grounding.Settings) { *s = process }},
		{"an NPC that holds", &process, world.World{Streaming: &yes}, &world.NPC{Streaming: &no},
			func(s *grounding.Settings) { *s = held }},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := grounding.DefaultSettings()
			c.want(&want)
			x := &lore.Lore{World: &c.world, Grounding: c.process}
			if got := x.SettingsFor(c.npc); got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}
