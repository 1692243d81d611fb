package entail

import (
	"context"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A sentence may be cut where the rest only adds to it, and nowhere else.
func TestHeadsOfSentencesStandAlone(t *testing.T) {
	cases := []struct {
		premise, hypothesis string
		supported           bool
	}{
		{"The first pass is free and entitles you and your friends to the dragon room.", "The first pass is free.", true},
		{"Different rooms are available to the left, ranging in price with your needs.",
			"Different rooms are available to the left.", true},
		{"Brann keeps the ferry house, which his uncle built.", "Brann keeps the ferry house.", true},
		{"Yes, he had a tower in the mountains, and sold it later.", "He had a tower in the mountains.", true},
		{"The gate opens for only knights and citizens.", "The gate opens for only knights.", false},
		{"The room costs five gold and two silver.", "The room costs five gold.", false},
		{"It is all wood and stone.", "It is all wood.", false},
		// true, and yet a name more may be a limit
		{"The road is open to Mira and Osric.", "The road is open to Mira.", false},
		{"The bridge is safe again, or so the ferryman says.", "The bridge is safe again.", false},
		{"The bridge is safe again, in summer.", "The bridge is safe again.", false},
		{"The bridge is safe again, if you are light.", "The bridge is safe again.", false},
		{"The bridge is safe again, which nobody believes.", "The bridge is safe again.", false},
		{"He would help you gladly, but he is dead.", "He would help you gladly.", false},
		{"He burned the mill down, and that is a lie.", "He burned the mill down.", false},
		{"The wolves killed twenty sheep, perhaps more, and left.", "The wolves killed twenty sheep.", false},
		{"It lies between the old weir and the ferry.", "It lies between the old weir.", false},
		{"Nobody crosses the weir and lives.", "Nobody crosses the weir.", false},
		{"Ren learned the trade from Odalys, who learned it from Crane.", "Ren learned the trade from Odalys.", true},
		{"Bram took the ring and gave it to Wren.", "Bram took the ring.", true},
		{"The dragon came to the mill, killing the miller.", "The dragon came to the mill.", true},
		// two things joined are not parted
		{"The key fits only the front door, and the cellar.", "The key fits only the front door.", false},
		{"The room costs five gold, and two silver.", "The room costs five gold.", false},
		{"Nobody has seen the sword, the shield, and the helm together.", "Nobody has seen the sword, the shield.", false},
		{"The cure is honey and wine.", "The cure is honey.", false},
		{"The cure is honey and herbs the witch grows.", "The cure is honey.", false},
		{"The old flag is black and white.", "The old flag is black.", false},
		{"The distance is a mile and a half.", "The distance is a mile.", false},
		{"He was gone a year and a day.", "He was gone a year.", false},
		{"It takes the smith and the reeve to open the gate.", "It takes the smith.", false},
		{"He weighs less than the ox and the cart.", "He weighs less than the ox.", false},
		{"Touch the blade again and you die.", "Touch the blade again.", false},
		// what is denied or wanted is denied or wanted of both
		{"You cannot eat the cake and keep it.", "You cannot eat the cake.", false},
		{"I did not see the reeve and the smith together.", "I did not see the reeve.", false},
		{"He wanted to leave the town and burned it.", "He wanted to leave the town.", false},
		// a participle may be a condition, an exception or a source
		{"The mill burned last spring, according to Bram.", "The mill burned last spring.", false},
		{"The bridge is safe again, during summer.", "The bridge is safe again.", false},
		{"The bridge is safe again, walking one at a time.", "The bridge is safe again.", false},
		{"The gates stand open, excluding the north gate.", "The gates stand open.", false},
		{"The gate is closed, starting tomorrow.", "The gate is closed.", false},
		{"I killed the old king, jesting as ever.", "I killed the old king.", false},
		// a relative clause may judge all of what stands before it, or bound it
		{"The old bridge is cursed, which is gossip.", "The old bridge is cursed.", false},
		{"Bram slew the dragon, which is how the song goes.", "Bram slew the dragon.", false},
		{"Bram slew the dragon, which Yrsa disputes.", "Bram slew the dragon.", false},
		{"The tax is ten marks, which was repealed in spring.", "The tax is ten marks.", false},
		{"The men are cursed, who broke the oath.", "The men are cursed.", false},
		{"All the men died, who drank of it.", "All the men died.", false},
		{"Dogs are held sacred, where she was born.", "Dogs are held sacred.", false},
		// what is quoted is somebody's
		{"\"The reeve is a thief and takes the bribes,\" cried Bram.", "The reeve is a thief.", false},
		{"'The reeve is a thief and takes the bribes,' cried Bram.", "The reeve is a thief.", false},
	}
	for _, c := range cases {
		out, err := NewRules().Verify(context.Background(), []Pair{{Premise: c.premise, Hypothesis: c.hypothesis}})
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0].Label == schema.Supported; got != c.supported {
			t.Errorf("%q from %q: supported %v, want %v (%s)", c.hypothesis, c.premise, got, c.supported, out[0].Why)
		}
	}
}

// A text of one endless sentence is not parted in every way: evidence of the greatest
// length is judged at once. The least of what this guards against took a minute.
func TestAnEndlessSentenceIsNotParted(t *testing.T) {
	for _, unit := range []string{"and sold it, ", "he sold it, sir, ", "and he sold it, "} {
		s := read(strings.Repeat(unit, maxPremise/len(unit)), maxPremise).sentences[0]
		if _, aside := s.withoutAsides(asides); aside || len(s.heads()) > 0 || len(s.separable()) > 0 {
			t.Errorf("%d words of %q are parted", len(s.words), unit)
		}
	}
}
