package eval

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// reply cites one path per sentence, empty for an authored line.
func reply(status schema.Status, text string, paths ...string) *schema.Reply {
	r := &schema.Reply{Status: status, Text: text}
	for _, p := range paths {
		s := schema.Sentence{Text: text, Hash: protocol.HashText(text), Authored: p == ""}
		if p != "" {
			s.Evidence = []schema.EvidenceRef{{ID: "E1", Path: p, Text: "The mill\nburned in spring.",
				Source: schema.OriginCorpus}}
		}
		r.Sentences = append(r.Sentences, s)
	}
	return r
}

func yes() *bool { v := true; return &v }
func no() *bool  { v := false; return &v }

func TestACasePassesWhenAllItStatesHolds(t *testing.T) {
	mill := reply(schema.StatusExtractive, "It burned.", "lore/mill.txt")
	state := reply(schema.StatusExtractive, "My shop is open.", "")
	state.Sentences[0].Evidence = []schema.EvidenceRef{
		{Path: "state", Text: "The shop is open.", Source: schema.OriginSystem}}
	unknown := reply(schema.StatusUnknown, "I could not say.", "")
	deed := reply(schema.StatusAnswered, "Take it.", "")
	deed.Actions = []schema.Action{{Name: "give", Checked: true}, {Name: "refused"}}
	for _, c := range []struct {
		name  string
		c     Case
		seen  Seen
		fails string // a part of what was wanted; empty: it passes
	}{
		{"nothing is stated", Case{}, Seen{Reply: mill}, ""},
		{"no reply", Case{}, Seen{}, "a reply"},
		{"evidence from the file", Case{ExpectEvidence: []string{"lore/other.txt", "lore/mill.txt"}}, Seen{Reply: mill}, ""},
		{"evidence from another file", Case{ExpectEvidence: []string{"lore/other.txt"}}, Seen{Reply: mill}, "lore/other.txt"},
		{"evidence from the backstory", Case{ExpectEvidence: []string{"npcs/mira/npc.yaml"}},
			Seen{Reply: reply(schema.StatusExtractive, "x", "npcs/mira/npc.yaml#backstory")}, ""},
		{"forbidden evidence cited", Case{ForbidEvidence: []string{"lore/*"}}, Seen{Reply: mill}, "none of"},
		{"forbidden evidence in a prompt", Case{ForbidEvidence: []string{"npcs/osric/**"}},
			Seen{Reply: mill, Prompts: []string{"npcs/osric/home/a.txt"}}, "none of"},
		{"forbidden evidence nowhere", Case{ForbidEvidence: []string{"npcs/osric/**"}},
			Seen{Reply: mill, Prompts: []string{"lore/mill.txt"}}, ""},
		{"a topic in the reply", Case{ExpectTopic: "BURNED"}, Seen{Reply: mill}, ""},
		{"a topic in the evidence, over a line break", Case{ExpectTopic: "the mill burned"}, Seen{Reply: mill}, ""},
		{"a topic in the evidence of the state", Case{ExpectTopic: "shop is open"}, Seen{Reply: state}, ""},
		{"a topic nowhere", Case{ExpectTopic: "ferry"}, Seen{Reply: mill}, "ferry"},
		{"a citation", Case{ExpectCitations: yes()}, Seen{Reply: mill}, ""},
		{"state is no citation of corpus", Case{ExpectCitations: yes()}, Seen{Reply: state}, "cites corpus"},
		{"expect_citations false is not looked at", Case{ExpectCitations: no()}, Seen{Reply: mill}, ""},
		{"uncertain", Case{ExpectUncertain: yes()}, Seen{Reply: unknown}, ""},
		{"withheld", Case{ExpectUncertain: yes()}, Seen{Reply: reply(schema.StatusWithheld, "That stays with me.", "")}, ""},
		{"uncertain, but a claim slipped out", Case{ExpectUncertain: yes()},
			Seen{Reply: reply(schema.StatusUnknown, "x", "lore/mill.txt")}, "no world claim"},
		{"answered where it should be uncertain", Case{ExpectUncertain: yes()}, Seen{Reply: mill}, "unknown or withheld"},
		{"certain", Case{ExpectUncertain: no()}, Seen{Reply: mill}, ""},
		{"unknown where it should be certain", Case{ExpectUncertain: no()}, Seen{Reply: unknown}, "neither"},
		{"authored where it should be certain", Case{ExpectUncertain: no()}, Seen{Reply: deed}, ""},
		{"a rejected word in another case", Case{RejectPatterns: []string{`\bburned\b`}},
			Seen{Reply: reply(schema.StatusExtractive, "It BURNED.", "lore/mill.txt")}, "nothing like"},
		{"a rejected word in the evidence only", Case{RejectPatterns: []string{"spring"}}, Seen{Reply: mill}, ""},
		{"an action", Case{ExpectActions: []string{"give"}}, Seen{Reply: deed}, ""},
		{"an action that was refused", Case{ExpectActions: []string{"refused"}}, Seen{Reply: deed}, "action refused"},
		{"a presupposition is not held to its evidence",
			Case{Kind: "presupposition", ExpectEvidence: []string{"lore/other.txt"}}, Seen{Reply: mill}, ""},
		{"a presupposition is held to what it rejects", Case{Kind: "presupposition", RejectPatterns: []string{"burned"}},
			Seen{Reply: mill}, "nothing like"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.c.Name, c.c.PlayerMessage = "case", "Well?"
			if err := c.c.prepare(); err != nil {
				t.Fatal(err)
			}
			o := Judge(&c.c, c.seen)
			if o.Passed() != (c.fails == "") || !strings.Contains(o.Want, c.fails) {
				t.Errorf("want %q, got %q", o.Want, o.Got)
			}
		})
	}
}
