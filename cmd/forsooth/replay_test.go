package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func said(t *testing.T, s *site, message string) (village, turn string) {
	t.Helper()
	village = s.village()
	r := s.run("chat", "--world", village, "--once", message, "--json")
	r.wants(t, exitFine)
	return village, r.object(t)["turn_id"].(string)
}

// stored are the names and sizes of what a data folder keeps of turns.
func stored(t *testing.T, s *site) string {
	t.Helper()
	files, err := filepath.Glob(s.path("data/forsooth/nats/jetstream/*/streams/*/msgs/*.blk"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var b strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(f + string(data))
	}
	return b.String()
}

func TestATurnIsRunAgain(t *testing.T) {
	s := newSite(t)
	village, turn := said(t, s, "Who owns the ferry?")
	before := stored(t, s)
	r := s.run("replay", turn, "--world", village, "--json")
	r.wants(t, exitFine)
	o := r.object(t)
	if len(o["changed"].([]any)) != 0 || o["new"].(map[string]any)["reply"] != "Teague owns the ferry." {
		t.Errorf("%s", r.out)
	}
	if strings.Contains(r.out, "null") {
		t.Errorf("something is null in %s", r.out)
	}
	r = s.run("replay", turn, "--world", village)
	r.wants(t, exitFine)
	for _, want := range []string{"to mira: Who owns the ferry?", "then: extractive", "now: extractive", "lore/ferry.txt",
		"review-speech", "the same answer"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
	if after := stored(t, s); after != before {
		t.Error("the data folder's turns have changed")
	}
}

// A world that was mended since gives the answer that it would give now; the old
// answer stands beside it.
func TestATurnIsRunAgainInAMendedWorld(t *testing.T) {
	s := newSite(t)
	village, turn := said(t, s, "Who owns the ferry?")
	s.write("village/lore/ferry.txt", "Bram owns the ferry. The ferry crosses the river at dawn and at dusk. A "+
		"crossing costs two bits.\n")
	r := s.run("replay", turn, "--world", village, "--strict")
	r.wants(t, exitFine)
	for _, want := range []string{"Teague owns the ferry.", "Bram owns the ferry.", "changed: sentences, evidence"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
}

func TestAReplayJoinsTheMeshThatRuns(t *testing.T) {
	s := newSite(t)
	village, turn := said(t, s, "Who owns the ferry?")
	p := s.start("up", "--world", village)
	p.says(`ready`)
	r := s.run("replay", turn) // the world is the one that is served
	r.wants(t, exitFine)
	if !strings.Contains(r.out, "the same answer") {
		t.Errorf("it prints\n%s", r.out)
	}
	p.signal(syscall.SIGTERM)
	if code := p.end(); code != exitFine {
		t.Errorf("the mesh ends with %d: %s", code, p.err.text)
	}
}

func TestATurnThatCannotBeRunAgain(t *testing.T) {
	s := newSite(t)
	s.run("replay", "01J").wants(t, exitFailed, "no turn has been kept")
	village, turn := said(t, s, "Who owns the ferry?")
	s.run("replay", "01J", "--world", village).wants(t, exitFailed, "01J", "seven days")
	s.run("replay", "a b").wants(t, exitUsage, "turn")
	s.run("replay", turn, "--world", "shadowwatch").wants(t, exitUsage, "of the world village", "--world")
	s.run("replay", turn, "--depth", "deep").wants(t, exitUsage, "depth")
}
