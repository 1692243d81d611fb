package entail

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Each rule refuses by name what differs in its matter, and leaves alone what only
// looks like it.
func TestRulesExplainTheirRefusals(t *testing.T) {
	cases := []struct {
		name, premise, hypothesis string
		label                     schema.Label
		final                     bool
		why                       string // a part of the reason; "" for no finding
	}{
		// numbers
		{"longer than a shorter span", "The repair took three weeks.", "The repair took longer than a week.", schema.Unverifiable, false, ""},
		{"a sky is no span", "They camped three nights by the ford under an open sky.", "They camped under a night sky by the ford.", schema.Unverifiable, false, ""},
		{"over another cup", "They settled it over ale.", "They settled it over a second cup of ale.", schema.Unverifiable, false, ""},
		{"over a span that is longer there", "The crossing took three days.", "The crossing took over a day.", schema.Unverifiable, false, ""},
		{"the same bound in other words", "The repair took more than a week.", "The repair took over a week.", schema.Unverifiable, false, ""},
		{"other number", "The sword costs forty-two marks.", "The sword costs 43 marks.", schema.Contradicted, false, "“forty-two”"},
		{"same number in digits", "The sword costs forty-two marks, no less.", "The sword is yours for 42 marks.", schema.Unverifiable, false, ""},
		{"thousands", "The levy was 1,402 men.", "The levy numbered one thousand four hundred and two men.", schema.Unverifiable, false, ""},
		{"decimal", "It weighs 3.5 stone.", "It weighs 35 stone.", schema.Contradicted, false, "3.5"},
		{"twice", "She rang the bell twice that night.", "That night she rang the bell 2 times.", schema.Unverifiable, false, ""},
		{"thrice for twice", "She rang the bell twice.", "She rang the bell thrice.", schema.Contradicted, false, "thrice"},
		{"rounding the other way is fine", "Forty-one spears were made.", "About forty spears were made.", schema.Unverifiable, false, ""},
		{"more than, true", "Forty men came.", "More than thirty men came.", schema.Unverifiable, false, ""},
		{"at least itself", "Forty men came.", "At least forty men came.", schema.Unverifiable, false, ""},
		{"no fewer than", "No fewer than forty men came.", "At least forty men came.", schema.Unverifiable, false, ""},
		{"ordinal", "She won the third race.", "She won the fourth race.", schema.Contradicted, false, "fourth"},
		{"ordinal in digits", "She won the 3rd race.", "She won the third race of all.", schema.Unverifiable, false, ""},
		{"level eight, the eighth level", "Only for level 8.", "Reach the eighth level first.", schema.Unverifiable, false, ""},
		{"reckoned from what is there", "Rent is 100 gold a week, three weeks ahead.", "That is 300 gold.", schema.Unverifiable, false, "300"},
		{"one of is no figure", "The smith is old.", "The smith is one of the old folk.", schema.Unverifiable, false, ""},

		{"a decade and a half", "I have not seen him in 15 years.", "It is a decade and a half since I saw him.", schema.Unverifiable, false, ""},
		{"a negation without its apostrophe", "I aint moved the old scarecrow.", "I moved the old scarecrow.", schema.Contradicted, false, "negation"},
		{"gold is coin", "A bed is 50 gold.", "A bed is fifty coins.", schema.Unverifiable, false, ""},
		{"an order turned round", "Ask the guildmaster in the store.", "Don't ask the guildmaster in the store.", schema.Contradicted, false, "negation"},
		{"denied in another sentence", "The manager's wife is a mighty dragon. Do not anger her.", "Do not anger the manager's wife, the mighty dragon.", schema.Unverifiable, false, "negation"},
		{"all you can", "Gather as many clues as you can.", "Gather all the clues you can.", schema.Unverifiable, false, ""},

		// dates
		{"season", "The mill burned in the spring of 1402.", "the mill burned down last autumn", schema.Contradicted, false, "season differs: the evidence says spring, the claim autumn"},
		{"year", "The mill burned in the spring of 1402.", "The mill burned in the spring of 1401.", schema.Contradicted, false, "year differs"},
		{"day in words", "He came on 3 May 1402.", "He came back on the third of May.", schema.Unverifiable, false, ""},
		{"day with a tail", "He came on May 23rd.", "He came back on the twenty-third of May.", schema.Unverifiable, false, ""},
		{"weekday", "Market is on Thursday.", "Market is on Friday.", schema.Contradicted, false, "weekday differs"},
		{"weekday abbreviated", "Mon: calm. Tue: gale.", "There was a gale on Tuesday.", schema.Unverifiable, false, ""},
		{"may is a verb", "The mill is old.", "The mill may be old.", schema.Unverifiable, false, ""},
		{"a march is a walk", "The levy left.", "The levy left for a march.", schema.Unverifiable, false, ""},
		{"a spring is water", "There is water in the hills.", "There is a spring in the hills.", schema.Unverifiable, false, ""},
		{"to fall is to drop", "The tower is tall.", "The tower will fall.", schema.Unverifiable, false, ""},
		{"forty marks is no year", "He paid 1402 marks.", "He paid 1402 marks in coin.", schema.Unverifiable, false, ""},

		// names
		{"a name more", "A man crossed the weir.", "A man called Osric crossed the weir.", schema.Unverifiable, true, "“Osric” is not in the evidence"},
		{"the same name owned", "Osric's boat is gone.", "The boat of Osric is gone.", schema.Unverifiable, false, ""},
		{"a people and its land", "The men of Scornia came.", "They were Scornian men.", schema.Unverifiable, false, ""},
		{"a capital at the front is no name", "There were wolves on the fell.", "Wolves were about.", schema.Unverifiable, false, ""},

		{"another people", "They keep trying to sneak in, but we always kill them.", "The goblins keep trying to sneak in.", schema.Unverifiable, true, "“goblins” is not in the evidence"},
		{"one people for another", "I mostly trade with the elves.", "Dwarves are who I mostly trade with.", schema.Unverifiable, true, "“Dwarves”"},
		{"a people in another form", "The elves of Elmdale brew it.", "It is an elven brew, the elf's own.", schema.Unverifiable, false, ""},
		{"dwarfs are dwarves", "Seven dwarfs dig there.", "Dwarves dig there.", schema.Unverifiable, false, ""},
		{"trolling", "They fish for pike on the weir.", "They troll for pike on the weir.", schema.Unverifiable, false, ""},
		{"an ogre's wife", "An ogress keeps the bridge.", "An ogre keeps the bridge.", schema.Unverifiable, false, ""},
		{"a name outweighs what else differs", "Bram burned the mill in spring.", "It was Osric who burned the mill in autumn.", schema.Unverifiable, true, "Osric"},

		// negation
		{"claimed though denied", "Bram did not burn the old mill.", "Bram burned the old mill.", schema.Contradicted, false, "the evidence denies"},
		{"no longer denied twice", "Bram did not burn the old mill.", "Bram never burned the old mill.", schema.Unverifiable, false, ""},

		{"no better is best", "Smoke of dried mugwort keeps marsh fever away better than any charm.", "No charm keeps marsh fever away as well as smoke of dried mugwort does.",
			schema.Unverifiable, false, "denies “charm”"},
		{"less than another", "The new bell is as loud as the old bell.", "The new bell is not as loud as the old bell.", schema.Contradicted, false, "denies “loud”"},
		{"the other branch of a condition", "Buy a ticket at the gate or pay the guards.", "If you don't buy a ticket, pay the guards at the gate.", schema.Unverifiable, false, "denies “buy”"},

		// opposites
		{"the same seen from the other side", "The shrine lies north of the town.", "The town lies south of the shrine.", schema.Unverifiable, false, "opposite"},
		{"a direction in another form", "The fort stands to the north-east.", "Northwards, and eastwards too, is the fort.", schema.Unverifiable, false, ""},
		{"no direction in the evidence", "The temple stands at the wall.", "The temple stands at the southern wall.", schema.Unverifiable, false, ""},
		{"a direction that is denied", "All three houses face south.", "You will not see one door to the north.", schema.Unverifiable, false, ""},
		{"a way back", "The mayor lives north of the well.", "From the mayor's place you would walk south to reach the well.", schema.Unverifiable, false, "direction"},
		{"east of the other end", "Directly west of the yew you may find an entrance to the caves.", "The yew stands east of one way into the caves.", schema.Unverifiable, false, "direction"},
		{"both ends after the direction", "North of the mill is the weir.", "South of the weir is the mill.", schema.Unverifiable, false, "opposite"},
		{"the direction first, its other end last", "To the north of the mill lies the weir.", "The mill lies south of the weir.", schema.Unverifiable, false, "opposite"},
		{"a view from the other end", "The weir lies north of the mill.", "Stand at the weir and look south and you see the mill.", schema.Unverifiable, false, "direction"},
		{"the rest of a whole", "At dawn nothing stood but the wheel and the southern wall.", "The northern wall was down by morning.", schema.Unverifiable, false, "direction"},
		{"a point more", "The mill lies north of the weir.", "The mill lies north-west of the weir.", schema.Unverifiable, false, "“west”"},
		{"whence he came and whither he goes", "He came out of the north with three mules.", "He was southward bound with three mules.", schema.Unverifiable, false, "direction"},
		{"what is northernmost has all else to its south", "Varn is the northernmost town of the coast.", "Every other town of the coast lies to the south.", schema.Unverifiable, false, ""},
		{"what is kept always is never given up", "Mark always keeps the key to that door with him.", "You'd have to get it off Mark, who never parts with that key.", schema.Unverifiable, false, "“always”"},
		{"never, of the same", "The treasure always changes.", "The treasure never changes.", schema.Contradicted, false, "negation"},
		{"an opposite that is denied", "The gate is open.", "The gate is not closed.", schema.Unverifiable, false, ""},
		{"one clause of two", "The weir held. The north gate is open.", "The weir held, and the north gate is shut.", schema.Contradicted, false, "“open”"},

		// roles
		{"roles", "Mira owes Bren money.", "Bren owes Mira money.", schema.Contradicted, false, "changed places"},
		{"a mutual relation is no swap", "Bram met Osric.", "Osric met Bram.", schema.Unverifiable, false, "roles"},
		{"passive is no swap", "Bram burned the mill.", "The mill was burned by Bram.", schema.Unverifiable, false, ""},
		{"a parent and a child have changed places", "Gaea is the mother of Nature.", "Nature is the mother of Gaea.", schema.Contradicted, false, "changed places"},
		{"the same seen from the child", "Gaea is the mother of Nature.", "Nature is the daughter of Gaea.", schema.Unverifiable, false, ""},
		{"with whom it was done", "Bram argued about the mill with Osric.", "Osric argued about the mill with Bram.", schema.Unverifiable, false, "changed places"},
		{"what was done with him", "Bram sang a song with Osric.", "Osric sang a song with Bram.", schema.Unverifiable, false, "changed places"},
		{"a road goes both ways", "The road from Scorn to Navar is closed.", "The road from Navar to Scorn is closed.", schema.Unverifiable, false, ""},
		{"to the one, from the other", "Pell carries letters from the abbot to the queen.", "Pell carries letters to the queen from the abbot.", schema.Unverifiable, false, ""},
		{"two clauses may change places", "We travel by night and lie still by day.", "By day we lie still and by night we travel.", schema.Unverifiable, false, ""},
		{"the items of a list may change places", "She sells rope, lamp oil and the salt of the marsh.", "She sells the salt of the marsh, lamp oil and rope.", schema.Unverifiable, false, ""},
		{"to lend out and to hire from", "Nell lent the barge to the brothers.", "The brothers borrowed the barge from Nell.", schema.Unverifiable, false, "opposite"},
		{"an object may come first", "I love my wife more than gold.", "My wife I love more than gold.", schema.Unverifiable, false, ""},
		{"who is done to may come first", "The guards will hang whoever kills a swan.", "Whoever kills a swan will be hanged by the guards.", schema.Unverifiable, false, ""},

		{"the half of another", "Odo may stir but not taste; Lupin may taste but not stir.", "Lupin may stir.", schema.Unverifiable, false, "the evidence denies “stir”"},
		{"an apposition is no other", "Takuse, the old drake, dwells in the mountain cavern.", "Takuse dwells in the mountain cavern.", schema.Unverifiable, false, ""},
		{"a pronoun goes on about the first", "Mira came home to the mill, and she sold the old anvil.", "Mira sold the old anvil.", schema.Unverifiable, false, ""},

		// one word in the place of another
		{"another thing", "The temple asks for an offering of diamonds.", "The temple asks for an offering of emeralds.", schema.Unverifiable, false, "the evidence says “diamonds”, the claim “emeralds”"},
		{"another kind", "Apply the balm under a new moon and stamp.", "Apply the balm under a waning moon and stamp.", schema.Unverifiable, false, ""},
		{"another word for it", "The boat lies at the old quay.", "The ship lies at the old quay.", schema.Unverifiable, false, ""},
		{"the same word spelt otherwise", "You need the wing of a drake, freshy killed.", "You need the wing of a drake, freshly killed.", schema.Unverifiable, false, ""},
		{"a word that stands for any", "The lever on the right opens the cage.", "The one on the right opens the cage.", schema.Unverifiable, false, ""},
		{"two words", "The temple asks for an offering of diamonds.", "The shrine asks for an offering of emeralds.", schema.Unverifiable, false, ""},
		{"a word that stands elsewhere in the evidence", "The temple asks for an offering of diamonds. The emeralds are for the shrine.", "The temple asks for an offering of emeralds.", schema.Unverifiable, false, "“emeralds”"},

		{"an adverb may move", "Slowly the old mill burned.", "The old mill burned slowly.", schema.Unverifiable, false, ""},

		{"a gesture beside the words", "The well is sixty feet deep.", "(rubs a sore shoulder) The well is sixty feet deep.", schema.Unverifiable, true, "“(rubs a sore shoulder)” is not in the evidence"},
		{"one between underscores", "The well is sixty feet deep.", "The well is sixty feet deep, you know. _turns away_", schema.Unverifiable, true, "“_turns away_”"},
		{"a remark in brackets that the evidence makes", "The old well, which is dry, is sixty feet deep.", "The old well (it is dry) is sixty feet deep.", schema.Unverifiable, false, ""},

		// modality and condition

		// quantifiers
		{"after all says nothing", "The guards drink.", "The guards drink after all.", schema.Unverifiable, false, ""},
		{"among the greatest", "It is one of the greatest blades one can buy.", "It's among the greatest blades one can buy.", schema.Unverifiable, false, ""},
		{"the greatest, said outright beside it", "One of the oldest inns is the Bell, and the oldest is the Swan.", "The Swan is the oldest inn.", schema.Unverifiable, false, ""},
		{"a forest is no superlative", "It lies in one of the old forest clearings.", "It lies in the old forest.", schema.Unverifiable, false, ""},
		{"denied", "Bram burned the old mill.", "Bram never burned the old mill.", schema.Contradicted, false, "denies"},
		{"a bare denial of the same", "Davy Teague had rowed out after supper.", "Davy Teague had never rowed out after supper.", schema.Contradicted, false, "denies “rowed”"},
		{"open and closed", "The north gate is open at night.", "The north gate is closed at night.", schema.Contradicted, false, "“open”"},
		{"north and south", "The shrine lies north of the town.", "The shrine lies south of the town.", schema.Contradicted, false, "“north”"},
		{"above and below", "Drop the stones right above the altar.", "Drop the stones right below the altar.", schema.Contradicted, false, "“above”"},
		{"bought and sold", "Bram sold the grey mare at market.", "Bram bought the grey mare at market.", schema.Contradicted, false, "“sold”"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
			none := "no rule denies it"
			switch {
			case v.Label != c.label || v.Final != c.final:
				t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
			case c.why == "" && !strings.Contains(v.Why, none):
				t.Errorf("%q from %q: found %q", c.hypothesis, c.premise, v.Why)
			case !strings.Contains(strings.ToLower(v.Why), strings.ToLower(c.why)):
				t.Errorf("%q from %q: why is %q, want %q in it", c.hypothesis, c.premise, v.Why, c.why)
			}
		})
	}
}

func TestNamesKnownToTheWorldCountWhereverTheyStand(t *testing.T) {
	p := Pair{Premise: "A man crossed the weir.", Hypothesis: "osric crossed the weir.", Names: Names{Known: []string{"Osric Vane"}}}
	if v := judge(t, p); !v.Final || !strings.Contains(v.Why, "osric") {
		t.Errorf("%+v", v)
	}
	p.Names = miraSpeaks
	p.Hypothesis = "I, Mira, crossed the weir."
	if v := judge(t, p); strings.HasPrefix(v.Why, "name") {
		t.Errorf("the NPC's own name was asked for: %+v", v)
	}
}

func TestRulesAreBounded(t *testing.T) {
	long := strings.Repeat("The mill burned in the spring of 1402. ", 30_000) // over 1 MB
	for name, p := range map[string]Pair{
		"premise":    {Premise: long, Hypothesis: "The mill burned in the spring of 1402."},
		"hypothesis": {Premise: "The mill burned.", Hypothesis: long},
		"one word":   {Premise: strings.Repeat("a", 1<<20), Hypothesis: strings.Repeat("a", 1<<20)},
		"marks":      {Premise: strings.Repeat("…!?", 1<<18), Hypothesis: "The mill burned."},
	} {
		v := judge(t, p)
		if name == "premise" && v.Label != schema.Supported {
			t.Errorf("%s: %+v", name, v)
		}
		if name != "premise" && v.Label == schema.Supported {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestRulesRespectTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewRules().Verify(ctx, []Pair{{Premise: "a", Hypothesis: "a"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
