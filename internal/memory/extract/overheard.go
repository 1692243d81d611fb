package extract

import (
	"regexp"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// addressed are words for the one who is spoken to.
var addressed = regexp.MustCompile(`(?i)\b(?:you|your|yours|yourself|yourselves|u|ur|ya|ye|thee|thou|thy|thine` +
	`|y'?all|you(?:'|\x{2019})\w+)\b`)

// Meant leaves out what an NPC that overhears would take for itself: what the player says
// of a "you", or asks for. Whom the player means is another.
func Meant(list []Candidate) []Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(one Candidate) bool {
		return one.Pred == "asked" || one.Pred == "asked_to_remember" ||
			slices.ContainsFunc(one.Spans, func(s schema.MemorySpan) bool { return addressed.MatchString(s.Text) })
	})
}
