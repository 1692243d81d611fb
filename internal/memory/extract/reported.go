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

// beginsWithName says whether words begin with a name, which keeps its capital.
func (f *frame) beginsWithName(s string) bool {
	ts := tokens(s, 0, len(s))
	return len(ts) > 0 && ts[0].upper && !notNames[ts[0].low] && !auxiliaries[ts[0].low] && lemma[ts[0].low] == ""
}
