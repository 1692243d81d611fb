package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Who is what is what who is: a sentence that says of two that they are one and the same
// says it either way round, with the owner in front or behind.
func TestWhoIsWhatEitherWay(t *testing.T) {
	for _, c := range []struct {
		premise, hypothesis string
		names               Names
	}{
		{"Hesta is Bram's aunt.", "The aunt of Bram is Hesta.", Names{}},
		{"Bram's aunt is Hesta.", "Hesta is the aunt of Bram.", Names{}},
		{"The captain of the guard is Osric.", "Osric is the guard's captain.", Names{}},
		{"The captain of the guard is Osric.", "Osric is the captain of the guard.", Names{}},
		{"The captain of the guard was Osric Vane, and Bram was the reeve.", "Osric Vane was the captain of the guard.",
			Names{}},
		{"The mill is the oldest house in the village.", "The mill is the oldest house in the village.", Names{}},
		{"The smith of the village is Mira.", "I am the smith of the village.", miraSpeaks},
		{"Mira's aunt is Hesta.", "Hesta is my aunt.", miraSpeaks},
		{"Hesta is the aunt of Mira.", "My aunt is Hesta.", miraSpeaks},
		{"Yes, Osric is the reeve.", "The reeve is Osric.", Names{}},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis, Names: c.names})
		if v.Label != schema.Supported || v.Tier != TierRule {
			t.Errorf("%q, %q: %+v", c.premise, c.hypothesis, v)
		}
	}
}

// What is not said of two that are one is not turned round.
func TestWhatIsNoEquation(t *testing.T) {
	for _, c := range []struct{ name, premise, hypothesis string }{
		{"the other's aunt", "Hesta is Bram's aunt.", "Bram is Hesta's aunt."},
		{"the other's, of", "Hesta is the aunt of Bram.", "Bram is the aunt of Hesta."},
		{"another time", "The captain of the guard was Osric.", "Osric is the captain of the guard."},
		{"denied", "The captain of the guard is not Osric.", "Osric is the captain of the guard."},
		{"a kind", "The captain is a thief.", "A thief is the captain."},
		{"a rumour", "They say that the captain of the guard is Osric.", "Osric is the captain of the guard."},
		{"another", "The captain of the guard is Osric.", "Bram is the captain of the guard."},
		{"the guard, not the captain", "The captain of the guard is Osric.", "The guard of the captain is Osric."},
		{"an owner", "The sword is the captain's.", "The captain's is the sword."},
		{"two owners", "The horse of the captain of the guard is Osric.", "The captain of the guard's horse is Osric."},
		{"taken back", "The captain of the guard is Osric. That is a lie.", "Osric is the captain of the guard."},
		{"no more", "The captain is no longer Osric.", "Osric is the captain."},
		{"one who is not named", "He is the captain of the guard.", "The captain of the guard is he."},
		{"nothing behind", "The one I speak of is the captain I go to.", "The captain I go to is the man I speak of."},
		{"ends on a preposition", "Osric is the man to.", "The man to is Osric."},
		{"asked", "Is the captain Osric?", "Osric is the captain."},
	} {
		if v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis}); v.Label == schema.Supported {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
