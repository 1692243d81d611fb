package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A player is erased beside a running mesh and in a folder that nobody holds; a
// second time says so; a restored backup is rid of the player by the receipt.
func TestEraseAPlayer(t *testing.T) {
	s := newSite(t)
	village := s.village()
	data := s.path("data/forsooth")
	say := func(player, message string) map[string]any {
		r := s.run("chat", "--world", village, "--npc", "mira", "--player", player, "--once", message, "--json")
		r.wants(t, exitFine)
		return r.object(t)
	}
	s.run("memory", "erase").wants(t, exitUsage, "--player", "--from-receipts")
	s.run("memory", "erase", "--player", "zq-gone-42").wants(t, exitFailed, "no turn has been kept")
	turn := say("zq-gone-42", "I come from Marzipania.")["turn_id"].(string)
	say("zq-stays-7", "I come from the coast.")
	s.run("memory", "erase", "--player", "nobody-1").wants(t, exitFailed, "nothing is kept of player nobody-1")
	s.run("memory", "erase", "--player", "a b").wants(t, exitUsage, "player")
	s.run("trace", turn).wants(t, exitFine)
	plan := s.run("memory", "erase", "--player", "zq-gone-42", "--dry-run", "--json").object(t)
	if plan["would_erase"].(map[string]any)["replies"] != float64(1) {
		t.Errorf("the plan is %v", plan)
	}
	s.run("trace", turn).wants(t, exitFine)
	if err := os.CopyFS(s.path("backup"), os.DirFS(data)); err != nil {
		t.Fatal(err)
	}

	up := s.start("up", "--world", village, "--json")
	var ready Ready
	if err := json.Unmarshal([]byte(up.says(`(?s)(\{.*\})\n`)[1]), &ready); err != nil {
		t.Fatal(err)
	}
	r := s.run("memory", "erase", "--player", "zq-gone-42")
	r.wants(t, exitFine)
	for _, w := range []string{"1 replies", "out of reach:", "backups", "receipts"} {
		if !strings.Contains(r.out, w) {
			t.Errorf("%q is not said: %s", w, r.out)
		}
	}
	s.holdsNothing(data, "zq-gone-42", "Marzipania")
	s.run("memory", "erase", "--player", "zq-gone-42").wants(t, exitFine)
	if r := s.run("memory", "erase", "--player", "zq-gone-42"); !strings.Contains(r.out,
		"nothing is left of this player") {
		t.Errorf("the second time it says %s", r.out)
	}
	gone, unknown := s.run("trace", turn), s.run("trace", "never-was")
	gone.wants(t, exitFailed, "has aged out")
	unknown.wants(t, exitFailed)
	if got := say("zq-stays-7", "Where do I come from?"); !strings.Contains(got["reply"].(string), "the coast") {
		t.Errorf("the other player hears %v", got["reply"])
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Errorf("exit code %d: %s", code, up.err.text)
	}
	s.holdsNothing(data, "zq-gone-42", "Marzipania")

	if err := os.Rename(filepath.Join(data, "receipts"), s.path("receipts")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(data, os.DirFS(s.path("backup"))); err != nil {
		t.Fatal(err)
	}
	again := s.run("memory", "erase", "--from-receipts", s.path("receipts"), "--json")
	again.wants(t, exitFine)
	if n := strings.Count(again.out, `"player_hash"`); n != 1 {
		t.Errorf("%d receipts: %s", n, again.out)
	}
	s.holdsNothing(data, "zq-gone-42", "Marzipania")
	s.run("memory", "erase", "--from-receipts", s.path("receipts")).wants(t, exitFine)
	if got := say("zq-stays-7", "Where do I come from?"); !strings.Contains(got["reply"].(string), "the coast") {
		t.Errorf("the other player hears %v", got["reply"])
	}
}

// holdsNothing looks for words in every byte of every file of a folder.
func (s *site) holdsNothing(dir string, words ...string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, w := range words {
			if strings.Contains(path, w) || bytes.Contains(data, []byte(w)) {
				s.t.Errorf("%s holds %q", path, w)
			}
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}
