package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// Every figure is measured, beside its baseline; none is held against a time.
func TestTurnMeasuresEachFigureBesideItsBaseline(t *testing.T) {
	w, _, err := world.Load(servicetest.Village(), ".")
	if err != nil {
		t.Fatal(err)
	}
	figures, err := Turn(t.Context(), w, Options{Single: 4, Turns: 8, Conversations: 2})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
		if f.Value <= 0 {
			t.Errorf("%s is %v", f.Name, f.Value)
		}
		if (f.Bar == "") != (f.Met == nil) {
			t.Errorf("%+v: a bar without a verdict", f)
		}
	}
	for _, want := range []string{"turn_p50", "turn_p99", "hop_bytes", "extractive", "noop", "bare",
		"a_extractive_to_bare", "b_extractive_to_noop", "c_noop_to_bare"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
}

func TestAWorldThatKnowsNothingCannotBeMeasured(t *testing.T) {
	w, _, err := world.Load(servicetest.Village(), ".")
	if err != nil {
		t.Fatal(err)
	}
	w.Documents = nil
	if _, err := Turn(t.Context(), w, Options{}); err == nil || !strings.Contains(err.Error(), "nothing to measure") {
		t.Errorf("it says %v", err)
	}
}

func TestMissedNamesWhatIsBelowItsBar(t *testing.T) {
	got := Missed([]Figure{AtMost("slow", 20, "ms", 15), AtMost("quick", 10, "ms", 15), AtLeast("low", 0.05, "", 0.1),
		Plain("free", 1, "")})
	if !slices.Equal(got, []string{"low", "slow"}) {
		t.Errorf("%v", got)
	}
}

// A rise may be below zero by noise; what takes time takes some.
func TestCostMeasuresWhatTheModelsAddToATurn(t *testing.T) {
	w, _, err := world.Load(servicetest.Village(), ".")
	if err != nil {
		t.Fatal(err)
	}
	figures, err := Cost(t.Context(), w, 20)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]Figure{}
	for _, f := range figures {
		of[f.Name] = f
	}
	for name, bar := range map[string]string{"turn_p50_rules_alone": "", "verification_p50_rise": "≤ 2",
		"question_encoding_p50": "≤ 8", "meaning_p50_rise": ""} {
		if f, ok := of[name]; !ok || f.Bar != bar || f.Unit != "ms" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, name := range []string{"turn_p50_rules_alone", "question_encoding_p50"} {
		if of[name].Value <= 0 {
			t.Errorf("%s is %v", name, of[name].Value)
		}
	}
}
