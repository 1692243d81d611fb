package lore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// served is the village with what mira said to somebody an hour ago.
func served(t testing.TB, said string) (*lore.Lore, *world.NPC, *protocol.Turn) {
	t.Helper()
	w, problems, err := world.Load(servicetest.Village(), ".")
	if err != nil || len(world.Errors(problems)) > 0 {
		t.Fatal(err, problems)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	x := &lore.Lore{World: w, Echo: lore.NewEchoes()}
	x.Echo.Add("village", "mira", now.Add(-time.Hour), lore.EchoesOf(said, ""))
	for i := range uint64(lore.EchoesKept - 1) {
		x.Echo.Add("village", "mira", now.Add(-time.Minute), []uint64{i << 52})
	}
	turn := &protocol.Turn{Request: schema.Request{TurnID: "t1", World: "village", NPC: "mira", Player: "p2"},
		AcceptedAt: now}
	return x, w.NPCs["mira"], turn
}

// A file that repeats what an NPC had said in a model's words, to whomever, is no lore for
// that NPC, unless the file was there first.
func TestAFileThatRepeatsAModelIsNoLoreWhoeverHeardIt(t *testing.T) {
	const said = "The silver lantern hangs in the old tannery."
	x, mira, turn := served(t, said)
	for name, c := range map[string]struct {
		npc     *world.NPC
		indexed time.Time
		reason  string
	}{
		"it came after":         {mira, turn.AcceptedAt.Add(-time.Minute), grounding.RejectModelCopy},
		"it was there first":    {mira, turn.AcceptedAt.Add(-2 * time.Hour), ""},
		"another NPC never did": {x.World.NPCs["osric"], turn.AcceptedAt.Add(-time.Minute), ""},
	} {
		t.Run(name, func(t *testing.T) {
			chunk := protocol.Chunk{ID: "lore/x.txt#1", Path: "lore/x.txt", Source: schema.OriginCorpus, World: "village",
				Text: "It is old. " + said, KnownBy: []string{"all"}, IndexedAt: c.indexed, CreatedAt: c.indexed}
			check := x.ProvenanceCheck(turn, c.npc)
			check.GameTime = turn.AcceptedAt
			if reason, _ := grounding.Eligible(chunk, check); reason != c.reason {
				t.Errorf("refused for %q, want %q", reason, c.reason)
			}
		})
	}
}

// BenchmarkTwentySources is what the contract costs one search of 160 sentences, beside a
// full ring and without one.
func BenchmarkTwentySources(b *testing.B) {
	x, mira, turn := served(b, "The silver lantern hangs in the old tannery.")
	at := turn.AcceptedAt.Add(-time.Second)
	chunk := protocol.Chunk{ID: "lore/x.txt#1", Path: "lore/x.txt", Source: schema.OriginCorpus, World: "village",
		Text:    strings.Repeat("The ferry crosses the river at dawn and at dusk. ", 8),
		KnownBy: []string{"all"}, IndexedAt: at, CreatedAt: at}
	for name, book := range map[string]*lore.Echoes{"full": x.Echo, "none": nil} {
		b.Run(name, func(b *testing.B) {
			x.Echo = book
			for b.Loop() {
				check := x.ProvenanceCheck(turn, mira)
				check.GameTime = turn.AcceptedAt
				for range 20 {
					grounding.Eligible(chunk, check)
				}
			}
		})
	}
}
