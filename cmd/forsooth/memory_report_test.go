package main

import (
	"os"
	"strings"
	"testing"
)

// The report is made of what the mesh keeps; what it does not keep is not nothing.
func TestTheReportOfAMesh(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.run("memory", "report").wants(t, exitFailed, "no turn has been kept")
	for _, said := range []string{"I live in Oakham.", "I live in Saltmere."} {
		s.run("chat", "--world", village, "--npc", "mira", "--player", "p1", "--once", said).wants(t, exitFine)
	}
	s.run("memory", "scan", "--world", village).wants(t, exitFine)
	r := s.run("memory", "report", "--world", village)
	r.wants(t, exitFine)
	for _, want := range []string{"turns", "read for memories", "LLM calls", "cost", "last scan"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in the report:\n%s", want, r.out)
		}
	}
	o := s.run("memory", "report", "--json").object(t)
	if o["scans"].(map[string]any)["runs"].(float64) != 1 || o["funnel"].(map[string]any)["turns"].(float64) != 2 {
		t.Errorf("%v", o)
	}
	if f := o["funnel"].(map[string]any); f["turns_only"] == true ||
		!strings.Contains(r.out, "read for memories") {
		t.Errorf("what the processes counted is not kept: %v", f)
	}
	for format, want := range map[string]string{"text": "# Memory of", "markdown": "# Memory of", "html": "<html"} {
		file := s.path("week." + format)
		s.run("memory", "report", "--format", format, "-o", file).wants(t, exitFine)
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v: %.200s", format, err, data)
		}
	}
	if r := s.run("memory", "report", "--weeks", "3", "--json"); strings.Count(r.out, "\n") != 3 {
		t.Errorf("three weeks: %s", r.out)
	}
	s.run("memory", "report", "--weeks", "0").wants(t, exitUsage, "--weeks is 0")
	s.run("memory", "report", "--format", "pdf").wants(t, exitUsage)
	s.run("memory", "report", "--format", "html", "--weeks", "2").wants(t, exitUsage, "one week")
	s.run("memory", "report", "-o", s.path("no/such/file")).wants(t, exitUsage, "no such folder")
}
