package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Words that mean the same wherever they stand, and when something happens at either end
// of its clause, are no other claim.
func TestEqualWordsAreSupported(t *testing.T) {
	for _, c := range []struct {
		name, premise, hypothesis string
		names                     Names
	}{
		{"nobody", "Nobody was killed in the mill fire.", "No one was killed in the mill fire.", Names{}},
		{"each", "Alice answers every bug report that reaches her.", "Alice answers each bug report that reaches her.", Names{}},
		{"a phrase", "I bought the rye on purpose.", "I purchased the rye deliberately.", Names{}},
		{"two at once", "The people of Westbank began to dig towards the ford.", "The folk of Westbank started to dig toward the ford.", Names{}},
		{"a verb that agrees with the NPC", "Mira comes back on Monday.", "I return on Monday.", miraSpeaks},
		{"the year", "The crew was founded in June 1995.", "The crew was founded in June of the year 1995.", Names{}},
		{"a year alone", "Maren opened the board in 1992.", "Maren opened the board in the year 1992.", Names{}},
		{"a semicolon", "Lucan walked back in by the gate, and he was alone.", "Lucan walked back in by the gate; he was alone.", Names{}},
		{"when, in front", "Three newcomers have passed my test in 1997.", "In the year 1997, 3 newcomers have passed my test.", Names{}},
		{"when, behind", "On the ninth of October 1340 a sudden storm overturned the raft.", "A sudden storm overturned the raft on the ninth of October 1340.", Names{}},
		{"an NPC named like a number", "Zero trusts nobody who has not passed the test.", "I trust nobody who hasn't passed the test.", Names{Self: "Zero"}},
		{"where, by name", "Halcyon Systems employs twenty-two people in Port Lantern.", "In Port Lantern, Halcyon Systems employs 22 people.", Names{}},
		{"the same doer again", "I found Burr in a trap in the spring of 1398 and carried him home.", "I found Burr in a trap in the spring of 1398, and I carried him home.", Names{}},
		{"times and units", "The payphone clicks twice before every call and costs two dollars a month.", "The payphone clicks two times before each call, and costs 2 dollars per month.", Names{}},
		{"a state", "Glass Harbor is closed from four to five every morning.", "Glass Harbor is shut from four to five each morning.", Names{}},
		{"what will be", "The strakes will cost me two crowns.", "The strakes are going to cost me two crowns.", Names{}},
		{"every day", "I go over the accounts every evening.", "Each evening I go over the accounts.", Names{}},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis, Names: c.names})
		if v.Label != schema.Supported || v.Tier != TierRule || v.Span != c.premise {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// What differs by more than that is not settled so.
func TestWordsThatAreNotEqual(t *testing.T) {
	for _, c := range []struct{ name, premise, hypothesis string }{
		{"a part of a name", "He drinks at the Lad.", "He drinks at the Boy."},
		{"a name at the front", "Lad Lane is shut.", "Boy Lane is shut."},
		{"each other", "They meet every other day.", "They meet each other day."},
		{"to flinch", "The guard started at the noise.", "The guard began at the noise."},
		{"another year", "The crew was founded in June 1995.", "The crew was founded in June of the year 1996."},
		{"when of a part", "He said that the mill burned in 1402.", "In 1402, he said that the mill burned."},
		{"when of one of two", "Wat dug the race and Harl built the mill in 1351.", "In 1351, Wat dug the race and Harl built the mill."},
		{"when not", "Only Wat came in 1402.", "In 1402, only Wat came."},
		{"a list with a semicolon", "I sell bread, cheese, and wine.", "I sell bread; cheese; wine."},
		{"where is not when", "I know the man in the tower.", "In the tower, I know the man."},
		{"another doer", "He found Burr in a trap and carried him home.", "He found Burr in a trap, and she carried him home."},
		{"a deed each day is none of then", "The gates closed at dusk.", "The gates shut at dusk."},
		{"on the way", "He is going to the mill.", "He will the mill."},
		{"in a place that is no name", "I hit the man on the bridge.", "On the bridge, I hit the man."},
		{"a time that is more", "The mill burned on the night of the fair.", "The mill burned on the night."},
	} {
		if v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis}); v.Label == schema.Supported {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
