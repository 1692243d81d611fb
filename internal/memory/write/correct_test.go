package write_test

import (
	"context"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A correction takes the place of what it corrects, and of nothing else that was said beside
// it; words that withdraw the message before take all of its last sentence back.
func TestACorrectionTakesThePlaceOfWhatItCorrects(t *testing.T) {
	cases := []struct{ said, then, want string }{
		{"The code is 4471.", "Wait, 4417.", "The code is 4417:active The code is 4471:superseded"},
		{"I have a ferret and the code is 4471.", "Wait, 4417.",
			"a ferret:active the code is 4417:active the code is 4471:superseded"},
		{"I live in Oakham and work at the mill.", "Wait, Ferrytown.",
			"Ferrytown:active Oakham:superseded place:mill:active"},
		{"My brother Tom lives in Oakham.", "I mean Ferrytown.", "Ferrytown:active Oakham:superseded Tom:active"},
		{"I don't live in Oakham.", "No, I meant Ferrytown.", "not Ferrytown:active not Oakham:superseded"},
		{"I have two sons and I like bees.", "I mean goats.", "bees:superseded goats:active two sons:active"},
		{"I have a ferret and I like bees.", "Scrap that, I live in Ferrytown.",
			"Ferrytown:active a ferret:superseded bees:superseded"},
	}
	for _, c := range cases {
		b, g, y := memory.NewBook("hollowmere", "mira"), guard(t, nil), x
		for i, said := range []string{c.said, c.then} {
			at := game.Add(time.Duration(i) * time.Minute)
			r := &schema.Reply{TurnID: string(rune('a' + i)), World: "hollowmere", NPC: "mira", Player: "p42", Message: said,
				Status: schema.StatusAnswered, GameTime: &at}
			for _, m := range extract.FromReply(r, y) {
				for _, e := range g.Events(b, g.Judge(context.Background(), m, extract.Words(r, y), y), "", wall) {
					if err := b.Apply(e, wall); err != nil {
						t.Fatal(err)
					}
				}
			}
			y.Previous = &extract.Utterance{TurnID: r.TurnID, Speaker: extract.SpeakerPlayer, Text: said, At: at}
		}
		if got := stateOf(b); got != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.said, c.then, got, c.want)
		}
	}
}
