package memory_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What was said twice and merged is known since it was first said, also where the
// question is about a day between the two.
func TestAMergedMemoryIsKnownSinceItsFirstWords(t *testing.T) {
	first, second := told("p42", "lives_in", "Oakham", "I live in Oakham", day(0)),
		told("p42", "lives_in", "Oakham", "Oakham is where I live", day(10))
	b := memory.NewBook("hollowmere", "mira")
	apply(t, b, event("w1", schema.MemoryWritten, &first), event("w2", schema.MemoryWritten, &second))
	s := scan.Scanner{Settings: scan.Settings{Structural: true, MaxClusters: 10, Merge: true}, Rule: memory.DefaultRule(),
		Predicates: memory.DefaultPredicates()}
	var items []scan.Item
	for _, m := range b.Memories() {
		items = append(items, scan.Item{Memory: m})
	}
	r, err := s.Run(t.Context(), scan.Input{World: "hollowmere", Memories: items, Now: wall})
	if err != nil || len(r.Events) != 1 {
		t.Fatalf("%d events, %v", len(r.Events), err)
	}
	apply(t, b, r.Events...)
	for _, c := range []struct{ day, want int }{{-1, 0}, {0, 1}, {5, 1}, {10, 1}, {20, 1}} {
		var records []memory.Record
		for _, m := range b.Memories() {
			records = append(records, memory.Record{Memory: m, Relevance: 1})
		}
		got := memory.Recall(records,
			memory.Query{World: "hollowmere", NPC: "mira", Player: "p42", Now: day(30), At: day(c.day)})
		if len(got) != c.want {
			t.Errorf("of day %d %d memories are known, want %d", c.day, len(got), c.want)
		}
	}
}
