package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/guards"
)

func beside(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "guards.yaml")
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A preset is a starting point wherever it is named, and what is written wins,
// the later layer over the earlier.
func TestGuardsAreReadFromEveryLayer(t *testing.T) {
	precise := beside(t, "guards:\n  preset: precision\n  grounding: {mode: sync}\n")
	cases := []struct {
		name, body string
		env        map[string]string
		flags      map[string]any
		floor      float64
		mode       string
		policy     string
	}{
		{"nothing is written", "", nil, nil, 0.3, guards.ModeAsync, guards.PolicyWarn},
		{"a preset", "guards:\n  preset: recall\n", nil, nil, 0.2, guards.ModeAsync, guards.PolicyWarn},
		{"a value beside its preset", "guards:\n  preset: compliance\n  faithfulness: {on_hallucination: warn}\n", nil, nil,
			0.3, guards.ModeAsync, guards.PolicyWarn},
		{"the paper's names", "hallucination_guards:\n  grounding: {on_verifier_failure: Queue, mode: synchronous}\n", nil,
			nil, 0.3, guards.ModeSync, guards.PolicyWarn},
		{"another name of a key", "guards:\n  grounding: {on_unknown: block}\n", nil, nil, 0.3, guards.ModeAsync,
			guards.PolicyWarn},
		{"the environment over the file", "guards:\n  preset: recall\n",
			map[string]string{"FORSOOTH_GUARDS_PRESET": "precision"}, nil, 0.5, guards.ModeAsync, guards.PolicyWarn},
		{"a flag over the environment", "", map[string]string{"FORSOOTH_GUARDS_GROUNDING_MODE": "async"},
			map[string]any{"guards.grounding.mode": "sync"}, 0.3, guards.ModeSync, guards.PolicyWarn},
		{"a file of their own", "", nil, map[string]any{"guards.file": precise}, 0.5, guards.ModeSync, guards.PolicyWarn},
		{"a value over a file of their own", "guards:\n  grounding: {mode: async}\n", nil,
			map[string]any{"guards.file": precise}, 0.5, guards.ModeAsync, guards.PolicyWarn},
		{"a preset for a file", "", nil, map[string]any{"guards.file": "compliance"}, 0.3, guards.ModeAsync,
			guards.PolicyBlock},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			s, err := config.Load(file(t, c.body), c.flags)
			if err != nil {
				t.Fatal(err)
			}
			if g := s.Guards; g.Grounding.Floor != c.floor || g.Grounding.Mode != c.mode || g.Faithfulness.Policy != c.policy {
				t.Errorf("got %+v", g)
			}
		})
	}
	t.Setenv("FORSOOTH_GUARDS_GROUNDING_SKIP_FOR_TYPES", "entity, promise")
	if s, err := config.Load(file(t, ""), nil); err != nil ||
		!slices.Equal(s.Guards.Grounding.Skip, []string{"entity", "promise"}) {
		t.Errorf("a list of the environment: %v, %v", s, err)
	}
}

func TestGuardsThatCannotBeAreRefused(t *testing.T) {
	cases := []struct {
		name, body string
		flags      map[string]any
		want       string
	}{
		{"an unknown key", "guards:\n  grounding: {moed: sync}\n", nil,
			"forsooth.yaml:2: there is no setting \"guards.grounding.moed\"; did you mean guards.grounding.mode?"},
		{"an unknown preset", "guards: {preset: lax}\n", nil, `guards.preset: is "lax"; write recall, precision, ` +
			`compliance, inference or dev`},
		{"an unknown policy", "guards: {faithfulness: {on_hallucination: shout}}\n", nil, "write warn, regenerate or block"},
		{"a floor above one", "guards: {grounding: {min_confidence_after_penalty: 2}}\n", nil, "between 0 and 1"},
		{"a file that is not there", "", map[string]any{"guards.file": "nowhere.yaml"}, "guards.file: open nowhere.yaml"},
		{"a preset twice", "guards: {preset: dev}\n", map[string]any{"guards.file": "recall"}, "keep one"},
		{"streaming beside block", "grounding: {streaming: true}\nguards: {preset: compliance}\n", nil,
			"on_hallucination: is block, which holds a reply until it is scored"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Load(file(t, c.body), c.flags)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("err = %v, want one line with %q", err, c.want)
			}
		})
	}
	for name, body := range map[string]string{"by default": "guards: {preset: compliance}\n",
		"off":         "grounding: {streaming: false}\nguards: {preset: compliance}\n",
		"beside warn": "grounding: {streaming: true}\nguards: {faithfulness: {enabled: true}}\n"} {
		if _, err := config.Load(file(t, body), nil); err != nil {
			t.Errorf("streaming %s: %v", name, err)
		}
	}
}
