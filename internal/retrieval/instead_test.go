package retrieval

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// Whether it is a certain person is asked again as who it is; what asks for nobody is left alone.
func TestWhoItIsInPlaceOfWhetherItIsSomebody(t *testing.T) {
	npcs := map[string]*world.NPC{
		"bram": {Handle: "bram", Name: "Bram Dunnock"}, "mira": {Handle: "mira", Name: "Mira Ashdown"},
	}
	x := &Index{world: &world.World{NPCs: npcs}}
	for message, want := range map[string]string{
		"is bram the constable?":                  "Who is the constable?",
		"So, is old Bram Dunnock your father?":    "Who is your father?",
		"does Bram run the ferry?":                "Who runs the ferry?",
		"does Bram watch the bridge?":             "Who watches the bridge?",
		"does bram have a dog?":                   "Who has a dog?",
		"Did Bram drown in the mere?":             "Who did drown in the mere?",
		"was it bram who sold the mill?":          "Who sold the mill?",
		"is Bram married?":                        "", // nobody asks who is
		"is Bram?":                                "",
		"was it Bram who?":                        "",
		"does Mira run the ferry?":                "", // of the NPC itself
		"is the ferry safe?":                      "",
		"who is Bram?":                            "",
		"I think Bram is the constable":           "",
		"tell me, is it true that Bram is ill?":   "",
		"was it long before Bram sold the mill? ": "",
	} {
		s := &search{x: x, query: Query{Message: message, NPC: npcs["mira"]}}
		if got := s.who(); got != want {
			t.Errorf("%q is asked again as %q, want %q", message, got, want)
		}
	}
}
