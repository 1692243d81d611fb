package voice_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
)

var (
	holt = voice.Person{Handle: "mira", Name: "Mira Holt", Pronoun: voice.She}
	bob  = voice.Person{Handle: "bob", Name: "Bob", Pronoun: voice.He}
)

// Where only a reader can tell that the NPC is meant, nothing is turned.
func TestWhatOnlyAReaderCanTurnIsLeftAsItStands(t *testing.T) {
	cases := []struct {
		name, in  string
		npc       voice.Person
		backstory bool
	}{
		{"she is the customer", "A woman came to the forge; she paid in silver.", mira, true},
		{"she is the queen", "The old queen was cruel; she taxed the town.", mira, true},
		{"she is the miller's wife", "Mira hates the miller's wife because she lied.", mira, true},
		{"she or her mother", "Mira took the forge when her mother died, and she cursed her for it.", mira, true},
		{"her cat is the widow's", "The widow next door says her cat is lost.", mira, true},
		{"he or the captain", "Bob hates the captain, for he drinks.", bob, true},
		{"quoted speech of a rule", "Mira has one rule: \"never trust her\".", mira, true},
		{"quoted speech about the NPC", "Osric said: \"Mira burned the mill.\"", mira, false},
		{"quoted speech before its speaker", "“Mira burned it,” said Osric.", mira, false},
		{"a question", "Was Mira at the mill?", mira, false},
		{"an I that is there already", "I saw Mira at the ford.", mira, false},
		{"a we that is there already", "We owe Mira three bits.", mira, false},
		{"an aunt of the same name", "Aunt Mira owns the inn.", holt, false},
		{"a queen of the same name", "Queen Mira is dead.", holt, false},
		{"another Mira, by her town", "Mira of Saltmere owns the inn.", holt, false},
		{"another Mira, by her surname", "Mira Vance owns the inn.", holt, false},
		{"a salutation", "Dear Mira, the mill burned.", holt, false},
		{"spoken to", "Come, Mira, and see.", holt, false},
		{"the speaker of a log line", "Mira: the mill burned.", holt, false},
		{"a she that nobody knows", "Mira says that she is tired.", voice.Person{Name: "Mira"}, true},
		{"an item of a list", "Osric, Mira and Bram were seen.", mira, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := voice.FirstPerson(c.in, c.npc, c.backstory); ok {
				t.Errorf("turned to %q", got)
			}
		})
	}
}

func TestFirstPersonAgrees(t *testing.T) {
	cases := []struct {
		name, in, want string
		npc            voice.Person
		backstory      bool
	}{
		{"her father is no she", "She was born in Saltmere, where her father kept a forge and taught her.",
			"I was born in Saltmere, where my father kept a forge and taught me.", mira, true},
		{"what she is is no other", "She is the best smith of the town and keeps her prices low.",
			"I am the best smith of the town and keep my prices low.", mira, true},
		{"a rival after the last pronoun", "She learned her trade from an old captain.",
			"I learned my trade from an old captain.", mira, true},
		{"a relative clause keeps its verb", "He has a horse that is lame and has bad teeth.",
			"I have a horse that is lame and has bad teeth.", bob, true},
		{"another clause keeps its verb", "Bob likes cats; Carol likes dogs and feeds them.",
			"I like cats; Carol likes dogs and feeds them.", bob, false},
		{"a name is no verb", "Bob and Thomas the baker were there.", "I and Thomas the baker were there.", bob, false},
		{"has been", "He's been a guard for ten years.", "I've been a guard for ten years.", bob, true},
		{"after an opening word", "Only Bob knows the way.", "Only I know the way.", bob, false},
		{"her own is the subject's", "Mira brews her own ale and calls the dark one Widow's Comfort.",
			"I brew my own ale and call the dark one Widow's Comfort.", voice.Person{Name: "Mira"}, true},
		{"after a place", "At dawn, Bob opened the gate.", "At dawn, I opened the gate.", bob, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := voice.FirstPerson(c.in, c.npc, c.backstory); !ok || got != c.want {
				t.Errorf("got %q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

// "She died young." after "Her mother was a weaver." is not the NPC's death.
func TestAPronounOfASentenceIsReadWithTheSentenceBefore(t *testing.T) {
	cases := []struct {
		name, backstory, sentence, want string
	}{
		{"her mother", "Her mother was a weaver. She died young.", "She died young.", ""},
		{"another by name", "Sella taught her the trade. She drank.", "She drank.", ""},
		{"the NPC herself", "Mira is the smith of the town. She forges hinges.", "She forges hinges.", "I forge hinges."},
		{"her father", "Her father was a weaver. She hated the loom.", "She hated the loom.", "I hated the loom."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := mira
			p.Backstory = c.backstory
			e := protocol.Evidence{Type: "backstory", Private: true, Text: c.sentence}
			ways := voice.Renderings(e, c.sentence, p)
			switch {
			case c.want == "" && len(ways) > 0:
				t.Errorf("worded as %q", ways[0].Text)
			case c.want != "" && (len(ways) == 0 || ways[0].Text != c.want):
				t.Errorf("got %v, want %q", ways, c.want)
			}
		})
	}
}
