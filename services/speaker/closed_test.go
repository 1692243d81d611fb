package speaker_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A speaker died, and its turn was ended before another one took the message. Nothing is
// left to say: the turn goes to its last pass, which stores the reply if nobody else has.
func TestATurnThatWasEndedIsNotSpoken(t *testing.T) {
	for _, c := range []struct {
		name  string
		draft *protocol.Speech // of an attempt before
	}{
		{"before its first speech", nil},
		{"before another attempt", &protocol.Speech{Attempt: 1, Run: "4.1",
			Sentences: []protocol.DraftSentence{{Text: "Teague drowned a man once."}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, err := llmtest.Start(llmtest.Options{Persona: "quote", Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			b := servicetest.NewWithModel(t, servicetest.Village(), server.URL())
			turn := b.Turn("mira", "who owns the ferry?")
			for pass := schema.PassRetrieve; pass != schema.PassSpeak; {
				turn.Passes = append(turn.Passes, schema.PassRecord{Pass: pass, Attempt: 1})
				if pass, err = b.Handlers[pass](t.Context(), turn); err != nil {
					t.Fatal(err)
				}
			}
			before := server.Stats().Calls
			b.Releases.Of(turn.TurnID).Close()
			turn.Speech = c.draft
			turn.Passes = append(turn.Passes, schema.PassRecord{Pass: schema.PassSpeak, Attempt: 2})
			next, err := b.Handlers[schema.PassSpeak](t.Context(), turn)
			if next != schema.PassAct || err != nil {
				t.Errorf("the turn goes to %q, %v", next, err)
			}
			if asked := server.Stats().Calls - before; asked > 0 {
				t.Errorf("the model was asked %d times", asked)
			}
		})
	}
}
