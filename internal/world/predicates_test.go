package world_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// A world's predicates stand on top of the shipped ones. A file that is not sound costs
// itself alone, and lint names its line and the word that was meant.
func TestPredicatesOfAWorld(t *testing.T) {
	for name, c := range map[string]struct {
		file, problem string
		stateful      bool // of uses_database, the example of the paper
	}{
		"none": {absent, "", false},
		"a stateful one": {"- {name: uses_database, stateful: true, aliases: [database], minimum_days: 1}\n", "",
			true},
		"a misspelt kind": {"- {name: a}\n- {name: uses_database, stateful: true, kind: factt}\n",
			"predicates.yaml:2: error: predicate \"uses_database\": kind is \"factt\"", false},
		"a misspelt key": {"- name: uses_database\n  statefull: true\n", "did you mean stateful?",
			false},
		"an inverse that is not there": {"- {name: uses_database, inverse: lives_inn}\n", "did you mean lives_in?",
			false},
		"no list": {"name: a\n", "predicates.yaml:1: error:", false},
	} {
		w, problems, err := world.Load(files(map[string]string{"predicates.yaml": c.file}), ".")
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, p := range problems {
			if p.File == "predicates.yaml" {
				said += p.String()
			}
		}
		if (c.problem == "") != (said == "") || !strings.Contains(said, c.problem) {
			t.Errorf("%s: lint says %q, want %q", name, said, c.problem)
		}
		if got := w.Predicates.Stateful("database") && w.Predicates.Stateful("uses_database"); got != c.stateful {
			t.Errorf("%s: stateful is %v", name, got)
		}
		if !w.Predicates.Stateful("lives_in") {
			t.Errorf("%s: the shipped predicates are gone", name)
		}
	}
}

// A change of the file is a new version of the world, so a running mesh takes it up.
func TestPredicatesAreOfTheVersion(t *testing.T) {
	version := func(file string) string {
		w, _, err := world.Load(files(map[string]string{"predicates.yaml": file}), ".")
		if err != nil {
			t.Fatal(err)
		}
		return w.Version
	}
	none, one, other := version(absent), version("- {name: a}\n"), version("- {name: a, stateful: true}\n")
	if none == one || one == other {
		t.Errorf("%s, %s, %s", none, one, other)
	}
}
