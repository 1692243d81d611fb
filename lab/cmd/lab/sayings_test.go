package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The table of docs/memory.md is what `lab sayings` measured last. `make evals` keeps its
// output and runs this test with it.
func TestTheMemoryPageShowsMeasuredFigures(t *testing.T) {
	folder := os.Getenv("FORSOOTH_EVALS")
	if folder == "" {
		t.Skip("it reads the output of a bench; `make evals` makes it, and then runs this test")
	}
	data, err := os.ReadFile(filepath.Join(folder, "sayings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r kept
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "memory.md"))
	if err != nil {
		t.Fatal(err)
	}
	if table := r.table("memory-sayings.jsonl"); !strings.Contains(string(page), sayingsMark+"\n"+table+sayingsMark) {
		t.Errorf("docs/memory.md shows other figures than\n%s\nwrite them by lab sayings --page", table)
	}
}

const ferret = `{"id":"a","said":["I keep a ferret."],"keep":[{"text":"The player keeps a ferret."}],` +
	`"not":["The player is a ferret."],"ask":"What do I keep?"}` + "\n"

// The bench prints figures and reasons, as text and as JSON, and writes them into a page.
func TestSayingsPrintsItsFigures(t *testing.T) {
	s := newSite(t)
	file := s.write("sayings.jsonl", ferret)
	pairs := s.write("pairs.jsonl",
		`{"of":"keep","memory":"the player keeps a ferret","words":"","text":"The player keeps a ferret.","holds":true}`)
	page := s.write("page.md", "before\n<!-- sayings -->\nstale\n<!-- sayings -->\nbehind\n")
	r := s.run("sayings", file, "--pairs", pairs, "--page", page, "--json")
	r.wants(t, exitFine)
	if out := r.object(t); out["sayings"] == nil || out["matcher"] == nil || out["missed"] == nil {
		t.Errorf("%v", out)
	}
	written, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(written), "facts that are kept | 1 of 1") ||
		strings.Contains(string(written), "stale") || !strings.Contains(string(written), "behind") {
		t.Errorf("%s, %v", written, err)
	}
	r = s.run("sayings", file, "--show")
	r.wants(t, exitFine)
	for _, want := range []string{"facts recalled", "≥ 0.85", "invented", "SUPPORTED said in these words"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in\n%s", want, r.out)
		}
	}
}

func TestSayingsNamesBadInput(t *testing.T) {
	s := newSite(t)
	good := s.write("good.jsonl", ferret)
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"no such file", []string{"gone.jsonl"}, []string{"gone.jsonl"}},
		{"an empty file", []string{s.write("empty.jsonl", "")}, []string{"holds no line"}},
		{"nothing said", []string{s.write("bare.jsonl", `{"id":"x"}`)}, []string{"line 1", "said is empty"}},
		{"a page without marks", []string{good, "--page", s.write("page.md", "text")},
			[]string{"page.md", "write <!-- sayings --> twice"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.run(append([]string{"sayings"}, c.args...)...).wants(t, exitUsage, c.want...)
		})
	}
}
