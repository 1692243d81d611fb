package world

import (
	"testing"
	"time"
)

// What an NPC may tell depends on its scope, on the moment, and on the player's standing.
func TestACatalogueSortsByWhatMayBeTold(t *testing.T) {
	day := func(d int) time.Time { return time.Date(1402, 5, d, 0, 0, 0, 0, time.UTC) }
	trusted, err := ParseCondition("trust >= 20")
	if err != nil {
		t.Fatal(err)
	}
	mira := &NPC{Handle: "mira", Path: "npcs/mira/npc.yaml", Secrets: []Secret{
		{Text: "never"}, {Text: "to friends", Requires: "trust >= 20", Condition: trusted}}}
	w := &World{Documents: []*Document{
		{Path: "open.txt"}, {Path: "own.txt", NPC: "mira"}, {Path: "other.txt", NPC: "wren"},
		{Path: "few.txt", KnownBy: []string{"faction:watch"}}, {Path: "later.txt", CreatedAt: day(9)},
		{Path: "soon.txt", ValidFrom: day(8)}, {Path: "over.txt", ValidTo: day(1)},
		{Path: "friends.txt", Requires: "trust >= 20", Condition: trusted}}}
	for _, c := range []struct {
		trust int
		want  map[string]string // the reason; "open" where there is none
	}{
		{0, map[string]string{"open.txt": "open", "own.txt": "open", "other.txt": ClosedOutOfView,
			"few.txt": ClosedOutOfView, "later.txt": ClosedFuture, "soon.txt": ClosedNotYet, "over.txt": ClosedNoLonger,
			"friends.txt": ClosedRequires, "npcs/mira/npc.yaml#secret-1": ClosedSecret,
			"npcs/mira/npc.yaml#secret-2": ClosedSecret}},
		{20, map[string]string{"friends.txt": "open", "npcs/mira/npc.yaml#secret-1": ClosedSecret,
			"npcs/mira/npc.yaml#secret-2": "open"}},
	} {
		got := map[string]string{}
		found := w.CatalogueOf(mira, Facts{Trust: c.trust}, day(5))
		for _, e := range found.Open {
			got[e.Path] = "open"
		}
		for _, e := range append(found.Closed, found.Outside...) {
			got[e.Path] = e.Reason
		}
		if len(got) != 10 {
			t.Errorf("trust %d: %d entries: %v", c.trust, len(got), got)
		}
		for path, want := range c.want {
			if got[path] != want {
				t.Errorf("trust %d, %s: %q, want %q", c.trust, path, got[path], want)
			}
		}
	}
}
