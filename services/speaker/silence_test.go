package speaker_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// An NPC that speaks behind another says nothing that was said already: where that is all it
// knows, it keeps silent.
func TestALineThatWouldRepeatAnotherIsNotSaid(t *testing.T) {
	const owner = "Teague owns the ferry."
	for _, c := range []struct {
		name, heard string
		round       int
		says        bool
	}{
		{"nobody has said it", "Ask the ferryman.", 1, true},
		{"another has said it", owner, 1, false},
		{"another has said it in other letters", "teague owns the ferry", 1, false},
		{"the player asks this one", owner, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			turn := b.Turn("mira", "Who owns the ferry?")
			turn.Scene = &schema.Scene{ID: "inn", Round: c.round, Rounds: 1, Message: turn.Message}
			turn.Convo = &schema.Conversation{Heard: []schema.Line{{Speaker: "npc", By: "osric", Text: c.heard}}}
			r := b.Walk(t, turn, schema.PassRetrieve)
			if says := strings.Contains(r.Text, owner); says != c.says {
				t.Errorf("says %q, %s %s", r.Text, r.Status, r.Reason)
			}
			if !c.says && (len(r.Sentences) > 0 && r.Sentences[0].Authored || strings.EqualFold(r.Text, c.heard)) {
				t.Errorf("and says %q in its place", r.Text)
			}
		})
	}
}
