package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A world's predicates.yaml decides in a running mesh whether two homes contradict each
// other, from the moment at which the world is taken up anew.
func TestPredicatesOfAWorldInAMesh(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.extra = append(s.extra, "FORSOOTH_LORE_REFRESH_MS=100")
	up := s.start("up", "--world", village)
	up.says(`ready`)
	// quarrels says whether two homes of a new player contradict each other.
	players := 0
	quarrels := func() bool {
		t.Helper()
		players++
		player := fmt.Sprintf("p%d", players)
		for _, said := range []string{"I live in Oakham.", "I live in Saltmere."} {
			s.run("chat", "--npc", "mira", "--player", player, "--once", said).wants(t, exitFine)
		}
		s.run("memory", "scan").wants(t, exitFine)
		homes, open := 0, false
		for line := range strings.Lines(s.run("memory", "list", "--player", player, "--json").out) {
			var m schema.Memory
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			if m.Pred == "lives_in" {
				homes++
				open = open || len(m.Contradicts) > 0
			}
		}
		if homes != 2 {
			t.Fatalf("%d homes of %s are remembered", homes, player)
		}
		return open
	}
	if !quarrels() {
		t.Error("with the shipped predicates, two homes do not contradict each other")
	}
	s.write("village/predicates.yaml", "- {name: lives_in, aliases: [lives_at, home], words: [live, lives, house]}\n")
	for tries := 0; quarrels(); tries++ {
		if tries == 20 {
			t.Fatal("the world's own predicates are not taken up")
		}
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Errorf("the mesh ends with %d: %s", code, up.err.text)
	}
}

func TestPredicatesAreShown(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.write("village/predicates.yaml", "- {name: guild_rank, stateful: true, aliases: [standing], minimum_days: 5}\n")
	r := s.run("memory", "predicates", "--world", village)
	r.wants(t, exitFine)
	for _, want := range []string{"one at a time, changes after 5 days  predicates.yaml  standing", "lives_in",
		"shipped"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
	o := s.run("memory", "predicates", "--own", "--world", village, "--json").object(t)
	if o["name"] != "guild_rank" || o["own"] != true || o["minimum_days"] != 5.0 {
		t.Errorf("%v", o)
	}
	s.write("village/predicates.yaml", "- {name: a}\n- {name: b, kindd: fact}\n")
	lint := s.run("lore", "lint", village)
	lint.wants(t, exitFailed)
	if !strings.Contains(lint.out, "predicates.yaml:2: error") || !strings.Contains(lint.out, "did you mean kind?") {
		t.Errorf("lint says %s", lint.out)
	}
}
