package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/config"
)

func TestGroundingByDefault(t *testing.T) {
	s, err := config.Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Grounding{ConfidenceThreshold: 0.6, UnknownThreshold: 0.25, ExtractiveFallback: true, Streaming: true,
		StreamingChecks:      true,
		MaxUnverifiableRatio: 0.5, ContradictionAction: "flag", UnverifiableAction: "flag", MaxSourcesPerClaim: 5,
		NLI: config.NLI{TimeoutMS: 800}, Judge: config.Judge{On: true, Kind: "chat"}}
	if s.Grounding != want {
		t.Errorf("got %+v\nwant %+v", s.Grounding, want)
	}
}

func TestGroundingIsSet(t *testing.T) {
	for _, c := range []struct {
		name, body string
		is         func(config.Grounding) bool
	}{
		{"the preset makes it strict", "preset: compliance", func(g config.Grounding) bool { return g.Strict }},
		{"the preset makes it strict whatever else is written", "preset: compliance\n  strict: false",
			func(g config.Grounding) bool { return g.Strict }},
		{"strict", "strict: true", func(g config.Grounding) bool { return g.Strict && g.ExtractiveFallback }},
		{"thresholds at their ends", "confidence_threshold: 1\n  unknown_threshold: 0\n  entailment_threshold: 1",
			func(g config.Grounding) bool {
				return g.ConfidenceThreshold == 1 && g.UnknownThreshold == 0 && g.EntailmentThreshold == 1
			}},
		{"actions", "contradiction_action: block\n  unverifiable_action: block", func(g config.Grounding) bool {
			return g.ContradictionAction == "block" && g.UnverifiableAction == "block"
		}},
		{"a sidecar", "nli:\n    url: https://nli.example:8400\n    timeout_ms: 50", func(g config.Grounding) bool {
			return g.NLI.URL == "https://nli.example:8400" && g.NLI.TimeoutMS == 50
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := config.Load(file(t, "grounding:\n  "+c.body+"\n"), nil)
			if err != nil || !c.is(s.Grounding) {
				t.Errorf("%v, %v", s, err)
			}
		})
	}
}

// A value that no review could use, or that would release what nothing supports,
// is refused where it is written.
func TestGroundingThatCannotBe(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"preset: strict", `grounding.preset is "strict"; write compliance`},
		{"confidence_threshold: 60", "grounding.confidence_threshold is 60; it must lie between 0 and 1"},
		{"unknown_threshold: -0.1", "grounding.unknown_threshold is -0.1; it must lie between 0 and 1"},
		{"unknown_threshold: 0.7", "grounding.unknown_threshold is 0.7 and confidence_threshold 0.6"},
		{"entailment_threshold: -1", "grounding.entailment_threshold is -1; it must lie between 0 and 1"},
		{"entailment_threshold: .nan", "grounding.entailment_threshold"},
		{"entailment_threshold: high", "grounding.entailment_threshold"},
		{"contradiction_threshold: 1.5", "grounding.contradiction_threshold is 1.5; it must lie between 0 and 1"},
		{"max_unverifiable_ratio: 2", "grounding.max_unverifiable_ratio is 2; it must lie between 0 and 1"},
		{"contradiction_action: strip", `grounding.contradiction_action is "strip"; write flag or block`},
		{"unverifiable_action: release", `grounding.unverifiable_action is "release"; write flag or block`},
		{"max_sources_per_claim: 0", "grounding.max_sources_per_claim is 0; it must lie between 1 and 32"},
		{"max_sources_per_claim: 1000", "grounding.max_sources_per_claim is 1000; it must lie between 1 and 32"},
		{"nli:\n    timeout_ms: 0", "grounding.nli.timeout_ms is 0"},
		{"nli:\n    url: ftp://x", "grounding.nli.url"},
		{"nli:\n    url: not a url", "grounding.nli.url"},
		{"judge:\n    kind: minichek", `grounding.judge.kind is "minichek"; write chat, minicheck or granite; minicheck ` +
			`is the nearest`},
		{"judge:\n    kind: granite", "grounding.judge.url is missing; a judge of kind granite does not speak"},
		{"judge: {kind: minicheck, url: nowhere}", "grounding.judge.url"},
		{"entailment_treshold: 0.9", `"grounding.entailment_treshold"; did you mean grounding.entailment_threshold?`},
	} {
		t.Run(c.body, func(t *testing.T) {
			_, err := config.Load(file(t, "grounding:\n  "+c.body+"\n"), nil)
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), ": is", " is"), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %v, want one line with %q", err, c.want)
			}
		})
	}
}

// The judge is on, off or somewhere else.
func TestTheJudge(t *testing.T) {
	at := config.Provider{URL: "http://127.0.0.1:11434/v1", Model: "judge"}
	for text, want := range map[string]config.Judge{
		"":                            {On: true, Kind: "chat"},
		"grounding: {judge: false}":   {Kind: "chat"},
		"grounding:\n  judge: true\n": {On: true, Kind: "chat"},
		"grounding:\n  judge: {url: \"http://127.0.0.1:11434/v1\", model: judge}\n": {On: true, Kind: "chat",
			Provider: at},
		"grounding:\n  judge: {kind: granite, url: \"http://127.0.0.1:11434/v1\", model: judge}\n": {On: true,
			Kind: "granite", Provider: at},
		"grounding:\n  judge: {claims: true}\n": {On: true, Kind: "chat", Claims: true},
		"grounding:\n  judge: {on: false, model: judge}\n": {Kind: "chat",
			Provider: config.Provider{Model: "judge"}},
	} {
		path := filepath.Join(t.TempDir(), "forsooth.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := config.Load(path, nil)
		if err != nil || s.Grounding.Judge != want {
			t.Errorf("%q: %+v, %v; want %+v", text, s, err, want)
		}
	}
	t.Setenv("FORSOOTH_GROUNDING_JUDGE", "false")
	if s, err := config.Load("", nil); err != nil || s.Grounding.Judge.On {
		t.Errorf("%+v, %v", s, err)
	}
}
