package main

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// perQuestion is how many strangers are asked each known question.
const perQuestion = 2

// strangers puts questions that one NPC can answer to others whose scope holds
// none of what answers them: what only somebody else knows must be refused.
func strangers(s *set) []ask {
	handles := s.world.Handles()
	var out []ask
	for i, a := range s.asks {
		if a.kind != "known" || len(a.right) == 0 || len(a.context) > 0 || ofTheNPC(a.message) {
			continue
		}
		found := 0
		for k := range handles {
			other := handles[(i*5+k)%len(handles)]
			if found == perQuestion {
				break
			}
			if other != a.npc && !knowsAny(s.world, s.world.NPCs[other], a.right) {
				found++
				b := a
				b.npc, b.kind, b.right, b.group = other, "private", nil, a.group
				out = append(out, b)
			}
		}
	}
	return out
}

// ofTheNPC says whether a question is about whoever is asked, and so another
// question when it is put to somebody else.
func ofTheNPC(message string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(message),
		func(r rune) bool { return r < 'a' || r > 'z' }),
		func(w string) bool { return w == "you" || w == "your" || w == "ur" || w == "u" || w == "yours" })
}

func knowsAny(w *world.World, npc *world.NPC, right []string) bool {
	return slices.ContainsFunc(w.Documents, func(d *world.Document) bool {
		return w.InScope(d, npc) && slices.Contains(right, d.Path)
	})
}

// bereft puts every question that an NPC can answer to the same NPC once more,
// with what answers it kept from it: the nearest thing to a question in play that
// only sounds as if it had an answer.
func bereft(asks []ask) []ask {
	var out []ask
	for _, a := range asks {
		if a.kind != "known" || len(a.right) == 0 {
			continue
		}
		b := a
		b.kind, b.right, b.without = "bereft", nil, a.right
		out = append(out, b)
	}
	return out
}
