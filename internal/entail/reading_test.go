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
		{"The levy was two hundred men.", "The levy was 200 men.", true},
		{"The levy was 1,402 men.", "The levy was fourteen hundred and two men.", true},
		{"The ferry sails when the ice breaks.", "When the ice breaks, the ferry sails.", true},
		{"I did not leave, because I was afraid.", "Because I was afraid, I did not leave.", true},
		{"The gate is shut.", "The gate is shut, stranger.", true},
		{"The gate, you see, is shut.", "The gate is shut.", true},
		// figures that are other figures, or names
		{"It weighs 1,5 stone.", "It weighs 15 stone.", false},
		{"The code is 0042.", "The code is 42.", false},
		{"The code is 0042.", "The code is forty-two.", false},
		{"See page 1.10 of the book.", "See page 1.1 of the book.", false},
		{"-3 is the mark on the gauge.", "3 is the mark on the gauge.", false},
		{".5 miles remain to the inn.", "5 miles remain to the inn.", false},
		{"The code is twenty eleven.", "The code is 31.", false},
		{"The code is 9007199254740993.", "The code is 9007199254740992.", false},
		{"The code is 1e3.", "The code is 1000.", false},
		{"He weighs 5st.", "He weighs 5th.", false},
		{"It costs between one hundred and five hundred marks.", "It costs between 10500 marks.", false},
		{"The levy was two or three hundred men.", "The levy was 2 or 300 men.", false},
		{"The levy was twenty - five men.", "The levy was 25 men.", false},
		// a clause that hangs on a part of another, or means another by "he"
		{"He did not open the gate because he was paid.", "Because he was paid, he did not open the gate.", false},
		{"Because Bram was drunk, he died.", "He died because Bram was drunk.", false},
		{"Bram left and Osric died because the mill burned.", "Because the mill burned, Bram left and Osric died.", false},
		{"If you pay, and the gate opens, she sails.", "She sails if you pay, and the gate opens.", false},
		{"He swore to kill Bram when the moon was full.", "When the moon was full, he swore to kill Bram.", false},
		{"Yrsa says Bram left because he was ill.", "Because he was ill, Yrsa says Bram left.", false},
		{"I saw the man who killed Osric when the bell rang.", "When the bell rang, I saw the man who killed Osric.", false},
		{"I only trust Bram when he is drunk.", "When he is drunk, I only trust Bram.", false},
		// what stands between commas and is no aside
		{"Osric keeps the mill by the weir.", "Osric, my friend, keeps the mill by the weir.", false},
		{"He is a brother and ally.", "He is a brother, friend, and ally.", false},
		{"He gave body and soul.", "He gave body, mind, and soul.", false},
		{"The tale grows longer.", "The tale grows longer, stranger.", false},
		{"The smith gives a discount, if you ask.", "The smith gives a discount.", false},
		{"Bram came to the court.", "Bram came to the court, to tell the truth.", false},
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
