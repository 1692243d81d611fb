package reviewer_test

import (
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// What the game refuses is promised in no words, neither in those of the action's
// first phrase nor in another of its phrases.
func TestNoPhraseOfARefusedActionIsReleased(t *testing.T) {
	for _, other := range []string{"Work is yours.", "Work is yours!",
		"I have work for you, if you can hold your tongue!"} {
		t.Run(other, func(t *testing.T) {
			files := servicetest.Village()
			files["npcs/mira/npc.yaml"] = &fstest.MapFile{Data: []byte(`handle: mira
name: Mira
backstory: "Mira is the smith of the village."
personality: "dry"
lines:
  refuse: ["That stays with me."]
actions:
  - name: give_quest
    parameters: {type: object, properties: {quest: {const: ledger}}}
    confirm: true
    speech_acts: ["I have work for you, if you can hold your tongue.", "Work is yours."]
`)}
			b := servicetest.New(t, files)
			g := &game{}
			b.Handlers[schema.PassReviewSpeech] = reviewer.New(b.Library, b.Releases, reviewer.Options{Confirm: g}).ReviewSpeech
			turn := prepared(t, b, "mira", "who owns the ferry?")
			turn.Class = protocol.ClassComplex
			turn.Decision.Actions = []schema.Action{{Name: "give_quest", Promised: true, Checked: true, Confirm: true,
				Phrase:     promise,
				Parameters: map[string]any{"quest": "ledger"}}}
			turn.Speech = &protocol.Speech{Attempt: 1, Speaker: "test", Sentences: []protocol.DraftSentence{
				{Text: promise, Authored: true}, {Text: other}, bound(turn, cite(owner, "ferry"))}}
			reply := b.Walk(t, turn, schema.PassReviewSpeech)
			if reply.Text != owner || g.asked != 1 {
				t.Errorf("reply %q, the game was asked %d times", reply.Text, g.asked)
			}
			if len(reply.Actions) != 1 || reply.Actions[0].Checked {
				t.Errorf("the reply's actions: %+v", reply.Actions)
			}
		})
	}
}
