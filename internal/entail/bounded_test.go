package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A claim in the evidence's own words is refused where it leaves out the word that bounds them.
func TestWhatBoundsAClaim(t *testing.T) {
	for _, c := range []struct {
		premise, hypothesis string
		refused             bool
	}{
		{"Tilda is one of the guild's most feared captains.", "Tilda is the guild's most feared captain.", true},
		{"Osric is one of our town's greatest smiths.", "Osric is our town's greatest smith.", true},
		{"Dorn was among the last to leave.", "Dorn was the last to leave.", true},
		{"Osric is one of the leaders of the guild.", "Osric is the leader of the guild.", true},
		{"Osric is one of the leaders of the guild.", "Osric is a leader of the guild.", false},
		{"One of the duke's sons is a thief.", "The duke's sons are thieves.", true},
		{"Some of the elves left the wood.", "The elves left the wood.", true},
		{"Some of the elves left the wood.", "A few of the elves left the wood.", false},
		{"One of the smiths drowned.", "A smith drowned.", false},

		{"Osric is the richest man in Cor after the duke.", "Osric is the richest man in Cor.", true},
		{"Cor has the deepest well but one.", "Cor has the deepest well.", true},
		{"Next to Vell, Cor has the deepest well.", "Cor has the deepest well.", true},
		{"Aldo was once the fastest rider in the north.", "Aldo is the fastest rider in the north.", true},
		{"Osric serves the greatest smith in Cor.", "Osric is the greatest smith in Cor.", true},
		{"Osric became the reeve in May.", "Osric is the reeve.", false},
		{"Osric, the reeve of Cor, keeps the key.", "Osric is the reeve of Cor.", false},

		{"The fake crown lies in the vault.", "The crown lies in the vault.", true},
		{"Former mayor Hesta lives by the well.", "Mayor Hesta lives by the well.", true},
		{"Former mayor Hesta lives by the well.", "Hesta lives by the well.", false},
		{"Acting captain Bram commands the east tower.", "Captain Bram commands the east tower.", true},
		{"Sir Aldo of Vell guards the gate.", "Lord Aldo of Vell guards the gate.", true},
		{"Bram pays twice the toll.", "Bram pays the toll.", true},
		{"A man like Bram lives in Oakford.", "Bram lives in Oakford.", true},
		{"Instead of Bram, Aldo was chosen.", "Bram was chosen.", true},
		{"Instead of Bram, Aldo was chosen.", "Aldo was chosen.", false},
		{"The entire guard was bribed except Dorn.", "Dorn was bribed.", true},
		{"The whole village but the smith fled.", "The whole village fled.", true},
		{"The whole village but the smith fled.", "The whole village fled, but the smith did not.", false},
		{"The brothers got one farm each.", "The brothers got one farm.", true},
		{"Every third day the ferry crosses.", "The ferry crosses every day.", true},
		{"One in ten sailors returns from the Maw.", "Ten sailors return from the Maw.", true},

		{"Bram lives in Oakford no more.", "Bram lives in Oakford.", true},
		{"Bram lives in Oakford. That is a lie.", "Bram lives in Oakford.", true},
		{"Bram lives in Oakford (or so he says).", "Bram lives in Oakford.", true},
		{"Legend has it that the dragon sleeps beneath the hill.", "The dragon sleeps beneath the hill.", true},
		{"Legend has it that the dragon sleeps beneath the hill.", "Legend says that the dragon sleeps beneath the hill.",
			false},
		{"Had Bram lived in Oakford, he would be dead.", "Bram lived in Oakford.", true},
		{"If the dam breaks, the village floods.", "The village floods.", true},
		{"Unless the toll is paid, the gate stays shut.", "The gate stays shut.", true},
		{"If you want ale, Petra sells ale at the Swan.", "Petra sells ale at the Swan.", false},

		{"You may pay the toll in grain.", "You must pay the toll in grain.", true},
		{"You need not pay the toll.", "You must not pay the toll.", true},
		{"The duke will return by winter.", "The duke returned by winter.", true},
		{"Bram does not drink ale in the morning.", "Bram does not drink ale.", true},
		{"You must not enter the crypt at night.", "You must not enter the crypt.", true},
		{"I will never sell the sword to Bram.", "I will never sell the sword.", true},
		{"Bram does not drink ale in the morning.", "In the morning Bram does not drink ale.", false},

		{"Dorn died sometime before 812.", "Dorn died in 812.", true},
		{"Bram lives near Oakford.", "Bram lives in Oakford.", true},
		{"The writ was signed for the mayor.", "The writ was signed by the mayor.", true},
		{"The caravan travels out of Vell and into Cor.", "The caravan travels out of Cor and into Vell.", true},
		{"The monks bore it into the chapel from the crypt.", "The monks bore it into the crypt from the chapel.", true},
		{"Ann arrived before Beth but after Cleo.", "Ann arrived before Cleo.", true},
		{"Ann arrived before Beth but after Cleo.", "Ann arrived after Cleo.", false},
		{"The key hangs in the hall by the door.", "The key hangs by the door in the hall.", false},

		{"Aldo was born in 790, Bram in 812.", "Aldo was born in 812.", true},
		{"Aldo is 40 and Bram is 50.", "Aldo is 50.", true},
		{"Aldo is 40 and Bram is 50.", "Bram is 50.", false},
		{"Bram was given the silver ring by Tilda.", "Bram gave the silver ring to Tilda.", true},
		{"The cousin of Bram lives in Oakford.", "Bram lives in Oakford.", true},
		{"The son of the smith of Oakford is a thief.", "The smith of Oakford is a thief.", true},
		{"The forge of Bram stands in Oakford.", "Bram has a forge in Oakford.", false},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		if against := v.Final || v.Label == schema.Contradicted; against != c.refused {
			t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
		}
	}
}
