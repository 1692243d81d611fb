package entail

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func judge(t *testing.T, p Pair) schema.Verdict {
	t.Helper()
	out, err := NewRules().Verify(context.Background(), []Pair{p})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

var miraSpeaks = Names{Self: "Mira Ashdown", Aliases: []string{"Mira"},
	Leads: []string{"Well,", "Plain as nails:", "Right, then.", "as far as I know"}}

func names(n Names, writer, reader string) Names { n.Writer, n.Reader = writer, reader; return n }

// What stands in the premise word for word is supported, in one normal form.
func TestVerbatimIsSupported(t *testing.T) {
	const block = "The mill burned in the spring of 1402. Nobody saw the miller that night. But the weir held, and " +
		"the lock was not hurt."
	cases := []struct {
		name, premise, hypothesis string
		names                     Names
	}{
		{"whole", "The mill burned.", "The mill burned.", Names{}},
		{"case and end", "The mill burned.", "the MILL burned!", Names{}},
		{"white space", "The mill\nburned  down.", " The mill burned down ", Names{}},
		{"quotation marks", "The “old” mill burned.", `The "old" mill burned.`, Names{}},
		{"apostrophes", "It’s the miller’s own.", "It's the miller's own.", Names{}},
		{"zero width", "The mill burned.", "The mi\u200bll bur\u00adned.", Names{}},
		{"full width", "The mill burned.", "Ｔｈｅ mill burned．", Names{}},
		{"one sentence of a block", block, "Nobody saw the miller that night.", Names{}},
		{"two next to one another", block, "The mill burned in the spring of 1402. Nobody saw the miller that night.",
			Names{}},
		{"two, joined", block, "The mill burned in the spring of 1402, and nobody saw the miller that night.", Names{}},
		{"joined by a semicolon", block, "The mill burned in the spring of 1402; nobody saw the miller that night.", Names{}},
		{"beside a sentence of a place that lies", "The mill burned. The weir lies below it.", "The mill burned.", Names{}},
		{"an opener with lies", "The mill burned.", "Here's how it lies: the mill burned.",
			Names{Leads: []string{"Here's how it lies:"}}},
		{"connective dropped", "The forge stood. But the mill burned down.", "The mill burned down.", Names{}},
		{"exclamation dropped", "Oh, the mill burned down.", "The mill burned down.", Names{}},
		{"answer of the premise dropped", "Yes, the mill burned down.", "The mill burned down.", Names{}},
		{"one clause of a plain pair", "The mill burned down; Bram built it again.", "Bram built it again.", Names{}},
		{"contraction", "It is not far. I have walked it.", "It's not far.", Names{}},
		{"negative contraction", "The door does not open.", "The door doesn't open.", Names{}},
		{"I for the name", "Mira Ashdown forges nails.", "I forge nails.", miraSpeaks},
		{"I for the alias", "Mira forges nails and sells them in town.", "I forge nails and sell them in town.", miraSpeaks},
		{"am for is", "Mira is the smith of Hollowmere.", "I am the smith of Hollowmere.", miraSpeaks},
		{"I'm for is", "Mira is the smith of Hollowmere.", "I'm the smith of Hollowmere.", miraSpeaks},
		{"I've for has", "Mira has kept the forge since 1394.", "I've kept the forge since 1394.", miraSpeaks},
		{"my for the possessive", "Wren sleeps in Mira's loft.", "Wren sleeps in my loft.", miraSpeaks},
		{"me for the object", "Bram owes Mira forty marks.", "Bram owes me forty marks.", miraSpeaks},
		{"adverb before the verb", "Mira never married.", "I never married.", miraSpeaks},
		{"the name for my own I", "I keep the forge.", "Mira keeps the forge.", miraSpeaks},
		{"my own I", "I keep the forge.", "I keep the forge.", miraSpeaks},
		{"another's words without a person", "The reeve has closed the bridge.", "The reeve has closed the bridge.",
			names(miraSpeaks, "Osric", Stranger)},
		{"opener", "The mill burned.", "Well, the mill burned.", miraSpeaks},
		{"opener with a colon", "The mill burned.", "Plain as nails: the mill burned.", miraSpeaks},
		{"opener that is a sentence", "The mill burned.", "Right, then. The mill burned.", miraSpeaks},
		{"hedge in front", "The mill burned.", "As far as I know, the mill burned.", miraSpeaks},
		{"hedge at the end", "The mill burned.", "The mill burned, as far as I know.", miraSpeaks},
		{"accents and ligatures", "The café is on Théo’s ﬁeld.", "The café is on Théo's field.", Names{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis, Names: c.names})
			if v.Label != schema.Supported || v.Tier != TierRule || v.Score < 0.95 || v.Span == "" {
				t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
			}
		})
	}
}

// What looks like a quotation and leaves out, adds, turns round or borrows
// something is never supported.
func TestNearlyVerbatimIsNot(t *testing.T) {
	cases := []struct {
		name, premise, hypothesis string
		names                     Names
	}{
		{"only", "Only Bram had a key.", "Bram had a key.", Names{}},
		{"except", "Everyone came except the miller.", "Everyone came.", Names{}},
		{"if in front", "If the ice holds, the ferry crosses.", "The ferry crosses.", Names{}},
		{"if behind", "The ferry crosses, if the ice holds.", "The ferry crosses.", Names{}},
		{"unless", "The gate closes at dusk unless the reeve is out.", "The gate closes at dusk.", Names{}},
		{"might", "The bridge might hold.", "The bridge holds.", Names{}},
		{"not", "Bram did not burn the mill.", "Bram did burn the mill.", Names{}},
		{"never", "Mira never sold the sword.", "Mira sold the sword.", Names{}},
		{"nearly", "The mill nearly burned down.", "The mill burned down.", Names{}},
		{"some", "Some of the barns burned.", "The barns burned.", Names{}},
		{"said so", "Yrsa says the mill burned.", "The mill burned.", Names{}},
		{"said so, with a comma", "The mill burned, Yrsa says.", "The mill burned.", Names{}},
		{"thought so", "I think Bram did it, and he had the key.", "he had the key.", Names{}},
		{"denied in the clause before", "It is not the case that he lied, and he stole nothing.", "he stole nothing.",
			Names{}},
		{"an or", "Bram burned it, or the boy did.", "Bram burned it.", Names{}},
		{"a question of the premise", "Did Bram burn it? Bram burned it?", "Bram burned it.", Names{}},
		{"taken back after", "Bram burned the mill. That is a lie.", "Bram burned the mill.", Names{}},
		{"taken back before", "The following is untrue. Bram burned the mill.", "Bram burned the mill.", Names{}},
		{"a dream", "I dreamed this. The mill was whole again.", "The mill was whole again.", Names{}},
		{"somebody's quoted words", `"Bram burned the mill." So said Yrsa.`, "Bram burned the mill.", Names{}},
		{"roles", "Mira owes Bren money.", "Bren owes Mira money.", Names{}},
		{"roles by pronoun", "Mira owes Bram forty marks.", "Bram owes me forty marks.", miraSpeaks},
		{"word order", "The dog bit the man.", "The man bit the dog.", Names{}},
		{"question order", "Is the mill safe?", "The mill is safe.", Names{}},
		{"another's I", "I burned the mill.", "I burned the mill.", names(miraSpeaks, "Bram", Stranger)},
		{"another's my", "My shop is empty.", "My shop is empty.", names(miraSpeaks, Stranger, "")},
		{"another's you", "You must pay by spring.", "You must pay by spring.", names(miraSpeaks, "Bram", Stranger)},
		{"I for somebody else's name", "Bram forges nails.", "I forge nails.", miraSpeaks},
		{"I for a shop's name", "Mira's Forge is shut.", "My forge is shut.", miraSpeaks},
		{"plural", "Mira sells one horse.", "I sell one horses.", miraSpeaks},
		{"a qualifier at the end", "The door is open at night.", "The door is open.", Names{}},
		{"a word more", "The door is open.", "The door is always open.", Names{}},
		{"no in front", "The mill burned.", "No, the mill burned.", Names{}},
		{"yes in front", "The mill burned.", "Yes, the mill burned.", Names{}},
		{"sentences out of order", "He came. Bram left. He died.", "Bram left. He came.", Names{}},
		{"sentences that do not touch", "Bram came. Osric sang of it. He died.", "Bram came, and he died.", Names{}},
		{"another number", "It costs 42 marks.", "It costs 43 marks.", Names{}},
		{"punctuation that matters", "The guards who drank were hanged.", "The guards, who drank, were hanged.", Names{}},
		{"cyrillic lookalike", "Mira forged it.", "Мira forged it.", Names{}},
		{"cyrillic throughout", "The ace won.", "The асе won.", Names{}},
		{"direction marks", "The mill burned.", "The \u202emill\u202c burned.", Names{}},
		{"percent", "It fell by 5.", "It fell by 5%.", Names{}},
		{"sign", "It is -3 degrees.", "It is 3 degrees.", Names{}},
		{"an opener that denies", "The mill burned.", "Not that the mill burned.", Names{Leads: []string{"Not that"}}},
		{"a part of a longer name", "Mira Vane Ashdown the elder burned it.", "Mira burned it.", miraSpeaks},
		{"empty", "The mill burned.", "", Names{}},
		{"only marks", "The mill burned.", "…!?", Names{}},
		{"nothing to rest on", "", "The mill burned.", Names{}},
		{"he is finished, he has finished", "He is finished.", "He has finished.", Names{}},
		{"neither", "Neither the mill burned, nor the forge.", "The mill burned.", Names{}},
		{"pretended", "Bram pretended that the key was lost; the reeve believed him.", "the key was lost.", Names{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis, Names: c.names})
			if v.Label == schema.Supported || v.Score > 0.5 {
				t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
			}
			if v.Why == "" {
				t.Errorf("%q: no reason is given", c.hypothesis)
			}
		})
	}
}
