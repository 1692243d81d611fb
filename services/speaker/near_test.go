package speaker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
	"github.com/forsooth-npc/forsooth/services/speaker"
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

// A sure answer that the reader takes for another question's is owned to as well, and said whole.
// A reader that takes it for the answer leaves it as it is.
func TestAnAnswerBesideThePointIsOwnedTo(t *testing.T) {
	for read, lead := range map[float64]bool{0.01: true, 0.99: false} {
		b := servicetest.New(t, servicetest.Village())
		s := speaker.New(b.Library, speaker.Options{Reads: func(_ string, sentences []string) []float64 {
			return slices.Repeat([]float64{read}, len(sentences))
		}})
		b.Handlers[schema.PassDecide], b.Handlers[schema.PassSpeak] = s.Decide, s.Speak
		r := b.Walk(t, b.Turn("mira", "When does the ferry go over?"), schema.PassRetrieve)
		var mira world.NPC
		if got := slices.Contains(mira.Line(world.LineUnsure, "en"), r.Sentences[0].Text); got != lead {
			t.Errorf("read at %v: says %q", read, r.Text)
		}
		if last := r.Sentences[len(r.Sentences)-1]; len(last.Evidence) == 0 {
			t.Errorf("read at %v: ends %q, which nothing bears", read, last.Text)
		}
	}
}
