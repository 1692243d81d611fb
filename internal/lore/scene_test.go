package lore_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A request of a scene is held against its world as any other one, also where the scene has
// yet to choose who answers.
func TestTheStateOfASceneIsChecked(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		npc   string
		state map[string]any
		want  string // "": taken
	}{
		{"", map[string]any{"npc.mood": "glad", "mira.mood": "glad"}, ""},
		{"mira", map[string]any{"npc.mood": "glad"}, ""},
		{"", map[string]any{"npc.mood": long}, "npc.mood is no line"},
		{"", map[string]any{"osric.mood": long}, "osric.mood is no line"},
		{"mira", map[string]any{"mira.mood": "glad", "npc.mood": "sad"}, "send one of them"},
		{"nobody", nil, "is not an NPC"},
	} {
		err := b.Library.Check(&schema.Request{TurnID: "t1", World: "village", NPC: c.npc, Player: "p1", Message: "Hm?",
			State: c.state, Scene: &schema.Scene{ID: "inn"}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %v: %v", c.npc, c.state, err)
		}
	}
}
