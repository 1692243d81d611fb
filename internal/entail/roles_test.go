package entail

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
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
	if v := judge(t, p); v.Label != "contradicted" {
		t.Errorf("of one speaker: %+v", v)
	}
	p.Names = Names{Self: "Mira", Writer: "Osric"}
	if v := judge(t, p); v.Label == "contradicted" {
		t.Errorf("Mira's “I” was taken for Osric's: %+v", v)
	}
}
