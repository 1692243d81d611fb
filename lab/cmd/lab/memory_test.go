package main

import (
	"os"
	"strings"
	"testing"
)

const madeUp = `{"words":[{"speaker":"player","text":"I live in ` +
	`Oakham."}],"candidate":{"kind":"fact","subject":"Ansel","predicate":"lives_in","object":"Saltmere"` +
	`,"content":"Ansel lives in Saltmere.","confidence":0.9},"true":{"content":"Ansel lives in Oakham."},"reason":"place"}
`

func TestBenchScanPrintsItsRuns(t *testing.T) {
	s := newSite(t)
	r := s.run("scan", "--memories", "200,400", "--json")
	r.wants(t, exitFine)
	out := r.object(t)
	runs, _ := out["runs"].([]any)
	if len(runs) != 2 || out["missed"] == nil {
		t.Fatalf("%v", out)
	}
	for _, run := range runs {
		for _, field := range []string{"memories", "compute_s", "clusters", "actions"} {
			if _, ok := run.(map[string]any)[field].(float64); !ok {
				t.Errorf("%s is missing in %v", field, run)
			}
		}
	}
	r = s.run("scan", "--memories", "200,400")
	r.wants(t, exitFine)
	for _, want := range []string{"n log n", "≤ 90", "growth_200_to_400"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in\n%s", want, r.out)
		}
	}
	s.run("scan", "--memories", "5").wants(t, exitUsage, "--memories 5")
}

func TestBenchMemoryPrintsItsTables(t *testing.T) {
	s := newSite(t)
	file := s.write("made-up.jsonl", madeUp)
	r := s.run("memory", "--rules-only", "--only", "escapes,merge", "--seed", "7", "--fabrications", file)
	r.wants(t, exitFine)
	for _, want := range []string{"seed 7", "rules alone", "0 of 1 = 0.000 [0.000, 0.793]", "all three", "≤ 0.03",
		"merge_undone"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in\n%s", want, r.out)
		}
	}
	out := s.run("memory", "--rules-only", "--only", "escapes", "--fabrications", file, "--json").object(t)
	if out["seed"] == nil || len(out["escapes"].([]any)) != 1 || out["missed"] == nil {
		t.Errorf("%v", out)
	}
}

func TestBenchMemoryNamesBadInput(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no such part", []string{"--only", "dreams"}, "--only dreams"},
		{"no such file", []string{"--fabrications", "gone.jsonl"}, "gone.jsonl"},
		{"an empty file", []string{"--fabrications", s.write("empty.jsonl", "")}, "holds no fabrications"},
		{"no JSON", []string{"--fabrications", s.write("bad.jsonl", "{")}, "bad.jsonl:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.run(append([]string{"memory", "--rules-only"}, c.args...)...).wants(t, exitUsage, c.want)
		})
	}
}

// docs/memory.md shows what the command finds: here of the rules, whose figures need no
// weights and are the same on every machine.
func TestThePageShowsWhatGetsPastTheGuards(t *testing.T) {
	s := newSite(t)
	page := s.write("page.md", "before\n"+escapesMark+"\nold\n"+escapesMark+"\nbehind\n")
	s.run("memory", "--rules-only", "--only", "escapes,injections", "--page", page,
		"--fabrications", "../../../evals/memory-fabrications.jsonl",
		"--injections", "../../../evals/memory-injections.jsonl").wants(t, exitFine)
	made, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(made); strings.Contains(text, "old") || !strings.HasPrefix(text, "before\n") ||
		!strings.HasSuffix(text, "\nbehind\n") {
		t.Fatalf("the page is\n%s", text)
	}
	shown, err := os.ReadFile("../../../docs/memory.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(string(made), "\n") {
		if !strings.HasPrefix(line, "| rules") {
			continue
		}
		rows++
		if !strings.Contains(string(shown), line+"\n") {
			t.Errorf("docs/memory.md does not show %q; lab memory --only escapes,injections --page docs/memory.md writes it",
				line)
		}
	}
	if rows < 5 {
		t.Errorf("the table has %d rows", rows)
	}
	s.run("memory", "--rules-only", "--only", "merge", "--page", s.write("bare.md", "no marks")).wants(t, exitUsage,
		"holds no place for the table")
}
