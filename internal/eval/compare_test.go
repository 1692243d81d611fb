package eval

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// runs are two reports that differ in what a comparison shows.
func runs() (old, now *Report) {
	result := func(name string, passed bool, status, reply string) Result {
		return Result{Name: name, Kind: "known", NPC: "mira", Passed: passed, Cited: []Cited{}, Status: schema.Status(status),
			Reply: reply}
	}
	old = &Report{Suite: "sample", Cases: 5, Passed: 3, ByKind: map[string]Tally{"known": {Cases: 5, Passed: 3}},
		Metrics: map[string]float64{"faithfulness": 1, "hallucination_rate": 0, "refusal_rate": 0.2, "refused_fake": 1,
			"tokens_per_turn": 1000, "retries_per_turn": 0.5, "gone": 1},
		Results: []Result{result("stays", true, "answered", "It burned."),
			result("breaks", true, "answered", "It burned in spring."),
			result("mends", false, "unknown", "I could not say."), result("turns", true, "answered", "It burned."),
			result("leaves", false, "unknown", "x")}}
	now = &Report{Suite: "sample", Cases: 5, Passed: 3, ByKind: map[string]Tally{"known": {Cases: 5, Passed: 3}},
		Metrics: map[string]float64{"faithfulness": 0.99, "hallucination_rate": 0.05, "refusal_rate": 0.5, "refused_fake": 1,
			"tokens_per_turn": 1010, "retries_per_turn": 0.1},
		Results: []Result{result("stays", true, "answered", "It did burn."),
			result("breaks", false, "unknown", "I could\nnot say."),
			result("mends", true, "answered", "It burned."), result("turns", true, "extractive", "It burned."),
			result("comes", true, "answered", "x")}}
	old.Usage.Turn, now.Usage.Turn = Stat{N: 5, P50: 200}, Stat{N: 5, P50: 9000}
	return old, now
}

func TestTwoRunsSideBySide(t *testing.T) {
	old, now := runs()
	c, err := Compare(old, now, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Worse, []string{"hallucination_rate"}) {
		t.Errorf("worse: %v", c.Worse)
	}
	what := map[string]string{}
	for _, x := range c.Changed {
		what[x.Name] = x.What
	}
	for name, want := range map[string]string{"stays": ChangedReworded, "breaks": ChangedBroke, "mends": ChangedMended,
		"turns": ChangedStatus} {
		if what[name] != want {
			t.Errorf("%s: %q, want %q", name, what[name], want)
		}
	}
	if !slices.Equal(c.Added, []string{"comes"}) || !slices.Equal(c.Removed, []string{"leaves"}) {
		t.Errorf("added %v, removed %v", c.Added, c.Removed)
	}
	var table, machine bytes.Buffer
	c.WriteTable(&table)
	golden(t, "compare.golden", table.String())
	if err := c.WriteJSON(&machine); err != nil || strings.Contains(machine.String(), "null") {
		t.Errorf("%v: %s", err, machine.String())
	}
}

func TestWhichWayIsBetter(t *testing.T) {
	for name, want := range map[string]Better{
		"faithfulness": BetterHigher, "passed_known": BetterHigher, "refused_private": BetterHigher,
		"clean_known": BetterHigher, "confidence_auroc": BetterHigher,
		"hallucination_rate": BetterLower, "refused_known": BetterLower, "cost_per_turn": BetterLower,
		"calibration_error": BetterNeither, "refusal_rate": BetterNeither, "refused_topic": BetterNeither,
	} {
		if got := betterOf(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A run held against itself has not changed, whatever the tolerance.
func TestARunIsAsGoodAsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Report{Suite: "s", Cases: 2, Passed: 1, Metrics: map[string]float64{}, Results: []Result{{Name: "a"}}}
		for _, name := range baseMetrics {
			r.Metrics[name] = rapid.Float64Range(0, 1000).Draw(t, name)
		}
		c, err := Compare(r, r, rapid.Float64Range(0, 1).Draw(t, "tolerance"))
		if err != nil || len(c.Worse)+len(c.Changed)+len(c.Added)+len(c.Removed) > 0 {
			t.Fatalf("%v: %+v", err, c)
		}
	})
}

func TestReportsThatCannotBeCompared(t *testing.T) {
	old, now := runs()
	now.Results = now.Results[4:]
	if _, err := Compare(old, now, 0); err == nil || !strings.Contains(err.Error(), "no case in common") {
		t.Errorf("%v", err)
	}
	old.Results = nil
	if _, err := Compare(old, now, 0); err == nil || !strings.Contains(err.Error(), "of this version") {
		t.Errorf("%v", err)
	}
}

func TestReadingAReport(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, body, want string }{
		{"none.json", "", "cannot be read"},
		{"prose.json", "suite sample: 4 of 7", "is not the JSON of eval --json"},
	} {
		path := filepath.Join(dir, c.name)
		if c.body != "" {
			if err := os.WriteFile(path, []byte(c.body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ReadReport(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	data, err := json.Marshal(Summarise(&Suite{Name: "sample"}, sample(t)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "good.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := ReadReport(path)
	if err != nil || len(r.Results) != 7 || r.Usage.Calls.Max != 4 || len(r.Curve.Bins) == 0 {
		t.Errorf("%v: %+v", err, r)
	}
}
