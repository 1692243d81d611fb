package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// An operator scans, settles a contradiction, thinks again, and the next scan leaves
// alone what was settled; first on a folder that nobody holds, then beside a mesh.
func TestScanResolveAndUndo(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.run("memory", "scan").wants(t, exitFailed, "no turn has been kept")
	for _, said := range []string{"I live in Oakham.", "I live in Saltmere."} {
		s.run("chat", "--world", village, "--npc", "mira", "--player", "p1", "--once", said).wants(t, exitFine)
	}
	memories := func() map[string]schema.Memory {
		t.Helper()
		out := map[string]schema.Memory{}
		for line := range strings.Lines(s.run("memory", "list", "--player", "p1", "--json").out) {
			var m schema.Memory
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			if m.Pred == "lives_in" {
				out[m.Object] = m
			}
		}
		return out
	}
	scan := func(args ...string) result {
		t.Helper()
		r := s.run(append([]string{"memory", "scan", "--world", village}, args...)...)
		r.wants(t, exitFine)
		return r
	}
	s.run("memory", "scan", "--world", village, "--judge").wants(t, exitUsage, "--judge", "--llm-url")
	// the desk is told of the model, and of who may judge
	s.extra = []string{"FORSOOTH_GUARDS_CONSISTENCY_SCAN_JUDGE_MODEL=rules"}
	s.run("memory", "scan", "--world", village, "--judge", "--llm-url", "http://127.0.0.1:1/v1").wants(t, exitDependency,
		"judge_model is rules")
	s.extra = nil
	scan("--dry-run", "--judge", "--llm-url", "http://127.0.0.1:1/v1") // nothing is unclear here, so nobody is asked
	if r := scan("--dry-run"); !strings.Contains(r.out, "village: ") || !strings.Contains(r.out, "nothing was changed") {
		t.Errorf("a dry run: %s", r.out)
	}
	r := scan("--json")
	o := r.object(t)
	if o["events"] == nil || o["report"].(map[string]any)["memories"].(float64) < 2 {
		t.Errorf("%s", r.out)
	}
	kept := memories()
	oakham, saltmere := kept["Oakham"], kept["Saltmere"]
	if len(oakham.Contradicts) != 1 || oakham.Contradicts[0] != saltmere.ID {
		t.Fatalf("no contradiction is kept: %+v", kept)
	}
	s.run("memory", "resolve", oakham.ID).wants(t, exitUsage)
	s.run("memory", "resolve", oakham.ID, "--keep", "m1").wants(t, exitFailed, "m1 does not contradict")
	s.run("memory", "resolve", "nope", "--both").wants(t, exitFailed, `no memory has the id "nope"`)
	s.run("memory", "undo", "nope").wants(t, exitFailed, `no event "nope"`)
	done := s.run("memory", "resolve", oakham.ID, "--keep", saltmere.ID, "--by", "ada", "--why", "she asked", "--json")
	done.wants(t, exitFine)
	event := done.object(t)["id"].(string)
	if m := memories()["Oakham"]; m.Status != schema.MemorySuperseded || m.SupersededBy != saltmere.ID {
		t.Fatalf("resolved: %+v", m)
	}
	show := s.run("memory", "show", oakham.ID)
	if !strings.Contains(show.out, "resolved by operator:ada: she asked ("+event+")") {
		t.Errorf("it is not shown: %s", show.out)
	}
	up := s.start("up", "--world", village)
	up.says("ready in")
	s.run("memory", "undo", event).wants(t, exitFine)
	s.run("memory", "undo", event).wants(t, exitFailed, "undone already")
	if m := memories()["Oakham"]; m.Status != schema.MemoryActive || len(m.Contradicts) != 1 {
		t.Fatalf("undone: %+v", m)
	}
	s.run("memory", "resolve", oakham.ID, "--both").wants(t, exitFine)
	if r := s.run("memory", "scan", "--json").object(t); r["written"].(float64) != 0 {
		t.Errorf("what was settled is done again: %v", r)
	}
	if m := memories()["Oakham"]; m.Status != schema.MemoryActive || len(m.Contradicts) != 0 {
		t.Errorf("both: %+v", m)
	}
}
