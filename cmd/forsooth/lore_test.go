package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestLintNamesFileAndLine(t *testing.T) {
	s := newSite(t)
	village := s.village()
	r := s.run("lore", "lint", village)
	r.wants(t, exitFine)
	s.write("village/lore/torn.txt", "The bridge fell in the flood.\n")
	s.write("village/lore/torn.txt.meta.yaml", "created_at: 1402-01-01\nauthor: a\ntype: note\nsummary: s\nkeywords: "+
		"[k]\nrequires: trust >> 4\n")
	s.write("village/lore/bare.txt", "Nobody says who wrote this.\n")
	s.write("village/lore/lost.txt", "Only a stranger knows where it is.\n")
	s.write("village/lore/lost.txt.meta.yaml", "created_at: 1402-01-01\nauthor: a\ntype: note\nsummary: s\nkeywords: "+
		"[k]\nknown_by: [mirra]\n")
	r = s.run("lore", "lint", village)
	r.wants(t, exitFailed)
	golden(t, "lint.golden", s.steady(r.out))

	r = s.run("lore", "lint", "--world", village, "--json")
	r.wants(t, exitFailed)
	var f Findings
	if err := json.Unmarshal([]byte(r.out), &f); err != nil || f.Errors == 0 || f.Warnings == 0 ||
		len(f.Findings) != f.Errors+f.Warnings {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestWarningsAloneAreFine(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.write("village/lore/lost.txt", "Only a stranger knows where it is.\n")
	s.write("village/lore/lost.txt.meta.yaml", "created_at: 1402-01-01\nauthor: a\ntype: note\nsummary: s\nkeywords: "+
		"[k]\nknown_by: [mirra]\n")
	r := s.run("lore", "lint", village)
	r.wants(t, exitFine)
	if !strings.Contains(r.out, "mirra") {
		t.Errorf("it prints %q", r.out)
	}
}

func TestABrokenFrameIsAnError(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.write("village/world.yaml", "title: nameless\n")
	r := s.run("lore", "lint", village)
	r.wants(t, exitFailed)
	if !strings.Contains(r.out, "world.yaml") || !strings.Contains(r.out, "name") {
		t.Errorf("it prints %q", r.out)
	}
	s.run("chat", "--world", village, "--once", "hi").wants(t, exitUsage, "world.yaml", "name")
}

// A prompt that up would refuse is refused by lint, each with its file.
func TestLintNamesPromptsThatCannotBeUsed(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.write("village/prompts/lean.txt", "Speak.")
	s.write("village/prompts/leen.txt", "Speak.")
	s.write("village/prompts/rerank.txt", "Order the sources by {{.Name}}'s trade.")
	r := s.run("lore", "lint", village)
	if r.code != exitFailed || !strings.Contains(r.out, "prompts/lean.txt: ") ||
		!strings.Contains(r.out, `{{template "rules" .}}`) ||
		!strings.Contains(r.out, "prompts/leen.txt: ") || !strings.Contains(r.out, "no call has this name") ||
		!strings.Contains(r.out, "2 errors") {
		t.Errorf("exit %d:\n%s%s", r.code, r.out, r.err)
	}
}

func TestTheBinaryCarriesWorldsThatLintClean(t *testing.T) {
	s := newSite(t)
	r := s.run("lore", "lint", "--json")
	r.wants(t, exitFine)
	if errs := r.object(t)["errors"]; errs != 0.0 {
		t.Errorf("%v errors: %s", errs, r.out)
	}
}

func TestSearchFindsWhatTheNPCMayKnow(t *testing.T) {
	s := newSite(t)
	village := s.village()
	found := func(npc, query string) *Found {
		r := s.run("lore", "search", query, "--npc", npc, "--world", village, "--json")
		r.wants(t, exitFine)
		var f Found
		if err := json.Unmarshal([]byte(r.out), &f); err != nil {
			t.Fatal(err)
		}
		return &f
	}
	f := found("mira", "Who owns the ferry?")
	if len(f.Sources) == 0 || f.Sources[0].Path != "lore/ferry.txt" || f.Confidence <= 0 || f.Answer == "" {
		t.Errorf("%+v", f)
	}
	for _, source := range found("mira", "Whom do you suspect?").Sources {
		if strings.HasPrefix(source.Path, "npcs/osric/home/") {
			t.Errorf("mira finds %s", source.Path)
		}
	}
}

func TestIndexReadsOnlyWhatChanged(t *testing.T) {
	s := newSite(t)
	village := s.village()
	index := func() Indexed {
		r := s.run("lore", "index", village, "--json")
		r.wants(t, exitFine)
		var x Indexed
		if err := json.Unmarshal([]byte(r.out), &x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := index()
	if first.Changed != first.Files || first.Files == 0 {
		t.Errorf("the first time: %+v", first)
	}
	if again := index(); again.Changed != 0 || again.Files != first.Files {
		t.Errorf("the second time: %+v", again)
	}
	s.write("village/lore/ferry.txt", "Teague owns the ferry. A crossing costs three bits.\n")
	if changed := index(); changed.Changed != 1 {
		t.Errorf("after one change: %+v", changed)
	}
}

// What a backend saved becomes lore only in a person's name, and only then is it
// known.
func TestPromotion(t *testing.T) {
	s := newSite(t)
	village := s.village()
	text := s.write("saved.txt", "The old bell tower was struck by lightning in the spring of 1400.\n")
	const ask = "What happened to the old bell tower?"
	status := func() any {
		r := s.run("chat", "--world", village, "--once", ask, "--json")
		r.wants(t, exitFine)
		return r.object(t)["status"]
	}
	if got := status(); got != "unknown" {
		t.Errorf("before: %v", got)
	}
	r := s.run("lore", "promote", "user:1", "--author", "Ansel", "--file", text, "--world", village, "--path",
		"lore/tower.txt", "--keywords", "tower,bell,lightning", "--json")
	r.wants(t, exitFine)
	if path := r.object(t)["path"]; path != "lore/tower.txt" {
		t.Errorf("path %v", path)
	}
	audit, err := os.ReadFile(s.path("village/lore/.promotions.log"))
	if err != nil || !strings.Contains(string(audit), "Ansel") {
		t.Errorf("audit %q, %v", audit, err)
	}
	if got := status(); got != "extractive" {
		t.Errorf("after: %v", got)
	}
	s.run("lore", "promote", "user:1", "--author", "Ansel", "--file", text, "--world", village, "--path",
		"lore/tower.txt").wants(t, exitFailed, "lore/tower.txt", "there already")
	s.run("lore", "promote", "user:2", "--author", "Ansel", "--file", "none.txt", "--world", village).wants(t, exitUsage,
		"none.txt")
}
