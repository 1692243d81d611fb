package entail

import (
	"context"
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
		{"Different rooms are available to the left, ranging in price with your needs.", "Different rooms are available to the left.", true},
		{"Brann keeps the ferry house, which his uncle built.", "Brann keeps the ferry house.", true},
		{"Yes, he had a tower in the mountains, and sold it later.", "He had a tower in the mountains.", true},
		{"The gate opens for only knights and citizens.", "The gate opens for only knights.", false},
		{"The room costs five gold and two silver.", "The room costs five gold.", false},
		{"It is all wood and stone.", "It is all wood.", false},
		{"The road is open to Mira and Osric.", "The road is open to Mira.", false}, // true, and yet a name more may be a limit
		{"The bridge is safe again, or so the ferryman says.", "The bridge is safe again.", false},
		{"The bridge is safe again, in summer.", "The bridge is safe again.", false},
		{"The bridge is safe again, if you are light.", "The bridge is safe again.", false},
		{"The bridge is safe again, which nobody believes.", "The bridge is safe again.", false},
		{"He would help you gladly, but he is dead.", "He would help you gladly.", false},
		{"He burned the mill down, and that is a lie.", "He burned the mill down.", false},
		{"The wolves killed twenty sheep, perhaps more, and left.", "The wolves killed twenty sheep.", false},
		{"It lies between the old weir and the ferry.", "It lies between the old weir.", false},
		{"Nobody crosses the weir and lives.", "Nobody crosses the weir.", false},
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
