package entail

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What is said in another order, with a figure for a word or with an aside is still
// the evidence's own.
func TestReadings(t *testing.T) {
	cases := []struct {
		premise, hypothesis string
		supported           bool
	}{
		{"The pass is five miles long.", "The pass is 5 miles long.", true},
		{"It is three hundred and twelve paces to the isle.", "It is 312 paces to the isle.", true},
		{"He was the 3rd to fall.", "He was the 4th to fall.", false},
		{"The pass is five miles long.", "The pass is 50 miles long.", false},
		{"The pass is five miles long.", "The pass is five and a half miles long.", false},
		{"I have not asked Bram, because I am afraid of him.", "Because I am afraid of him, I have not asked Bram.", true},
		{"When the ice breaks, the ferry sails again.", "The ferry sails again when the ice breaks.", true},
		{"If you pay her, she sails.", "She sails.", false},
		{"If you pay her, she sails at night.", "If she sails at night, you pay her.", false},
		{"Because he was drunk, he fell in the mere.", "He was drunk because he fell in the mere.", false},
		{"The white wolf has taken no sheep.", "The white wolf, to answer you, has taken no sheep.", true},
		{"The white wolf has taken no sheep.", "The white wolf has taken no sheep, you see.", true},
		{"The white wolf has taken no sheep.", "The white wolf, the story goes, has taken no sheep.", false},
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
