package admin

import (
	"encoding/base64"
	"testing"
)

func TestNames(t *testing.T) {
	body := base64.StdEncoding.EncodeToString([]byte(`{"player":"p42"}`))
	for _, c := range []struct {
		name, data, player string
		want               bool
	}{
		{"a field", `{"witnesses":["mira","p42"]}`, "p42", true},
		{"another one", `{"witnesses":["mira","p421"]}`, "p42", false},
		{"an id of the graph", `{"subject":"sister of player:p42"}`, "p42", true},
		{"a longer id", `{"subject":"player:p42-b"}`, "p42", false},
		{"in a text, and telling", `{"message":"is zq-42 here?"}`, "zq-42", true},
		{"in a text, and a word", `{"message":"that player was here"}`, "player", false},
		{"who spoke is no id", `{"speaker":"player"}`, "player", false},
		{"but this is one", `{"player":"player"}`, "player", true},
		{"in the body of a dead letter", `{"body":"` + body + `"}`, "p42", true},
		{"as a key of the state", `{"state":{"zq-42.level":7}}`, "zq-42", true},
		{"an NPC of that name", `{"npc":"zq-42","heard_from":"zq-42"}`, "zq-42", false},
		{"where an NPC stands, as a player", `{"heard_from":"player:p42"}`, "p42", true},
		{"in what a game gives as its reason", `{"reason":"zq-42 stands in the way"}`, "zq-42", true},
		{"in a field of the game's own", `{"state":{"npc":"bram","party":{"name":"ansel"}}}`, "ansel", true},
		{"who is nobody's NPC there", `{"parameters":{"npc":"p42"}}`, "p42", true},
		{"in what the game declares it may do", `{"parameters":{"properties":{"to":{"const":"p42"}}}}`, "p42", true},
		{"no JSON", `p42 was here`, "p42", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := names([]byte(c.data), c.player); got != c.want {
				t.Errorf("%s names %s: %v", c.data, c.player, got)
			}
		})
	}
}
