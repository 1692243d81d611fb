package extractive

import (
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Authored picks a line of a kind, not the one this NPC said last, in a way that
// a replay repeats.
func Authored(npc *world.NPC, kind string, t *protocol.Turn) protocol.DraftSentence {
	last := ""
	if t.Convo != nil {
		for _, l := range t.Convo.Memory {
			if l.Speaker == "npc" {
				last = text.Fold(l.Text)
			}
		}
	}
	line := Pick(npc.Line(kind, t.Locale), t.TurnID, func(s string) bool { return text.Fold(s) == last })
	return protocol.DraftSentence{Text: line, Authored: true}
}

// Opening is the line with which an NPC speaks first.
func Opening(npc *world.NPC, t *protocol.Turn) protocol.DraftSentence {
	if t.Begin == nil {
		return protocol.DraftSentence{Authored: true}
	}
	var lines []string
	if rule := npc.Beginning(t.Begin.Kind); rule != nil {
		lines = rule.Lines
	}
	return protocol.DraftSentence{Text: Pick(lines, t.TurnID, func(string) bool { return false }), Authored: true}
}
