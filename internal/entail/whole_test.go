package entail_test

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/weights"
)

// What differs from its evidence in a way that no rule looks for is refused by the cascade:
// rules and model together.
func TestTheCascadeRefusesWhatNoRuleNames(t *testing.T) {
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	model, err := nli.Open(vocab, weights.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, premise, hypothesis string }{
		{"the better part of a span", "Osric rowed old ladies home in February.", "February took the better part of a year to get over it."},
		{"under a span that is longer there", "The crossing took three days.", "The crossing took under a day."},
		{"the better part of a span that is longer there", "The rebuilding took two years.", "The rebuilding took the better part of a year."},
		{"most of a span that is longer there", "The rebuilding took two years.", "The rebuilding took most of a year."},
		{"nearly a span that is longer there", "The crossing took two hours.", "The crossing took nearly an hour."},
		{"far from the evidence, in its measure", "Teague takes two bits from all who go over.", "A crossing costs three bits."},
		{"about is not exactly", "About forty spears were made.", "Forty spears were made."},
		{"or so", "Forty or so spears were made.", "Forty spears were made."},
		{"close to", "Close to forty spears were made.", "Forty spears were made."},
		{"a range is not a figure", "Between thirty and fifty spears were made.", "Forty spears were made."},
		{"a written range", "It takes 30-50 days.", "It takes 40 days."},
		{"the end of a range", "It takes 30 to 50 days.", "It takes 50 days."},
		{"at least", "At least forty men came.", "Forty men came."},
		{"dozens", "Dozens of men came.", "Twenty-four men came."},
		{"more than, false", "Forty men came.", "More than fifty men came."},
		{"more than itself", "Forty men came.", "More than forty men came."},
		{"fewer for more", "More than forty men came.", "Fewer than forty men came."},
		{"more for fewer", "Less than forty men came.", "Forty men or more came."},
		{"no fewer than is no most", "No fewer than forty men came.", "At most thirty men came."},
		{"a range beyond a bound", "Between thirty and fifty men came.", "More than forty men came."},
		{"another unit", "The walk takes 3 hours.", "The walk takes 3 days."},
		{"another coin", "The fare is 2 pennies.", "The fare is 2 crowns."},
		{"a figure out of nowhere", "The sword is old.", "The sword is 300 years old."},
		{"the other tier's number", "The free tier allows 500 requests.", "The premium tier allows 1000 requests."},
		{"half a thousand is no hundred", "Drop 100 coins in the barrel.", "Drop half a thousand coins in the barrel."},
		{"so much a week", "My room costs forty dollars a week.", "My room costs forty weeks."},
		{"the figure of something else", "A loaf costs five bits. No household may buy more than three loaves a day.", "A household may buy five loaves a day."},
		{"silver is not gold", "A bed is 50 gold.", "A bed is 50 silver."},
		{"month", "He came on 3 May 1402.", "He came on 3 June 1402."},
		{"day", "He came on 3 May 1402.", "He came on the fourth of May 1402."},
		{"a date out of nowhere", "The mill burned.", "The mill burned in May 1402."},
		{"money of which nothing is said", "A crossing is paid at the landing.", "A crossing costs two bits."},
		{"a distance of which nothing is said", "The shrine lies north of the town.", "The shrine lies three miles north of the town."},
		{"money of another coin", "A crossing costs two silver.", "A crossing costs four bits."},
		{"what is dwarfed is no dwarf", "The station is dwarfed by the ring.", "A dwarf built the ring."},
		{"a direction far from the evidence's words", "The mountain range is south of Darcap.", "It is to the north of Darcap, in the hills."},
		{"half of a direction", "The snake pit is in the north-eastern hills.", "There are snakes in a pit among the southwestern peaks."},
		{"a wall across from another", "The temple stands at the northern wall.", "Walk the southern wall and you come to it."},
		{"I and another", "Mark owes me a bunch of silver.", "I owe Mark a bunch of silver."},
		{"she and another", "She runs the place for that rat Wick.", "Wick runs the place for her."},
		{"of several words", "One of them tried to attack me in my cellar.", "I tried to attack one of them in my cellar."},
		{"with what it was done", "One of the sprites tried to attack me in my cellar with a wand of fire.", "I tried to attack one of the sprites in my cellar with a wand of fire."},
		{"whose pupil", "Fiery was my pupil.", "I was Fiery's pupil."},
		{"a message the other way", "Pell carries letters from the abbot to the queen.", "Pell carries letters from the queen to the abbot."},
		{"what is said of another beside him", "Fen has mended the garden gate, but Marda has said nothing.", "Marda has mended the garden gate."},
		{"what is said of another after a semicolon", "The upper hut has new sleeping benches; the lower one has mice.", "The lower hut has new sleeping benches."},
		{"perhaps", "Perhaps Bram burned the old mill.", "Bram burned the old mill."},
		{"might", "Bram might have burned the old mill.", "Bram burned the old mill."},
		{"wanted to", "Bram wanted to sell the mill.", "Bram did sell the mill."},
		{"some is not all", "Some of the guards drink.", "All of the guards drink."},
		{"most is not every", "Most guards drink.", "Every guard drinks."},
		{"often is not always", "He often drinks at the inn.", "He always drinks at the inn."},
		{"one of two", "The Swan is one of the two oldest inns.", "The Swan is the oldest inn."},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := entail.NewCascade(entail.NewRules(), model).Verify(context.Background(), []entail.Pair{{Premise: c.premise, Hypothesis: c.hypothesis}})
			if err != nil || out[0].Label == schema.Supported {
				t.Errorf("%q from %q: %+v, %v", c.hypothesis, c.premise, out, err)
			}
		})
	}
}
