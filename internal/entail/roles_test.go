package entail

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What exchangeIn finds puts the order right when it is undone, and it finds every
// exchange of two short stretches.
func TestAnExchangeUndoneIsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		places := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), n, n, rapid.ID[int]).Draw(t, "places")
		slices.Sort(places)
		from := rapid.IntRange(0, n-2).Draw(t, "from")
		mid := rapid.IntRange(from+1, min(from+3, n-1)).Draw(t, "mid")
		to := rapid.IntRange(mid, n-1).Draw(t, "to")
		end := rapid.IntRange(to+1, min(to+3, n)).Draw(t, "end")
		order := undone(places, exchange{from, mid, to, end})
		x, ok := exchangeIn(order)
		if !ok {
			t.Fatalf("no exchange in %v", order)
		}
		if back := undone(order, x); !slices.Equal(back, places) {
			t.Errorf("%v: %+v leaves %v", order, x, back)
		}
	})
	if x, ok := exchangeIn([]int{1, 2, 5, 9}); ok {
		t.Errorf("what is in order has an exchange: %+v", x)
	}
	if x, ok := exchangeIn([]int{9, 1, 5, 2, 7, 3}); ok {
		t.Errorf("what no one exchange puts right has one: %+v", x)
	}
}

// undone exchanges two stretches.
func undone(order []int, x exchange) []int {
	return slices.Concat(order[:x.from], order[x.to:x.end], order[x.mid:x.to], order[x.from:x.mid], order[x.end:])
}

// Whose "I" it is decides whether two have changed places.
func TestRolesOfAnotherSpeaker(t *testing.T) {
	p := Pair{Premise: "Mark owes me a bunch of silver.", Hypothesis: "I owe Mark a bunch of silver."}
	if v := judge(t, p); !v.Final {
		t.Errorf("of one speaker: %+v", v)
	}
	p.Names = Names{Self: "Mira", Writer: "Osric"}
	if v := judge(t, p); v.Final {
		t.Errorf("Mira's “I” was taken for Osric's: %+v", v)
	}
	p = Pair{Premise: "Mark owes you a bunch of silver.", Hypothesis: "You owe Mark a bunch of silver."}
	if v := judge(t, p); !v.Final {
		t.Errorf("of one listener: %+v", v)
	}
	p.Names = Names{Self: "Mira", Reader: "Osric"}
	if v := judge(t, p); v.Final {
		t.Errorf("the player's “you” was taken for Osric's: %+v", v)
	}
}

// What follows is true, or may be, though two stretches stand the other way round, or
// one word stands for another: no rule ends the matter.
func TestWhatMayBeSaidTheOtherWayRound(t *testing.T) {
	for _, c := range []struct{ name, premise, claim string }{
		{"said by the next sentence", "Osric hates me. I hate Osric more than he knows.", "I hate Osric."},
		{"said by the sentence before", "In autumn I pay Mark. Mark pays me for rope.", "I pay Mark."},
		{"a place first", "In the chapel stands an old organ.", "An old organ stands in the chapel."},
		{"a place first, of two words", "At the foot of the hill stands the old watchtower.",
			"The old watchtower stands at the foot of the hill."},
		{"a direction first", "North of the town lies the old quarry.", "The old quarry lies north of the town."},
		{"company first", "With Bram came his two sons.", "His two sons came with Bram."},
		{"a time first", "After the harvest Bren pays Osric in the market.",
			"In the market Bren pays Osric after the harvest."},
		{"as tall as", "I am as tall as Bram.", "Bram is as tall as me."},
		{"the same age", "I am the same age as Bram.", "Bram is the same age as me."},
		{"a mile from", "The inn is a mile from the old chapel.", "The old chapel is a mile from the inn."},
		{"beside", "My mill stands by the old chapel.", "The old chapel stands by my mill."},
		{"to speak with", "I spoke with Osric at the ford.", "Osric spoke with me at the ford."},
		{"to bet against", "I bet against Osric at the fair.", "Osric bet against me at the fair."},
		{"a comrade", "Bram was my comrade in the war.", "I was Bram's comrade in the war."},
		{"before and after", "After the feast Bram left before Osric.", "Osric left after Bram."},
		{"struck by", "Bram struck me by the weir.", "I was struck by Bram by the weir."},
		{"taught by", "Bram taught me by the fire.", "I was taught by Bram by the fire."},
		{"what \"is\" joins, with a tail", "The mayor of Scorn is Bram now.", "Bram is the mayor of Scorn now."},
		{"an owner behind, with more", "Hesta, who brews ale, is Bram's aunt.", "The aunt of Bram is Hesta."},
		{"slain by", "The dragon was slain by Sir Pell with a spear.", "Sir Pell slew the dragon with a spear."},
		{"not before", "The shop opens at nine.", "The shop doesn't open before nine."},
		{"destroyed by", "The great earthquake destroyed the city of Scorn, and we were rebuilding the city when I was " +
			"trapped.", "The city of Scorn was destroyed by the great earthquake."},
		{"used by", "This house was used by Julio the Great for various experiments.",
			"Julio the Great used this house for various experiments."},
		{"a winner", "The winner is Bram today.", "Bram is the winner today."},
		{"two sentences that say more", "The barge came in spring. In it sat Osric.", "Osric came in spring in the barge."},
		{"to fill with", "The black smoke filled the cellar.", "The cellar filled with the black smoke."},
		{"a list", "Bram keeps geese, Osric keeps bees and Wren keeps goats.",
			"Wren keeps goats, Osric keeps bees and Bram keeps geese."},
		{"respectively", "The red key opens the crypt and the blue key the attic.",
			"The attic and the crypt open to the blue key and the red key respectively."},
		{"another denial", "Sir Pell yielded to Dame Orsel, not she to him.",
			"Dame Orsel didn't ever yield, not to Sir Pell."},
		{"the same subject twice", "Fen is lazy, but Fen mended the garden gate.", "Fen has mended the garden gate."},
		{"a day before the subject", "Nell keeps the inn; on Fridays she bakes eel pie.", "Nell bakes eel pie."},
		{"a place before the subject", "The miller has a dog, and in the yard he keeps two pigs.",
			"The miller keeps two pigs."},
		{"a time before the verb", "Bram keeps the ferry, and in winter sells rope and eels.", "Bram sells rope and eels."},
		{"a condition", "Wren mends nets, but if rain falls Bram mends nets.", "Bram mends nets if rain falls."},
		{"another word for it", "The boats lie at the end of the old quay.", "The boats lie at the end of the old wharf."},
		{"another verb for it", "The old bridge was built by monks.", "The old bridge was constructed by monks."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := judge(t, Pair{Premise: c.premise, Hypothesis: c.claim}); v.Final || v.Label == schema.Contradicted {
				t.Errorf("%q from %q: %+v", c.claim, c.premise, v)
			}
		})
	}
}
