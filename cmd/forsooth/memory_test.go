package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What was said before a restart is remembered after it, listed, shown with its
// words, and made again from the log.
func TestMemories(t *testing.T) {
	s := newSite(t)
	village := s.village()
	say := func(player, message string) string {
		r := s.run("chat", "--world", village, "--npc", "mira", "--player", player, "--once", message, "--json")
		r.wants(t, exitFine)
		return r.object(t)["reply"].(string)
	}
	s.run("memory", "list").wants(t, exitFailed, "no turn has been kept")
	say("p1", "I come from the coast.")
	if got := say("p1", "Where do I come from?"); !strings.Contains(got, "You told me that you come from the coast.") {
		t.Errorf("the next day: %q", got)
	}
	if got := say("p2", "Where do I come from?"); strings.Contains(got, "coast") {
		t.Errorf("another player hears %q", got)
	}
	var kept schema.Memory
	for until := time.Now().Add(10 * time.Second); kept.ID == "" && time.Now().Before(until); {
		r := s.run("memory", "list", "--npc", "mira", "--player", "p1", "--json")
		r.wants(t, exitFine)
		for line := range strings.Lines(r.out) {
			if err := json.Unmarshal([]byte(line), &kept); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
		}
	}
	if kept.Status != schema.MemoryActive || kept.Source != schema.OriginUser || kept.Player != "p1" {
		t.Fatalf("%+v", kept)
	}
	r := s.run("memory", "show", kept.ID)
	r.wants(t, exitFine)
	for _, w := range []string{"they come from the coast", `player: "I come from the coast"`,
		"written by guard1: SUPPORTED"} {
		if !strings.Contains(r.out, w) {
			t.Errorf("%q is not shown: %s", w, r.out)
		}
	}
	s.run("memory", "show", "nope").wants(t, exitFailed, `no memory has the id "nope"`)
	s.run("memory", "list", "--status", "asleep").wants(t, exitUsage, `"asleep" is no status`)
	if r := s.run("memory", "list", "--player", "p2", "--json"); r.code != exitFine || r.out != "" {
		t.Errorf("of another player: %d, %q", r.code, r.out)
	}
	log := s.run("memory", "export", "--log")
	log.wants(t, exitFine)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(s.path("data/forsooth/session.db") + suffix)
	}
	done := s.run("memory", "rebuild", "--json").object(t)
	if done["memories"] != float64(1) || done["entries"] != float64(strings.Count(log.out, "\n")) ||
		len(done["problems"].([]any)) != 0 {
		t.Errorf("%v of %s", done, log.out)
	}
	if got := say("p1", "Where do I come from?"); !strings.Contains(got, "the coast") {
		t.Errorf("after the index was made again: %q", got)
	}
}

// A turn of a process of its own is remembered when the process ends: the next one may
// rest on it.
func TestASingleTurnIsRemembered(t *testing.T) {
	s := newSite(t)
	for _, home := range []string{"Oakham", "Saltmere", "Pennick"} {
		s.run("chat", "--world", s.village(), "--npc", "mira", "--player", "p-"+home, "--once",
			"I live in "+home+".").wants(t, exitFine)
		if r := s.run("memory", "list", "--player", "p-"+home); !strings.Contains(r.out, "they live in "+home) {
			t.Errorf("%s: %s", home, r.out)
		}
	}
}
