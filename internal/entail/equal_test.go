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
		{"each", "Alice answers every bug report that reaches her.", "Alice answers each bug report that reaches her.",
			Names{}},
		{"a phrase", "I bought the rye on purpose.", "I purchased the rye deliberately.", Names{}},
		{"two at once", "The people of Westbank began to dig towards the ford.",
			"The folk of Westbank started to dig toward the ford.", Names{}},
		{"a verb that agrees with the NPC", "Mira comes back on Monday.", "I return on Monday.", miraSpeaks},
		{"the year", "The crew was founded in June 1995.", "The crew was founded in June of the year 1995.", Names{}},
		{"a year alone", "Maren opened the board in 1992.", "Maren opened the board in the year 1992.", Names{}},
		{"an NPC named like a number", "Zero trusts nobody who has not passed the test.",
			"I trust nobody who hasn't passed the test.", Names{Self: "Zero"}},
		{"times and units", "The payphone clicks twice before every call and costs two dollars a month.",
			"The payphone clicks two times before each call and costs 2 dollars per month.", Names{}},
		{"a state", "Glass Harbor is closed from four to five every morning.",
			"Glass Harbor is shut from four to five each morning.", Names{}},
		{"nightfall", "The silver trout feeds at dusk off the mouth of the Sallow.",
			"The silver trout feeds at nightfall off the mouth of the Sallow.", Names{}},
		{"always", "My hen is always first at the gate.", "My hen is at all times first at the gate.", Names{}},
		{"for sale", "A factor who sells condemned grain is struck from the guild.",
			"A factor who has for sale condemned grain is struck from the guild.", Names{}},
		{"next to", "An empty jar stood beside the door.", "An empty jar stood next to the door.", Names{}},
		{"who decides", "Zero leads the crew and decides who may join it.", "I lead the crew and decide who may join it.",
			Names{Self: "Zero"}},
		{"thrice", "The bell rings three times at noon.", "The bell rings thrice at noon.", Names{}},
		{"no one but", "Only the abbot may enter the crypt.", "No one but the abbot may enter the crypt.", Names{}},
		{"nobody but, behind", "Nobody but Bram knows the way.", "Only Bram knows the way.", Names{}},
		{"a short unit", "The wall is 12 ft high.", "The wall is twelve feet high.", Names{}},
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
		{"no one, but", "No one, but the abbot may enter.", "Only the abbot may enter."},
		{"not only", "The abbot may enter the crypt.", "Only the abbot may enter the crypt."},
		{"half a dozen", "The chest holds half a dozen coins.", "The chest holds half 12 coins."},
		{"a dozen or so", "The chest holds a dozen or so coins.", "The chest holds twelve coins."},
		{"dozens", "The chest holds a dozen dozen coins.", "The chest holds twelve coins."},
		{"about a dozen", "The chest holds about a dozen coins.", "The chest holds twelve coins."},
		{"a part of a name", "He drinks at the Lad.", "He drinks at the Boy."},
		{"a name at the front", "Lad Lane is shut.", "Boy Lane is shut."},
		{"each other", "They meet every other day.", "They meet each other day."},
		{"to flinch", "The guard started at the noise.", "The guard began at the noise."},
		{"another year", "The crew was founded in June 1995.", "The crew was founded in June of the year 1996."},
		{"a list with a semicolon", "I sell bread, cheese, and wine.", "I sell bread; cheese; wine."},
		{"another doer", "He found Burr in a trap and carried him home.",
			"He found Burr in a trap, and she carried him home."},
		{"a deed each day is none of then", "The gates closed at dusk.", "The gates shut at dusk."},
		{"a shut name", "The inn is Shut Gate.", "The inn is Closed Gate."},
		{"next but one", "Osric is next to the last in the line.", "Osric is beside the last in the line."},
		{"next to the youngest", "Wren is next to the youngest.", "Wren is beside the youngest."},
		{"on the way", "He is going to the mill.", "He will the mill."},
		// a clause that another holds
		{"if", "If the dam breaks, the mill is lost and I am ruined.", "If the dam breaks, the mill is lost; I am ruined."},
		{"when it is", "When the dam breaks, the mill is lost, and I am ruined.",
			"When the dam breaks, the mill is lost; I am ruined."},
		{"in winter", "In winter the pass is shut, and Bram sleeps.", "In winter the pass is shut; Bram sleeps."},
		{"only if", "Bram sings, and Wren dances if the king asks.", "Bram sings; Wren dances if the king asks."},
		{"says who", "The mill burned, and Bram fled, Yrsa says.", "The mill burned; Bram fled, Yrsa says."},
		{"nobody saw", "No one saw me leave and Bram lied.", "No one saw me leave; Bram lied."},
		{"while he", "I slept while Bram stole the ring and hid it.", "I slept while Bram stole the ring, and I hid it."},
		{"as he", "I watched as Bram stole the ring and hid it.", "I watched as Bram stole the ring; I hid it."},
		{"who says so", "Yrsa says the mill burned and Bram fled.", "Yrsa says the mill burned; Bram fled."},
		{"who says so, with a comma", "They say the duke is dead and his son rules.",
			"They say the duke is dead, and his son rules."},
		{"dreamt", "I dreamed that the mill stood and my father lived.", "I dreamed that the mill stood; my father lived."},
		{"denied", "It is not true that Bram stole the ring and Osric hid it.",
			"It is not true that Bram stole the ring; Osric hid it."},
		{"an order", "Touch the stone and you die.", "Touch the stone; you die."},
		{"a list", "The cure is honey and wine.", "The cure is honey; wine."},
		{"who is denied", "I do not hunt and fish.", "I do not hunt; I fish."},
		{"another's deed", "I heard that Bram stole the ring and hid it.", "I heard that Bram stole the ring, and I hid it."},
		{"whose deed", "I know the man who robbed the reeve and fled.", "I know the man who robbed the reeve, and I fled."},
		{"seen", "I saw Bram take the ring and hide it.", "I saw Bram take the ring, and I hide it."},
		{"meant", "We plan to burn the mill and rob the reeve.", "We plan to burn the mill, and we rob the reeve."},
		{"might", "I might sell the forge and move to Saltmere.", "I might sell the forge; I move to Saltmere."},
		{"which he", "He hired a clerk, and he robbed the till.", "He hired a clerk and robbed the till."},
		// a deed of another, or none
		{"done to us", "We were beaten and robbed on the road.", "We were beaten, and we robbed on the road."},
		{"almost", "I almost killed him and took his ring.", "I almost killed him, and I took his ring."},
		{"had it done", "I had Bram kill the reeve and hide the body.", "I had Bram kill the reeve, and I hide the body."},
		{"whom he hired", "I killed the man Bram hired and paid in gold.",
			"I killed the man Bram hired, and I paid in gold."},
		{"who fled", "Bram killed the guard who stole the ring and fled.",
			"Bram killed the guard who stole the ring, and fled."},
		{"whose coward", "Osric is the son of a murderer and a coward.", "Osric is the son of a murderer, and a coward."},
		{"not both", "The reeve did not kill Bram, and hid the body.", "The reeve did not kill Bram and hid the body."},
		{"word is", "Word is the mill burned, and Bram fled.", "Word is the mill burned; Bram fled."},
		{"sure of both", "Bram is sure the duke is dead and his son rules.", "Bram is sure the duke is dead; his son rules."},
		{"a week after", "We sold forty sheep a week after the flood.", "We sold forty sheep per week after the flood."},
		{"two guards a horse", "I gave the two guards a horse.", "I gave the two guards per horse."},
		{"a mile from here", "They hanged three men a mile from here.", "They hanged three men per mile from here."},
		{"an hour", "Be at the docks by 1800.", "Be at the docks by the year 1800."},
		{"a room", "The package is in 404.", "The package is in the year 404."},
		// words
		{"a count after a year", "By the end of the year 300 soldiers had fled.", "By the end 300 soldiers had fled."},
		{"a count in a year", "Late in the year 1200 sheep were sold.", "Late in 1200 sheep were sold."},
		{"paid by the sack", "Bram is paid per sack.", "Bram is paid a sack."},
		{"a round table", "The table is round.", "The table is around."},
		{"to dwell on", "I dwell on the old war.", "I live on the old war."},
		{"a fright", "The horse started in fright.", "The horse began in fright."},
		{"owing", "He died owing to the guild forty marks.", "He died because of the guild forty marks."},
		{"to court", "Bram is going to court in spring.", "Bram will court in spring."},
		{"a time that is more", "The mill burned on the night of the fair.", "The mill burned on the night."},
	} {
		if v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis}); v.Label == schema.Supported {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// A figure at the front is no NPC's name, unless a verb follows that agrees with one.
func TestAFigureIsNoName(t *testing.T) {
	n := Names{Self: "Seven"}
	for _, c := range []struct{ premise, hypothesis string }{
		{"Seven died in the fire.", "I died in the fire."},
		{"Seven escaped from the tower in 1402.", "I escaped from the tower in 1402."},
		{"Seven always come back from the mine.", "I always come back from the mine."},
		{"Seven pass the test each year.", "I pass the test each year."},
		{"last night seven died in the fire.", "last night i died in the fire."},
	} {
		if v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis, Names: n}); v.Label == schema.Supported {
			t.Errorf("%q: %+v", c.hypothesis, v)
		}
	}
}
