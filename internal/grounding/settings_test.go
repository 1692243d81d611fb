package grounding_test

import (
	"math"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
)

func TestTheDefaultSettings(t *testing.T) {
	s := grounding.DefaultSettings()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	want := grounding.Settings{Confidence: 0.6, Unknown: 0.25, ExtractiveFallback: true, Streaming: true,
		MaxUnverifiable: 0.5,
		OnContradiction: grounding.Flag, OnUnverifiable: grounding.Flag, MaxSources: 5}
	if s != want {
		t.Errorf("got %+v\nwant %+v", s, want)
	}
}

// Each number of a world or an NPC takes the place of one, and of no other.
func TestNumbersReplaceOneEach(t *testing.T) {
	base := grounding.DefaultSettings()
	for _, c := range []struct {
		name string
		v    float64
		want func(*grounding.Settings)
	}{
		{"confidence_threshold", 0.7, func(s *grounding.Settings) { s.Confidence = 0.7 }},
		{"model", 0.7, func(s *grounding.Settings) { s.Confidence = 0.7 }},
		{"unknown_threshold", 0.1, func(s *grounding.Settings) { s.Unknown = 0.1 }},
		{"unknown", 0.1, func(s *grounding.Settings) { s.Unknown = 0.1 }},
		{"entailment_threshold", 0.9, func(s *grounding.Settings) { s.Thresholds.Entailment = 0.9 }},
		{"contradiction_threshold", 0.8, func(s *grounding.Settings) { s.Thresholds.Contradiction = 0.8 }},
		{"max_unverifiable_ratio", 0.2, func(s *grounding.Settings) { s.MaxUnverifiable = 0.2 }},
		{"max_sources_per_claim", 3, func(s *grounding.Settings) { s.MaxSources = 3 }},
		{"a name of no number", 3, func(*grounding.Settings) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := base
			c.want(&want)
			if got := base.With(map[string]float64{c.name: c.v}); got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
	for _, name := range grounding.Numbers {
		if got := base.With(map[string]float64{name: 0.12}); got == base {
			t.Errorf("%s is listed and sets nothing", name)
		}
	}
	if got := base.With(nil); got != base {
		t.Errorf("nothing changes %+v", got)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*grounding.Settings)
		want string
	}{
		{"a confidence above 1", func(s *grounding.Settings) { s.Confidence = 60 }, "confidence_threshold is 60"},
		{"no number", func(s *grounding.Settings) { s.Unknown = math.NaN() }, "unknown_threshold is NaN"},
		{"zones the wrong way round", func(s *grounding.Settings) { s.Unknown = 0.9 }, "must not be the larger"},
		{"a ratio below 0", func(s *grounding.Settings) { s.MaxUnverifiable = -1 }, "max_unverifiable_ratio is -1"},
		{"an action that releases", func(s *grounding.Settings) { s.OnContradiction = "release" }, `contradiction_action ` +
			`is "release"; write flag or block`},
		{"no action of the kind", func(s *grounding.Settings) { s.OnUnverifiable = "warn" }, `unverifiable_action is ` +
			`"warn"; write flag or block`},
		{"no source", func(s *grounding.Settings) { s.MaxSources = 0 }, "max_sources_per_claim is 0"},
		{"all sources", func(s *grounding.Settings) { s.MaxSources = 1000 }, "max_sources_per_claim is 1000"},
		{"a threshold that all reach", func(s *grounding.Settings) { s.Thresholds = entail.Thresholds{Entailment: -1} },
			"entailment_threshold is -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := grounding.DefaultSettings()
			c.set(&s)
			if err := s.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}
