package extract

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Reported is a content that says what spans say, and no more: the words
// themselves in the third person. It is empty where there are none.
func Reported(spans []schema.MemorySpan, npc, player string, c Context) string {
	if len(spans) == 0 {
		return ""
	}
	c = c.withDefaults()
	f := frame{context: c, npc: npc, player: player}
	var parts []string
	for _, s := range spans {
		part := ""
		switch s.Speaker {
		case SpeakerPlayer:
			f.said = message{original: s.Text, text: blank(s.Text, quotes)}
			part = lowerFirst(f.reported(0, len(s.Text), "", ""), f.beginsWithName(s.Text))
		case SpeakerNPC:
			part = f.ownWords(s.Text)
		default:
			part = tidy(s.Text)
		}
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	said := ended(strings.Join(parts, "; "))
	switch spans[0].Speaker {
	case SpeakerPlayer:
		return c.PlayerName + " told me that " + said
	case SpeakerNPC:
		return "I told " + c.whom() + " that " + said
	}
	return said
}

// Introduced is the relative that words of a player name: "my brother Tom", with or
// without what is said of him. Introducing a relative needs no verb, so no statement
// has to stand there.
func Introduced(span schema.MemorySpan, npc, player string, c Context) (Candidate, bool) {
	if span.Speaker != SpeakerPlayer {
		return Candidate{}, false
	}
	f := frame{context: c.withDefaults(), npc: npc, player: player, turn: span.TurnID, at: span.At,
		said: message{original: span.Text, text: blank(span.Text, quotes)}}
	ts := tokens(f.said.text, 0, len(f.said.text))
	if len(ts) < 3 || ts[0].low != "my" && ts[0].low != "our" {
		return Candidate{}, false
	}
	s, next := f.kinAt(ts, 1)
	if s.kind != relative || s.name == "" {
		return Candidate{}, false
	}
	s.words = ts[:next]
	return f.introduced(&clause{subject: s}, s.name), true
}

// beginsWithName says whether words begin with a name, which keeps its capital.
func (f *frame) beginsWithName(s string) bool {
	ts := tokens(s, 0, len(s))
	return len(ts) > 0 && ts[0].upper && !notNames[ts[0].low] && !auxiliaries[ts[0].low] && lemma[ts[0].low] == ""
}
