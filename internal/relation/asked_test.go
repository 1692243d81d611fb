package relation

import (
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestAQuestionJoinedToTheTalkIsTheSameQuestion(t *testing.T) {
	npc := &world.NPC{Handle: "bob", Name: "Bob"}
	for _, asked := range []string{"So, Bob... what do you think of me?", "And what do you think of me now?",
		"how do I stand with the crew now?", "What do I owe you for it?", "Good madam, are we square?",
		"what do u think of me"} {
		if !Recorded(asked, npc) {
			t.Errorf("%q does not ask for the record", asked)
		}
	}
}

func TestAPaymentSettlesTheDebtThatItNames(t *testing.T) {
	day := func(n int) time.Time { return time.Date(1997, 3, n, 0, 0, 0, 0, time.UTC) }
	cases := map[string]string{"the book": "a keyboard", "the keyboard": "a book", "its trouble": "a book"}
	for paid, left := range cases {
		got := owed([]schema.Favour{{What: "a keyboard", Owes: schema.SidePlayer, At: day(1)},
			{What: "a book", Owes: schema.SidePlayer, At: day(2)},
			{What: paid, Owes: schema.SidePlayer, Settles: true, At: day(3)}})
		if len(got) != 1 || got[0].What != left {
			t.Errorf("after paying for %s: %v is owed, want %s", paid, got, left)
		}
	}
}
