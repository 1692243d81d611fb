package memory_test

import (
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A plan is told with the doubt it was said with, and answers when it will be.
func TestAHedgedPlanIsToldWithItsHedge(t *testing.T) {
	game := time.Date(1402, 3, 1, 10, 0, 0, 0, time.UTC)
	cases := []struct{ said, asked, told, when, at string }{
		{"I should be done with my boat by the end of April, pretty confident.", "When will my boat be done?",
			"You told me that you were pretty confident that you should be done with your boat by the end of April.",
			"by the end of April", "1402-04-30"},
		{"I should be done with my boat in ten days. I'm fairly sure of it.", "When will my boat be done?",
			"You told me that you were fairly sure that you should be done with your boat in ten days.",
			"in ten days", "1402-03-11"},
		{"Maybe my sister will marry the cooper next spring.", "Whom will my sister marry?",
			"You told me that maybe your sister will marry the cooper next spring.", "next spring", ""},
	}
	for _, c := range cases {
		r := &schema.Reply{TurnID: "t1", World: "w", NPC: "mira", Player: "p1", Message: c.said, GameTime: &game,
			Status: schema.StatusAnswered}
		got := extract.FromReply(r, extract.Context{PlayerName: "Ansel"})
		if len(got) != 1 {
			t.Errorf("%s: %d candidates", c.said, len(got))
			continue
		}
		m := got[0].Memory
		if told := memory.Spoken(&m, memory.Names{NPC: "Mira", Player: "Ansel"}); told != c.told {
			t.Errorf("%s\n got %s\nwant %s", c.said, told, c.told)
		}
		at := ""
		if !m.WhenAt.IsZero() {
			at = m.WhenAt.Format(time.DateOnly)
		}
		if m.When != c.when || at != c.at {
			t.Errorf("%s: of %q, %s", c.said, m.When, at)
		}
		asked := memory.ReadAsked(c.asked, game)
		if !asked.About || asked.Relevance(&m, "p1", memory.DefaultPredicates(), 0) < memory.Enough {
			t.Errorf("%s does not answer %s", c.said, c.asked)
		}
	}
}
