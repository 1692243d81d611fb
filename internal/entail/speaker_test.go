package entail

import "testing"

func TestSpokenGivesBothTextsOneSpeaker(t *testing.T) {
	for _, c := range []struct {
		name                string
		pair                Pair
		premise, hypothesis string
	}{
		{"the NPC's own words stay",
			Pair{Premise: "I sold the mill.", Hypothesis: "I sold it.", Names: Names{Self: "Mira"}}, "I sold the mill.",
			"I sold it."},
		{"another's I is theirs",
			Pair{Premise: "I have sold my mill.", Hypothesis: "I have sold my mill.",
				Names: Names{Self: "Mira", Writer: "Bram"}}, "Bram has sold Bram's mill.", "Mira has sold Mira's mill."},
		{"an unknown writer's too",
			Pair{Premise: "I am tired.", Hypothesis: "I'm tired.", Names: Names{Self: "Mira", Writer: Stranger}},
			"the writer is tired.", "Mira is tired."},
		{"who is addressed",
			Pair{Premise: "You owe me ten.", Hypothesis: "I owe Bram ten.",
				Names: Names{Self: "Mira", Writer: "Bram", Reader: "Mira"}}, "Mira owe Bram ten.", "Mira owe Bram ten."},
		{"the NPC by another name",
			Pair{Premise: "I sold it.", Hypothesis: "I sold it.",
				Names: Names{Self: "Mira Tallow", Aliases: []string{"Mira"}, Writer: "Mira"}}, "I sold it.", "I sold it."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p, h := c.pair.Spoken(); p != c.premise || h != c.hypothesis {
				t.Errorf("%q, %q", p, h)
			}
		})
	}
}

func TestUnalignedNamesWhatTheEvidenceDoesNotHold(t *testing.T) {
	for _, c := range []struct {
		premise, hypothesis string
		want                []string
	}{
		{"Bram bought the old mill.", "Bram purchased the mill.", nil},
		{"The mill burned in spring.", "The granary burned in spring.", []string{"granary"}},
		{"The ferry returns at noon.", "At noon the ferry is returning.", nil},
		{"", "Dragons slept here.", []string{"dragons", "slept"}},
	} {
		got := Unaligned(c.premise, c.hypothesis)
		if len(got) != len(c.want) {
			t.Errorf("%q against %q: %v, want %v", c.hypothesis, c.premise, got, c.want)
		}
	}
	if Closeness("The mill burned.", "") != 1 || Closeness("The mill burned.", "Wolves howl.") != 0 {
		t.Error("closeness lies between 0 and 1")
	}
}
