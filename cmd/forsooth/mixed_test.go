package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// before is the commit that a fleet is upgraded from in the test below.
const before = "bd448b0"

// olderBuild builds forsooth as it was before, or, where the history does not reach so
// far, this tree with another minor of the schema. It says which.
func olderBuild(t *testing.T) (path, which string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "forsooth")
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", path, "./cmd/forsooth")
	build.Dir, which = filepath.Join(t.TempDir(), "before"), "commit "+before
	if out, err := exec.Command("git", "-C", root, "worktree", "add", "--detach", build.Dir,
		before).CombinedOutput(); err == nil {
		t.Cleanup(func() {
			if out, err := exec.Command("git", "-C", root, "worktree", "remove", "--force",
				build.Dir).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	} else {
		t.Logf("no worktree of %s: %s", before, out)
		build.Dir, which = root, "this tree with schema 1.9"
		build.Args = append(build.Args[:2], "-overlay", otherMinor(t, root), "-o", path, "./cmd/forsooth")
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build of %s: %v: %s", which, err, out)
	}
	return path, which
}

// otherMinor is a build's overlay by which it writes another minor of the schema.
func otherMinor(t *testing.T, root string) string {
	t.Helper()
	source := filepath.Join(root, "pkg/schema/schema.go")
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	plain := `const Version = "` + schema.Version + `"`
	if !strings.Contains(string(data), plain) {
		t.Fatalf("%s has no %s", source, plain)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "schema.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {source: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string][]byte{
		changed: []byte(strings.Replace(string(data), plain, `const Version = "1.9"`, 1)), overlay: text} {
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return overlay
}

// While a fleet is upgraded, each service runs in both builds, and a turn goes from one
// to the other at any pass: none is lost.
func TestAFleetOfTwoBuildsLosesNoTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another forsooth, and runs 500 turns")
	}
	const turns, atOnce = 500, 50
	path, which := olderBuild(t)
	server := natstest.Start(t, natstest.JetStream(t))
	s := newSite(t)
	s.village()
	s.run("lore", "index", s.path("village")).wants(t, exitFine)
	mine := binary
	defer func() { binary = mine }()
	for _, build := range []string{path, mine} {
		binary = build
		newFleet(s, server.URL, "retriever", "monologue", "reviewer", "speaker", "actions")
	}
	b := newBackend(t, server.URL)
	lost, statuses := 0, map[schema.Status]int{}
	for first := 0; first < turns; first += atOnce {
		for i := first; i < first+atOnce; i++ {
			b.publish(i)
		}
		for i := first; i < first+atOnce; i++ {
			r := b.reply(i)
			statuses[r.Status]++
			if r.Status == schema.StatusAborted || r.Reason == schema.ReasonDeadline {
				lost++
				t.Errorf("turn %d ends %s %s", i, r.Status, r.Reason)
			}
		}
	}
	t.Logf("half %s, half this tree: turns=%d lost=%d %v", which, turns, lost, statuses)
}
