package guards_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/guards"
)

func TestWhoASettingNames(t *testing.T) {
	for word, want := range map[string]guards.Chosen{
		"": {}, "rules": {Tier: guards.TierRules}, "InProcess": {Tier: guards.TierInProcess},
		"in-process": {Tier: guards.TierInProcess},
		"Sidecar":    {Tier: guards.TierSidecar}, "llm": {Tier: guards.TierLLM}, "judge": {Tier: guards.TierLLM},
		"claude-haiku-4-5": {Tier: guards.TierLLM, Name: "claude-haiku-4-5"},
	} {
		if got := guards.Choose(word); got != want {
			t.Errorf("%q names %+v", word, got)
		}
	}
}

// Who is not there, or cannot do what is asked of him, is refused by one line that names
// the key and a way out.
func TestWhoIsNotThereIsRefused(t *testing.T) {
	for _, c := range []struct {
		key, word    string
		sidecar, llm bool
		want         string
	}{
		{"grounding.verifier_model", "rules", false, false, ""},
		{"grounding.verifier_model", "inprocess", false, false, ""},
		{"grounding.verifier_model", "sidecar", true, false, ""},
		{"grounding.verifier_model", "small-1", false, true, ""},
		{"faithfulness.scorer_model", "sidecar", false, true, "set grounding.nli.url"},
		{"grounding.verifier_model", "llm", true, false, "set llm.url"},
		{"consistency_scan.judge_model", "small-1", true, false, "set llm.url"},
		{"consistency_scan.judge_model", "sidecar", true, true, "compares no memories"},
	} {
		s, err := guards.Of(map[string]any{c.key: c.word})
		if err != nil {
			t.Fatal(err)
		}
		err = s.CheckReach(c.sidecar, c.llm)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s %s: %v", c.key, c.word, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "guards."+c.key) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s: %v", c.key, c.word, err)
		}
	}
	for _, key := range []string{"grounding.verifier_model", "consistency_scan.judge_model", "faithfulness.scorer_model"} {
		for _, word := range []string{"two words", "-x", strings.Repeat("a", 200), "a\x00b"} {
			if _, err := guards.Of(map[string]any{key: word}); err == nil || !strings.Contains(err.Error(), "guards."+key) {
				t.Errorf("%s %.20q: %v", key, word, err)
			}
		}
	}
}
