package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What the evidence hedges, conditions or asks, wherever the hedge stands, is not stated.
func TestWhatIsHedgedBesideIsNotStated(t *testing.T) {
	for _, c := range []struct {
		premise, hypothesis string
		refused             bool
	}{
		{"The mill burned, they say.", "The mill burned.", true},
		{"The captain is Osric, they say.", "Osric is the captain.", true},
		{"Bram sold the horse, folk say.", "The horse was sold by Bram.", true},
		{"Bram, some say, sold the horse.", "Bram has sold the horse.", true},
		{"Bram sold the horse, as Wren tells it.", "Bram sold the horse.", true},
		{"Bram sold the horse, the bards swear.", "Bram sold the horse.", true},
		{"Bram sold the horse, or so I hear.", "Bram sold the horse.", true},
		{"Bram sold the horse, I think.", "Bram sold the horse.", true},
		{"Bram sold the horse, I'm told.", "Bram sold the horse.", true},
		{"Bram sold the horse, supposedly.", "Bram has sold the horse.", true},
		{"Bram, it is said, sold the horse.", "Bram has sold the horse.", true},
		{"Bram sold the horse, according to Wren.", "Bram sold the horse.", true},
		{"Bram sold the horse, at least that's what Wren says.", "Bram has sold the horse.", true},
		{"I'd wager Bram sold the horse.", "Bram sold the horse.", true},
		{"The gate opens if you pay the guard.", "The gate opens.", true},
		{"The captain is Osric if the duke agrees.", "Osric is the captain.", true},
		{"The fair is on Monday, weather permitting.", "The fair is on Monday.", true},
		{"The fair is on Monday provided that it does not rain.", "The fair is on Monday.", true},
		{"The ferry crosses as long as the river holds.", "The ferry crosses.", true},
		{"Bram was going to sell the horse.", "Bram sold the horse.", true},
		{"Bram must have sold the horse.", "Bram has sold the horse.", true},
		{"Did Bram burn the mill?", "Bram burned the mill.", true},

		{"The mill burned, I fear.", "The mill burned.", false},
		{"The mill burned, they say.", "They say that the mill burned.", false},
		{"The mill burned, they say. The mill burned in 1402.", "The mill burned.", false},
		{"Bram sold the horse, I think, and the mill burned.", "The mill burned.", false},
		{"Bram sold the horse to Wren, and Wren says so.", "Bram sold the horse to Wren.", false},
		{"The rooms differ in price, according to your needs.", "The rooms differ in price.", false},
		{"The gate opens if you pay the guard.", "The gate opens when the guard is paid.", false},
		{"The gate opens if you pay the guard.", "The gate can be opened.", false},
		{"Ask Bram if he sold the horse.", "Ask Bram.", false},
		{"The ship is large, if a little slow.", "The ship is large.", false},
		{"Bram was going to sell the horse.", "Bram meant to sell the horse.", false},
		{"It is about as long as the river.", "It is long.", false},
		{"Do you know that Bram sold the horse?", "Bram sold the horse.", false},
		{"Bram sold the horse to the miller, and he says it was lame.", "Bram sold the horse to the miller.", false},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		if refused := v.Label == schema.Contradicted || v.Final; refused != c.refused {
			t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
		}
	}
}
