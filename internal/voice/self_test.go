package voice

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// TestWhatAFileNotesOfItsNPCIsSaidInTheFirstPerson holds goals and personality to natural wordings.
func TestWhatAFileNotesOfItsNPCIsSaidInTheFirstPerson(t *testing.T) {
	p := Person{Handle: "teague", Name: "Corrin Teague"}
	for _, c := range []struct{ kind, note, want string }{
		{protocol.TypeGoal, "Earn enough to put new strakes in the Patience.",
			"I want to earn enough to put new strakes in the Patience."},
		{protocol.TypeGoal, "Never find out what Davy saw in the water.",
			"I want never to find out what Davy saw in the water."},
		{protocol.TypeGoal, "To see Osterwick again.", "I want to see Osterwick again."},
		{protocol.TypePersonality, "Wry, superstitious, lonely, easily tempted by silver and sorry afterwards.",
			"I am wry, superstitious, lonely, easily tempted by silver and sorry afterwards."},
		{protocol.TypePersonality, "Loves the mere and is afraid of it.", "I love the mere and am afraid of it."},
		{protocol.TypePersonality, "Would rather say nothing than say a thing twice.",
			"I would rather say nothing than say a thing twice."},
		{protocol.TypePersonality, "No interest in bravado and a soft spot for beginners.",
			"I have no interest in bravado and a soft spot for beginners."},
		{protocol.TypePersonality, "Curious about strangers.", "I am curious about strangers."},
		{protocol.TypePersonality, "Corrin Teague never swims.", "I never swim."},
	} {
		e := protocol.Evidence{Type: c.kind, Author: p.Name, Text: c.note, Private: true}
		ways := Renderings(e, c.note, p)
		if len(ways) != 1 || ways[0].Text != c.want {
			t.Errorf("%s %q: got %+v, want %q", c.kind, c.note, ways, c.want)
		}
	}
}
