package scan_test

import (
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/predicate"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The paper's two examples with the predicates that the binary brings, one of them
// under the name that an older extraction gave it.
func TestWithTheShippedPredicates(t *testing.T) {
	s := scanner(t)
	s.Predicates = scan.Of(predicate.Default())
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
