package scan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The paper's two examples with the predicates that the binary brings, one of them
// under the name that an older extraction gave it.
func TestWithTheShippedPredicates(t *testing.T) {
	s := scanner(t)
	s.Predicates = memory.DefaultPredicates()
	out := run(t, s, input(items(t, []schema.Memory{
		said("a", "ent_georgian", "current_employer", "Datakynd", "Georgian works at Datakynd.", day(0)),
		said("b", "ent_georgian", "works_at", "Arrive", "Georgian works at Arrive.", day(299)),
		said("c", "npc:osric", "lives_in", "Ferrytown", "Osric lives in Ferrytown.", day(0)),
		said("d", "npc:osric", "lives_in", "Marsh End", "Osric lives in Marsh End.", day(1)),
		said("e", "player:p42", "likes", "plums", "p42 likes plums.", day(0)),
		said("f", "player:p42", "likes", "pears", "p42 likes pears.", day(200)),
	}...)))
	if want := []string{"flagged c|d", "superseded a→b"}; !slices.Equal(short(out.Events), want) {
		t.Errorf("%v, want %v", short(out.Events), want)
	}
}

// A world's own predicates decide what is a change, what a contradiction and what may
// stand side by side; a predicate that no table knows may have several values.
func TestWithAWorldsPredicates(t *testing.T) {
	const owned = "- {name: uses_database, stateful: true, aliases: [database], minimum_days: 2}\n"
	const apart = "- {name: lives_in, words: [live]}\n"
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"the shipped ones":  {"", []string{"flagged c|d"}},
		"one of its own":    {owned, []string{"flagged c|d", "flagged e|f", "superseded a→b"}},
		"several homes":     {apart, nil},
		"both of them":      {owned + apart, []string{"flagged e|f", "superseded a→b"}},
		"a gap of 400 days": {strings.Replace(owned, "2}", "400}", 1), []string{"flagged a|b", "flagged c|d", "flagged e|f"}},
	} {
		table, err := memory.LoadPredicates(memory.DefaultPredicates(), []byte(c.file), "predicates.yaml")
		if err != nil {
			t.Fatal(err)
		}
		s := scanner(t)
		s.Predicates = table
		out := run(t, s, input(items(t, []schema.Memory{
			said("a", "ent_shop", "database", "ledgers", "The shop uses ledgers.", day(0)),
			said("b", "ent_shop", "uses_database", "slates", "The shop uses slates.", day(7)),
			said("c", "npc:osric", "lives_in", "Ferrytown", "Osric lives in Ferrytown.", day(0)),
			said("d", "npc:osric", "lives_in", "Marsh End", "Osric lives in Marsh End.", day(1)),
			said("e", "ent_inn", "uses_database", "scrolls", "The inn uses scrolls.", day(0)),
			said("f", "ent_inn", "uses_database", "tally sticks", "The inn uses tally sticks.", day(1)),
		}...)))
		if got := short(out.Events); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
