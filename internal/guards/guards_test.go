package guards_test

import (
	"os"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/guards"
)

func load(t *testing.T, yaml string) guards.Settings {
	t.Helper()
	s, err := guards.Load("guards.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhoWritesNothingGetsTheDefaults(t *testing.T) {
	for _, yaml := range []string{"", "guards:\n", "# nothing\n", "guards:\n  grounding:\n"} {
		if d := guards.Diff(guards.Default(), load(t, yaml)); len(d) > 0 {
			t.Errorf("%q changes %v", yaml, d)
		}
	}
	want := map[string]any{
		"grounding.enabled": true, "grounding.mode": "async", "grounding.shadow": false,
		"grounding.min_confidence_after_penalty": 0.3,
		"grounding.on_verifier_failure":          "queue", "grounding.rewrite_partial": true,
		"consistency_scan.enabled": true, "consistency_scan.schedule": "0 3 * * *", "consistency_scan.schedule_tz": "UTC",
		"consistency_scan.signals.structural": true, "consistency_scan.signals.semantic_similarity_threshold": 0.85,
		"consistency_scan.signals.temporal_drift_days": 30, "consistency_scan.auto_actions.merge_equivalent": true,
		"consistency_scan.auto_actions.supersede_temporal": true, "consistency_scan.auto_actions.flag_contradiction": true,
		"consistency_scan.max_clusters_per_scan": 200, "faithfulness.enabled": false, "faithfulness.on_hallucination": "warn",
		"faithfulness.risk_thresholds.medium": 0.7, "faithfulness.risk_thresholds.high": 0.5,
		"report.enabled": true, "report.schedule": "0 6 * * 1", "report.schedule_tz": "UTC", "report.webhook": "",
	}
	got := guards.Default().Values()
	for key, v := range want {
		if got[key] != v {
			t.Errorf("%s is %v, want %v", key, got[key], v)
		}
	}
	if len(got) != len(guards.Keys()) {
		t.Errorf("%d values for %d keys", len(got), len(guards.Keys()))
	}
}

func TestSettingsInThePapersSpelling(t *testing.T) {
	s := load(t, `
hallucination_guards:
  grounding: {mode: synchronous, on_verifier_failure: Block, skip_for_types: entity, verifier_model: small}
  consistency_scan: {max_clusters: 50, schedule: "30 2 * * 1-5", schedule_tz: Europe/Vienna}
  faithfulness: {enabled: true, on_hallucination: Regenerate}
`)
	switch {
	case s.Grounding.Mode != guards.ModeSync, s.Grounding.OnUnknown != guards.UnknownBlock,
		s.Grounding.VerifierModel != "small":
		t.Errorf("grounding is %+v", s.Grounding)
	case len(s.Grounding.Skip) != 1 || s.Grounding.Skip[0] != "entity":
		t.Errorf("skips %v", s.Grounding.Skip)
	case s.Consistency.MaxClusters != 50:
		t.Errorf("at most %d clusters", s.Consistency.MaxClusters)
	case s.Faithfulness.Policy != guards.PolicyRegenerate:
		t.Errorf("policy %s", s.Faithfulness.Policy)
	}
}

func TestPresets(t *testing.T) {
	cases := map[string][]string{
		"":          nil,
		"recall":    {"grounding.min_confidence_after_penalty: 0.3 → 0.2 (keeps more)"},
		"precision": {"grounding.min_confidence_after_penalty: 0.3 → 0.5 (keeps less)"},
		"compliance": {"faithfulness.enabled: false → true", "faithfulness.on_hallucination: warn → block",
			"faithfulness.risk_thresholds.medium: 0.7 → 0.8 (stricter)"},
		"inference": {"faithfulness.enabled: false → true", "faithfulness.risk_thresholds.medium: 0.7 → 0.85 (stricter)",
			"faithfulness.risk_thresholds.high: 0.5 → 0.7 (stricter)"},
		"dev": {"grounding.shadow: false → true", "grounding.min_confidence_after_penalty: 0.3 → 0.1 (keeps more)"},
	}
	for name, want := range cases {
		s, err := guards.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range guards.Diff(guards.Default(), s) {
			got = append(got, c.String())
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q changes %q, want %q", name, got, want)
		}
		if err := s.Check(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestWhatIsWrittenWinsOverThePreset(t *testing.T) {
	for _, yaml := range []string{
		"guards: {preset: precision, grounding: {min_confidence_after_penalty: 0.4}}",
		"guards:\n  grounding: {min_confidence_after_penalty: 0.4}\n  preset: Precision\n",
	} {
		if s := load(t, yaml); s.Grounding.Floor != 0.4 || s.Preset != "precision" {
			t.Errorf("%s: floor %v, preset %s", yaml, s.Grounding.Floor, s.Preset)
		}
	}
}

func TestRefusedSettings(t *testing.T) {
	cases := []struct{ yaml, says string }{
		{"guard:\n  grounding:\n", `guards.yaml:1: "guard" is no section`},
		{"guards: 3", "guards.yaml:1: is no mapping"},
		{"guards:\n  grounding:\n    floor: 0.3\n", "guards.yaml:3: there is no setting guards.grounding.floor; those " +
			"there are: enabled, mode"},
		{"guards:\n  faithfulness:\n    risk_thresholds: {middle: 0.3}\n", "those there are: medium, high"},
		{"guards:\n  grounding: {on_unknown: block, on_verifier_failure: queue}\n", "stands twice"},
		{"guards: {preset: strict}", `guards.preset: is "strict"; write recall, precision, compliance, inference or dev`},
		{"guards: {grounding: {enabled: perhaps}}", "write true or false"},
		{"guards: {grounding: {mode: later}}", `guards.grounding.mode: is "later"; write async or sync`},
		{"guards: {grounding: {mode: [sync]}}", "write one word"},
		{"guards: {grounding: {on_unknown: ask}}", "write queue, block or allow"},
		{"guards: {grounding: {skip_for_types: [rumour]}}", `"rumour"; write fact`},
		{"guards: {grounding: {skip_for_types: [3]}}", "write a list of words"},
		{"guards: {grounding: {skip_for_types: 3}}", "write a list of words"},
		{"guards: {grounding: {min_confidence_after_penalty: 1.5}}", "between 0 and 1"},
		{"guards: {grounding: {min_confidence_after_penalty: .nan}}", "guards.grounding.min_confidence_after_penalty"},
		{"guards: {grounding: {min_confidence_after_penalty: low}}", "write a number"},
		{"guards: {consistency_scan: {schedule: nightly}}", "write five fields"},
		{"guards: {consistency_scan: {schedule: '61 3 * * *'}}", `whose minute "61" is none`},
		{"guards: {consistency_scan: {schedule: '0 5-3 * * *'}}", `whose hour "5-3" is none`},
		{"guards: {consistency_scan: {schedule: '*/0 3 * * *'}}", "is none"},
		{"guards: {consistency_scan: {schedule_tz: Middle/Earth}}", "which is no time zone"},
		{"guards: {consistency_scan: {schedule_tz: Local}}", "which is no time zone"},
		{"guards: {consistency_scan: {signals: {semantic_similarity_threshold: 0.2}}}", "any two sentences are alike"},
		{"guards: {consistency_scan: {signals: {temporal_drift_days: 0}}}", "between 1 and 3650"},
		{"guards: {consistency_scan: {max_clusters: 0}}", "between 1 and 10000"},
		{"guards: {consistency_scan: {max_clusters: many}}", "write a whole number"},
		{"guards: {report: {schedule: weekly}}", "guards.report.schedule: is \"weekly\""},
		{"guards: {report: {schedule_tz: Mars/Olympus}}", "no time zone"},
		{"guards: {report: {webhook: ops.example}}", "guards.report.webhook: is no address"},
		{"guards: {report: {webhook: 'https://me:secret@ops.example'}}", "is no address without a user"},
		{"guards: {faithfulness: {on_hallucination: shout}}", "write warn, regenerate or block"},
		{"guards: {faithfulness: {risk_thresholds: {high: 0.9}}}", "must not be the larger"},
		{"guards: {faithfulness: {risk_thresholds: {medium: -1}}}", "between 0 and 1"},
		{"guards: [", "is not YAML"},
	}
	for _, c := range cases {
		_, err := guards.Load("guards.yaml", []byte(c.yaml))
		switch {
		case err == nil:
			t.Errorf("%s: not refused", c.yaml)
		case !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: %v, want %q in it", c.yaml, err, c.says)
		case strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: more than one line: %v", c.yaml, err)
		}
	}
}

func TestAReplyThatIsScoredFirstCannotStream(t *testing.T) {
	cases := []struct {
		yaml                string
		streaming, explicit bool
		holds, refused      bool
	}{
		{"guards: {faithfulness: {enabled: true, on_hallucination: block}}", true, true, true, true},
		{"guards: {faithfulness: {enabled: true, on_hallucination: regenerate}}", true, true, true, true},
		{"guards: {faithfulness: {enabled: true, on_hallucination: block}}", true, false, true, false},
		{"guards: {faithfulness: {enabled: true, on_hallucination: block}}", false, true, true, false},
		{"guards: {faithfulness: {enabled: true, on_hallucination: warn}}", true, true, false, false},
		{"guards: {faithfulness: {enabled: false, on_hallucination: block}}", true, true, false, false},
	}
	for _, c := range cases {
		s := load(t, c.yaml)
		if s.Holds() != c.holds {
			t.Errorf("%s: holds %v", c.yaml, s.Holds())
		}
		if err := s.CheckStreaming(c.streaming, c.explicit); (err != nil) != c.refused {
			t.Errorf("%s, streaming %v (written: %v): %v", c.yaml, c.streaming, c.explicit, err)
		}
	}
}

func TestTheFilesThatComeWithIt(t *testing.T) {
	read := func(name string) guards.Settings {
		data, err := os.ReadFile("../../config/" + name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := guards.Load(name, data)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	dev, prod := read("guards.dev.yaml"), read("guards.prod.yaml")
	preset, _ := guards.Preset("dev")
	if d := guards.Diff(preset, dev); len(d) > 0 {
		t.Errorf("the file of dev is not the preset: %v", d)
	}
	want := []string{
		"grounding.shadow: true → false",
		"grounding.min_confidence_after_penalty: 0.1 → 0.3 (keeps less)",
		"faithfulness.enabled: false → true",
	}
	changes := guards.Diff(dev, prod)
	if len(changes) != len(want) {
		t.Fatalf("from dev to prod: %v", changes)
	}
	for i, c := range changes {
		if c.String() != want[i] {
			t.Errorf("change %d is %s, want %s", i, c, want[i])
		}
	}
}
