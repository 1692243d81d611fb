package voice_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
)

var mira = voice.Person{Handle: "mira", Name: "Mira", Pronoun: voice.She}

func TestFirstPerson(t *testing.T) {
	cases := []struct {
		name, in, want string
		backstory      bool
	}{
		{"subject", "Mira forged the gate hinges.", "I forged the gate hinges.", false},
		{"to be", "Mira is the smith of the town.", "I am the smith of the town.", false},
		{"verb", "Mira forges nails and sells them at the fair.", "I forge nails and sell them at the fair.", false},
		{"plural nouns stay", "Mira makes nails and hinges.", "I make nails and hinges.", false},
		{"possessive", "The fire began behind Mira's forge.", "The fire began behind my forge.", false},
		{"possessive at the front", "Mira's forge stands by the bridge.", "My forge stands by the bridge.", false},
		{"by me", "The hinges were forged by Mira.", "The hinges were forged by me.", false},
		{"object", "Osric saw Mira at the ford.", "Osric saw me at the ford.", false},
		{"a sign's name", "The sign says Mira Ironworks.", "", false},
		{"pronoun in a backstory", "She was born in Saltmere, where her father kept a forge.",
			"I was born in Saltmere, where my father kept a forge.", true},
		{"pronoun outside a backstory", "She was born on the coast.", "", false},
		{"adverb between", "She still keeps the old anvil.", "I still keep the old anvil.", true},
		{"her as object", "The guild taught her for six years.", "The guild taught me for six years.", true},
		{"a description before the name", "The smith Mira succeeds her father.", "", false},
		{"a description after the name", "Mira, smith of the town, is appointed warden.", "", false},
		{"a pronoun that goes on", "Mira shall render her accounts.", "", false},
		{"another woman in a backstory", "Her sister left, and she married a baker.", "", true},
		{"what the NPC is, is nobody else", "She is the best smith of the valley and keeps her own forge.",
			"I am the best smith of the valley and keep my own forge.", true},
		{"somebody else's words", "“Mira burned it,” said Osric.", "", false},
		{"nothing to turn", "The mill burned in spring.", "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := voice.FirstPerson(c.in, mira, c.backstory)
			if ok != (c.want != "") || ok && got != c.want {
				t.Errorf("got %q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

func TestRenderingsNameTheWriter(t *testing.T) {
	cases := []struct {
		name     string
		evidence protocol.Evidence
		sentence string
		want     string
	}{
		{"the NPC's own note", protocol.Evidence{Type: "diary", Author: "mira", Private: true}, "I sold two blades.",
			"I sold two blades."},
		{"another's first person", protocol.Evidence{Type: "letter", Author: "Osric"}, "I saw the fire.",
			"Osric wrote: “I saw the fire.”"},
		{"another's fact", protocol.Evidence{Type: "letter", Author: "Osric"}, "The ford is closed.", "The ford is closed."},
		{"said in a log", protocol.Evidence{Type: "log", Speaker: "Osric"}, "I hear hooves.",
			"Osric said: “I hear hooves.”"},
		{"nobody's sign", protocol.Evidence{Type: "sign"}, "We open at dawn.", "The sign says: “We open at dawn.”"},
		{"another's you", protocol.Evidence{Type: "letter", Author: "Osric"}, "You must pay by Monday.",
			"Osric wrote: “You must pay by Monday.”"},
		{"the NPC's own you", protocol.Evidence{Type: "letter", Author: "mira", Private: true}, "You owe me nine bits.",
			"I wrote: “You owe me nine bits.”"},
		{"another's you in a note kept at home", protocol.Evidence{Type: "note", Author: "Osric", Private: true},
			"You must pay by Monday.", "Osric wrote: “You must pay by Monday.”"},
		{"a type in capitals", protocol.Evidence{Type: "LOG", Speaker: "Osric"}, "I hear hooves.",
			"Osric said: “I hear hooves.”"},
		{"a rumour", protocol.Evidence{Type: "note", Author: "osric", Belief: "rumour"}, "The lake is cursed.",
			"I have only heard it told: The lake is cursed."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := voice.Renderings(c.evidence, c.sentence, mira)
			if len(got) == 0 || got[0].Text != c.want {
				t.Fatalf("got %v, want %q", got, c.want)
			}
			c.evidence.Text = c.sentence
			if _, _, ok := voice.Same(got[0].Text, c.evidence, mira, nil); !ok {
				t.Errorf("%q is not known again", got[0].Text)
			}
		})
	}
}

func TestARumourIsNeverSaidAsAFact(t *testing.T) {
	e := protocol.Evidence{Type: "note", Belief: "rumour", Private: true, Text: "The lake is cursed."}
	if _, _, ok := voice.Same("The lake is cursed.", e, mira, nil); ok {
		t.Error("a rumour passed as a fact")
	}
}

func TestAnothersFirstPersonIsNeverTheNPCs(t *testing.T) {
	e := protocol.Evidence{Type: "letter", Author: "Osric", Text: "I burned the mill."}
	if _, _, ok := voice.Same("I burned the mill.", e, mira, nil); ok {
		t.Error("Mira may say what Osric wrote of himself as if it were of her")
	}
}

// A sentence out of the middle of somebody's speech does not say whose words it is.
func TestAPieceOfAQuotationIsNotSaidAlone(t *testing.T) {
	block := "“Bram burned the mill. He did it for the gold. I saw him,” said Osric. Nobody agreed."
	e := protocol.Evidence{Type: "report", Author: "council", Text: block}
	for _, piece := range []string{"“Bram burned the mill.", "He did it for the gold.", "I saw him,” said Osric."} {
		if ways := voice.Renderings(e, piece, mira); len(ways) > 0 {
			t.Errorf("%q is worded as %q", piece, ways[0].Text)
		}
	}
	if ways := voice.Renderings(e, "Nobody agreed.", mira); len(ways) == 0 {
		t.Error("what follows the quotation has no wording")
	}
}

// A note of the NPC's own that is one quotation holds what the NPC says.
func TestANoteThatIsOneQuotationIsTheNPCsOwn(t *testing.T) {
	e := protocol.Evidence{Type: "note", Author: "mira", Private: true, Text: `"Ice melts. Fire does not."`}
	for _, s := range []string{`"Ice melts.`, `Fire does not."`} {
		if len(voice.Renderings(e, s, mira)) == 0 {
			t.Errorf("%q has no wording", s)
		}
	}
	e.Text = `"Ice melts. Fire does not," said Osric.`
	if len(voice.Renderings(e, `"Ice melts.`, mira)) > 0 {
		t.Error("Osric's words are said as the NPC's")
	}
}

func TestSameKeepsTheMood(t *testing.T) {
	cases := []struct {
		name, evidence, said string
		want                 bool
	}{
		{"a question is no statement", "Bram burned the mill?", "Bram burned the mill.", false},
		{"a statement is no question", "Bram burned the mill.", "Bram burned the mill?", false},
		{"a quotation is no statement", "“Bram burned the mill.”", "Bram burned the mill.", false},
		{"end marks and case are folded", "Bram burned the mill!", "bram burned the mill.", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := protocol.Evidence{Type: "diary", Author: "mira", Private: true, Text: c.evidence}
			if _, _, ok := voice.Same(c.said, e, mira, nil); ok != c.want {
				t.Errorf("Same is %v", ok)
			}
		})
	}
}
