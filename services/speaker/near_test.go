package speaker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// Where the NPC nearly knows, it owns to not knowing for certain, says the nearest sentence and nothing more, and
// the review lets both through.
func TestWhoNearlyKnowsOwnsToItAndSaysWhatComesNearest(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	turn := b.Turn("mira", "Who owns the ferry?")
	if _, err := b.Handlers[schema.PassRetrieve](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	turn.Passes = append(turn.Passes, schema.PassRecord{Pass: schema.PassRetrieve, Attempt: 1})
	turn.Retrieval.Zone = protocol.ZoneNear
	r := b.Walk(t, turn, schema.PassThink)
	if len(r.Sentences) != 2 || len(r.Sentences[1].Evidence) == 0 || !strings.Contains(r.Sentences[1].Text, "Teague") {
		t.Fatalf("says %q (%s)", r.Text, r.Status)
	}
	var mira world.NPC
	if !slices.Contains(mira.Line(world.LineUnsure, "en"), r.Sentences[0].Text) {
		t.Errorf("begins %q, which is no line that owns to not knowing", r.Sentences[0].Text)
	}
}
