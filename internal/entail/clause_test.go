package entail

import "testing"

// A clause may be said without the others only where each tells of its own subject, in the same verb, and nothing
// in the sentence denies, tells or bounds.
func TestAClauseIsSaidAloneOnlyWhereTheOthersCannotChangeIt(t *testing.T) {
	for _, c := range []struct {
		premise, said string
		want          bool
	}{
		{"A bowl of stew costs three bits, and a mug of ale costs one.", "A mug of ale costs one.", true},
		{"A bowl of stew costs three bits, and a mug of ale costs one.", "A bowl of stew costs three bits.", true},
		{"It costs five gold, and a sack of rye.", "It costs five gold.", false},
		{"It costs five gold, and a cart of stones.", "It costs five gold.", false},
		{"Drink deep tonight, and you die.", "You die.", false},
		{"Pay him, and he opens the gate.", "He opens the gate.", false},
		{"The gate is shut, and the bridge is not safe.", "The gate is shut.", false},
		{"The gate is shut, and the bridge is shut if it rains.", "The gate is shut.", false},
		{"The story is old, and the song is new.", "The song is new.", false},
	} {
		if _, _, got := Verbatim(Pair{Premise: c.premise, Hypothesis: c.said}); got != c.want {
			t.Errorf("%q of %q: %v, want %v", c.said, c.premise, got, c.want)
		}
	}
}
