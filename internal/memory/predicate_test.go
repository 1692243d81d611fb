package memory_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
)

func TestShipped(t *testing.T) {
	table := memory.DefaultPredicates()
	if n := len(table.Names()); n < 60 {
		t.Errorf("%d predicates; a game needs about sixty", n)
	}
	for _, name := range []string{"lives_in", "works_at", "age", "spouse_of", "name", "from"} {
		if !table.Stateful(name) {
			t.Errorf("%s has one value at a time", name)
		}
	}
	for _, name := range []string{"likes", "sibling_of", "has", "promised", "said", "never_heard_of"} {
		if table.Stateful(name) {
			t.Errorf("%s may have several values", name)
		}
	}
}

func TestCanonical(t *testing.T) {
	table := memory.DefaultPredicates()
	cases := []struct {
		in, want string
		known    bool
	}{
		{"works_at", "works_at", true},
		{"current_employer", "works_at", true},
		{"WorksAt", "works_at", true},
		{"works at", "works_at", true},
		{"Comes-From", "from", true},
		{"favorite", "favourite", true},
		{"has sat beside", "has_sat_beside", false},
	}
	for _, c := range cases {
		if got, ok := table.Canonical(c.in); got != c.want || ok != c.known {
			t.Errorf("%q: %q, %v; want %q, %v", c.in, got, ok, c.want, c.known)
		}
	}
}

func TestExpressed(t *testing.T) {
	table := memory.DefaultPredicates()
	cases := []struct {
		name, in string
		want     bool
	}{
		{"works_at", "I'll be joining from my home office in Bangalore.", false},
		{"works_at", "My brother Tom works at the mill.", true},
		{"lives_in", "I moved to Ferrytown", true},
		{"role", "I'm a ropemaker", true},
		{"role", "a ropemaker from the coast", false},
		{"said", "the bridge fell", true},
		{"sworn_foe", "he is my sworn enemy", true},
		{"sworn_foe", "he is my friend", false},
	}
	for _, c := range cases {
		if got := table.Expressed(c.name, c.in); got != c.want {
			t.Errorf("%s in %q: %v", c.name, c.in, got)
		}
	}
}

func TestAWorldAdds(t *testing.T) {
	table, err := memory.LoadPredicates(memory.DefaultPredicates(), []byte(
		"- {name: guild_rank, stateful: true, aliases: "+
			"[standing], words: [rank]}\n- {name: likes, kind: preference, stateful: true}\n"), "hollowmere/predicates.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if name, ok := table.Canonical("standing"); !ok || name != "guild_rank" || !table.Stateful("standing") {
		t.Errorf("standing is %s", name)
	}
	if !table.Stateful("likes") || !table.Stateful("lives_in") {
		t.Error("a world's line takes the shipped one's place, and the others stay")
	}
	if memory.DefaultPredicates().Stateful("likes") {
		t.Error("the shipped table changed")
	}
}

func TestLoadRefusesInOneLine(t *testing.T) {
	cases := []struct{ name, file, says string }{
		{"not YAML", "- {name: [", "predicates"},
		{"an unknown field", "- {name: a, statful: true}", "statful"},
		{"no name", "- {stateful: true}", "no name"},
		{"a name with spaces", "- {name: works at}", "is no name"},
		{"a name twice", "- {name: a}\n- {name: b, aliases: [a]}", "a name of a already"},
		{"an unknown kind", "- {name: a, kind: rumour}", "kind is"},
		{"an inverse that is not there", "- {name: a, inverse: b}", `inverse "b"`},
		{"inverses that do not agree", "- {name: a, inverse: b}\n- {name: b}", "names"},
		{"days below 0", "- {name: a, stateful: true, minimum_days: -1}", "minimum_days is -1"},
		{"days of what has several values", "- {name: a, minimum_days: 3}", "stateful predicate alone"},
		{"an empty word", "- {name: a, words: ['']}", "empty word"},
	}
	for _, c := range cases {
		_, err := memory.LoadPredicates(nil, []byte(c.file), "my.yaml")
		if !errors.Is(err, memory.ErrPredicates) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), "my.yaml") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A refusal has the line of its entry, and the names of which one was meant.
func TestARefusalNamesItsLine(t *testing.T) {
	for file, want := range map[string]struct {
		line    int
		unknown string
		known   string
	}{
		"- {name: a}\n\n# one\n- {name: b, kind: fct}\n":        {4, "fct", "fact"},
		"- {name: a}\n- name: b\n  statefull: true\n":           {3, "statefull", "stateful"},
		"- {name: a}\n- {name: b, inverse: lives_inn}\n":        {2, "lives_inn", "lives_in"},
		"- {name: likes}\n- {name: adoring, aliases: [from]}\n": {line: 2},
	} {
		_, err := memory.LoadPredicates(memory.DefaultPredicates(), []byte(file), "predicates.yaml")
		var refused *memory.PredicateError
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v", file, err)
			continue
		}
		if refused.Line != want.line || refused.Unknown != want.unknown ||
			want.known != "" && !slices.Contains(refused.Known, want.known) {
			t.Errorf("%q: %+v, want %+v", file, *refused, want)
		}
	}
}

func TestAWorldSaysWhenAValueChanges(t *testing.T) {
	const file = "- {name: mood_today, stateful: true, minimum_days: 1}\n"
	table, err := memory.LoadPredicates(memory.DefaultPredicates(), []byte(file), "predicates.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if gap, ok := table.Gap("mood_today"); !ok || gap != 24*time.Hour {
		t.Errorf("%v, %v", gap, ok)
	}
	if _, ok := table.Gap("lives_in"); ok {
		t.Error("a shipped predicate has days of its own")
	}
	own, _ := table.Get("mood_today")
	shipped, _ := table.Get("lives_in")
	if !own.Own() || shipped.Own() {
		t.Errorf("own: %v, shipped: %v", own.Own(), shipped.Own())
	}
}
