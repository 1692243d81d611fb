package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/lab/trials"
)

// Two kinds of process, restarted in turn by SIGTERM and by kill -9 while a few
// players talk: nothing that was accepted is lost.
func TestARollingRestartLosesNothing(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "forsooth") // built before newSite hides the cache of builds
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/forsooth")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := newSite(t)
	r := s.run("rolling", "--forsooth", binary, "--kinds", "2", "--replicas", "1", "--players", "4", "--rate", "2",
		"--deadline", "60s", "--pause", "100ms", "--json")
	var got trials.RollingRun
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatalf("exit code %d, %v, it says %s", r.code, err, r.err)
	}
	t.Logf("%d turns, p99 %.0f ms, %d redelivered", got.Play.Turns, got.Play.InMesh.P99, got.Redelivered)
	if r.code != exitFine || len(got.Violations) > 0 || got.Play.Turns == 0 || got.Play.Replies != got.Play.Turns {
		t.Errorf("exit code %d, %v, %d replies to %d turns", r.code, got.Violations, got.Play.Replies, got.Play.Turns)
	}
	by := map[string]int{}
	for _, x := range got.Restarts {
		by[x.How]++
	}
	if by["SIGTERM"] != 2 || by["kill -9"] != 2 {
		t.Errorf("restarted %v", by)
	}
	if n := strings.Count(r.err, "ended after"); n != 4 {
		t.Errorf("it tells of %d restarts: %s", n, r.err)
	}
	s.run("rolling", "--replicas", "0").wants(t, exitUsage, "--replicas")
}
