package llmtest

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var (
	hesta = voice.Person{Handle: "hesta", Name: "Hesta Boatwright", Pronoun: voice.She,
		Replace: map[string]string{"mail": "post"}}
	ice = protocol.Evidence{ID: "E1", Path: "lore/ice.md", Type: "chronicle",
		Text:    "The lock froze in 1388. Nobody could leave the quay.",
		Speaker: "hesta", Author: "hesta"}
	own = protocol.Evidence{ID: "E2", Path: "npcs/hesta/npc.yaml", Type: "backstory",
		Text: "Hesta Boatwright has two boats."}
	eel = protocol.Evidence{ID: "E3", Path: "lore/eel.md", Type: "note", Belief: "rumour", Text: "The eel traps were cut.",
		Speaker: "hesta", Author: "hesta"}
)

func ref(e protocol.Evidence) schema.EvidenceRef {
	return schema.EvidenceRef{ID: e.ID, Path: e.Path, Text: e.Text}
}

func TestJudge(t *testing.T) {
	sent := []Entry{
		{Text: "The lock froze in 1388, and Orsolya Venn wept.", Truth: Lie, Of: "invent-detail",
			False: ", and Orsolya Venn wept"},
		{Text: "*nods slowly* Nobody could leave the quay.", Truth: Lie, Of: "stage", False: "nods slowly"},
		{Text: "I think the mayor drowned.", Truth: Lie, Of: "hedge"},
		{Text: "Not a soul was able to leave the quay while the mail waited.", Truth: True, Of: "E1"},
		{Text: "Hesta Boatwright owns a pair of boats.", Truth: True, Of: "E2"},
		{Text: "The eel traps were cut.", Truth: Lie, Of: "upgrade"},
		{Text: "In 1388 the lock froze over.", Truth: True, Of: "E1"},
		{Text: "Not that I know.", Truth: True, Of: unknownLine},
	}
	for i := range sent {
		sent[i].Message, sent[i].Persona, sent[i].Cited = "What of the ice?", "mixed", []string{"E1"}
	}
	for _, c := range []struct {
		name, said string
		from       []protocol.Evidence
		kind       string // true, authored, extractive, miscited; else a part of the finding's reason
	}{
		{"a true sentence", "In 1388 the lock froze over.", []protocol.Evidence{ice}, "true"},
		{"folded", "in 1388 the lock  froze over", []protocol.Evidence{ice}, "true"},
		{"after replacements", "Not a soul was able to leave the quay while the post waited.", []protocol.Evidence{ice},
			"true"},
		{"in the first person", "I own a pair of boats.", []protocol.Evidence{own}, "true"},
		{"with an opener", "Well, in 1388 the lock froze over.", []protocol.Evidence{ice}, "true"},
		{"true of another block", "In 1388 the lock froze over.", []protocol.Evidence{own}, "miscited"},
		{"without any evidence", "In 1388 the lock froze over.", nil, "miscited"},
		{"an authored line", "Mind your step!", nil, "authored"},
		{"a sentence of an authored line", "I would not go there.", nil, "authored"},
		{"the unknown line, sent by the model", "Not that I know.", nil, "authored"},
		{"verbatim evidence", "The lock froze in 1388.", []protocol.Evidence{ice}, "extractive"},
		{"verbatim evidence in the first person", "I have two boats.", []protocol.Evidence{own}, "extractive"},
		{"hearsay as hearsay", "It is no more than a rumour: The eel traps were cut.", []protocol.Evidence{eel},
			"extractive"},
		{"the true part of a half-truth", "Nobody could leave the quay.", []protocol.Evidence{ice}, "extractive"},
		{"the true part of a half-truth, cited wrongly", "The lock froze in 1388.", []protocol.Evidence{own}, "miscited"},

		{"a lie", "I think the mayor drowned.", []protocol.Evidence{ice}, "sent as a lie: hedge"},
		{"a lie, folded", "I THINK the mayor drowned!", []protocol.Evidence{ice}, "sent as a lie: hedge"},
		{"a lie behind an opener", "Well, I think the mayor drowned.", []protocol.Evidence{ice}, "sent as a lie"},
		{"a lie without its hedge", "The mayor drowned.", []protocol.Evidence{ice}, "a part of a sentence that was a lie"},
		{"a half-truth whole", "The lock froze in 1388, and Orsolya Venn wept.", []protocol.Evidence{ice},
			"sent as a lie: invent-detail"},
		{"a half-truth cut short in its lie", "The lock froze in 1388, and Orsolya.", []protocol.Evidence{ice},
			"holds a part of what was invented"},
		{"the invented part alone", "Orsolya Venn wept.", []protocol.Evidence{ice}, "holds a part of what was invented"},
		{"a rumour as a fact", "The eel traps were cut.", []protocol.Evidence{eel}, "sent as a lie: upgrade"},
		{"a true sentence without its negation", "Able to leave the quay while the post waited.", []protocol.Evidence{ice},
			"leaves out not"},
		{"from nowhere", "The lock froze in 1390.", []protocol.Evidence{ice}, "nobody sent it"},
		{"a question made of evidence", "The lock froze in 1388?", []protocol.Evidence{ice}, "nobody sent it"},
		{"verbatim of a block it does not show", "Nobody could leave the quay.", []protocol.Evidence{own}, "true of E1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := schema.Sentence{Text: c.said}
			for _, e := range c.from {
				s.Evidence = append(s.Evidence, ref(e))
			}
			got := Judge(sent, Told{Reply: schema.Reply{NPC: "hesta", Message: "What of  the ice?",
				Sentences: []schema.Sentence{s}}, Person: hesta,
				Evidence: []protocol.Evidence{ice, own, eel},
				Lines:    []string{"Mind your step!", "Not that I know.", "Leave it. I would not go there."},
				Leads:    []string{"Well,"}})
			if sum := got.True + got.Authored + got.Extractive + len(got.Unsupported); got.Released != 1 || sum != 1 {
				t.Fatalf("%+v", got)
			}
			switch c.kind {
			case "true":
				want(t, got, got.True == 1 && len(got.Miscited) == 0)
			case "miscited":
				want(t, got, got.True == 1 && len(got.Miscited) == 1)
			case "authored":
				want(t, got, got.Authored == 1)
			case "extractive":
				want(t, got, got.Extractive == 1)
			default:
				want(t, got, len(got.Unsupported)+len(got.Miscited) == 1 && holds(got, c.kind))
			}
		})
	}
}

func want(t *testing.T, got Report, ok bool) {
	t.Helper()
	if !ok {
		t.Errorf("got %+v", got)
	}
}

// The words of another turn do not excuse a lie of this one.
func TestTheJudgeTakesTheLogOfTheMessage(t *testing.T) {
	log := []Entry{{Message: "One?", Text: "The well is dry.", Truth: True, Of: "E1"},
		{Message: "Two?", Text: "The well is deep.", Truth: True, Of: "E1"}}
	told := Told{Reply: schema.Reply{Message: "Two?", Sentences: []schema.Sentence{{Text: "The well is dry."}}}}
	if got := Judge(log, told); len(got.Unsupported) != 1 {
		t.Errorf("%+v", got)
	}
}

func holds(r Report, why string) bool {
	for _, f := range append(r.Unsupported, r.Miscited...) {
		if strings.Contains(f.Why, why) {
			return true
		}
	}
	return false
}
