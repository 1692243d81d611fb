package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The difference of two settings is told in settings and in what they would have
// done with the last week's candidates and replies.
func TestDoctorTellsGuardsApart(t *testing.T) {
	s := newSite(t)
	s.write("strict.yaml", "guards:\n  preset: precision\n  grounding: {min_confidence_after_penalty: 0.99}\n  "+
		"faithfulness: {enabled: true}\n")
	says := func(from, to string, words ...string) {
		t.Helper()
		r := s.run("doctor", "--guards-diff", from, to)
		r.wants(t, exitFine)
		for _, w := range words {
			if !strings.Contains(r.out, w) {
				t.Errorf("it says %q, want %q in it", r.out, w)
			}
		}
	}
	says("default", "precision", "min_confidence_after_penalty: 0.3 → 0.5 (keeps less)", "no candidate to compare")
	s.extra = append(s.extra, "FORSOOTH_GUARDS_FAITHFULNESS_ENABLED=true", "FORSOOTH_GUARDS_GROUNDING_MODE=sync")
	s.run("chat", "--world", s.village(), "--once", "I come from the coast.").wants(t, exitFine)
	s.run("chat", "--world", s.village(), "--once", "Who owns the ferry?").wants(t, exitFine)
	says("default", "strict.yaml",
		"candidates for memories in the last week: 2, of which 1 would have gone otherwise under strict.yaml",
		"stored → dropped: 1", "they come from the coast",
		"replies that were scored in the last week: 1, of which 1", "not scored → release: 1")
	r := s.run("doctor", "--guards-diff", "strict.yaml", "strict.yaml", "--json")
	r.wants(t, exitFine)
	var d GuardsDiff
	if err := json.Unmarshal([]byte(r.out), &d); err != nil || len(d.Settings) != 0 || d.Candidates.Of != 2 ||
		d.Candidates.Changed != 0 || d.Candidates.Moves == nil || time.Since(d.Since) < lastWeek {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDoctorRefusesHalfAComparison(t *testing.T) {
	s := newSite(t)
	for _, args := range [][]string{{"--guards-diff", "dev"}, {"dev"}} {
		s.run(append([]string{"doctor"}, args...)...).wants(t, exitUsage, "--guards-diff takes two settings")
	}
	s.run("doctor", "--guards-diff", "dev", "lax").wants(t, exitUsage, "name a file with a guards: section")
	s.write("bad.yaml", "guards:\n  grounding: {mode: now}\n")
	s.run("doctor", "--guards-diff", "dev", "bad.yaml").wants(t, exitUsage, "bad.yaml: guards.grounding.mode",
		"write async or sync")
}

func TestDoctorSaysWhichGuardsAreOn(t *testing.T) {
	s := newSite(t)
	one(t, s.findings(t, exitFine, "guard 1"), statusFine, "on: async, floor 0.3")
	one(t, s.findings(t, exitFine, "guard 3", "--guards", "compliance"), statusFine, "on: block, medium 0.8",
		"do not stream")
	s.extra = append(s.extra, "FORSOOTH_GUARDS_GROUNDING_ENABLED=false", "FORSOOTH_GUARDS_FAITHFULNESS_SCORER_MODEL=rules")
	one(t, s.findings(t, exitFine, "guard 1"), statusNote, "no memory is written")
	one(t, s.findings(t, exitFine, "guards")[1:], statusNote, "scorer_model is rules, and guard 3 is off")
	s.extra = []string{"FORSOOTH_GUARDS_FAITHFULNESS_CORRECT=true"}
	one(t, s.findings(t, exitFine, "guards")[1:], statusNote, "correct is true, and nothing is said of it")
	s.run("doctor", "--guards", "compliance").wants(t, exitUsage, "guards.faithfulness.correct: is true and "+
		"faithfulness.on_hallucination is block")
	s.extra = []string{"FORSOOTH_GUARDS_GROUNDING_VERIFIER_MODEL=rules"}
	one(t, s.findings(t, exitFine, "guards")[1:], statusFine, "guards.grounding.verifier_model: rules")
	for key, word := range map[string]string{"GROUNDING_VERIFIER_MODEL": "sidecar",
		"CONSISTENCY_SCAN_JUDGE_MODEL": "claude-haiku-4-5", "FAITHFULNESS_SCORER_MODEL": "two words"} {
		s.extra = []string{"FORSOOTH_GUARDS_" + key + "=" + word}
		s.run("doctor").wants(t, exitUsage, word)
	}
}
