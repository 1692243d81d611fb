package entail

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// turnedRule finds "from the wall to the chair" where the evidence, in the same words,
// goes from the chair to the wall and nowhere from the wall to the chair. A road goes both
// ways, and so may what spans two ends.
func turnedRule(c *comparison) []finding {
	if c.a.coverage < 1 || c.h.denies() != c.a.p.denies() || c.h.spans() || c.a.p.spans() {
		return nil
	}
	claimed, turned := c.h.ways(), false
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		if s.question {
			continue
		}
		for _, has := range s.ways() {
			for _, w := range claimed {
				if has == w {
					return nil
				}
				turned = turned || s == c.a.p && w.from != w.to && has == way{w.to, w.from}
			}
		}
	}
	if !turned {
		return nil
	}
	return c.refuses("swap", "roles: the evidence goes from one to the other, the claim the other way")
}

// spans says whether a sentence tells of what goes both ways.
func (s *sentence) spans() bool {
	for i := range s.words {
		if s.at(i) == "from" || s.at(i) == "to" {
			break
		}
		if linear[s.at(i)] {
			return true
		}
	}
	return s.has(bothWays) || s.has(leading) && (s.has(thatLead) || s.at(0) == "it" || s.at(0) == "that")
}

var (
	bothWays = text.Set(`road roads path paths way ways street lane bridge tunnel passage river coast border rope chain
		route routes track trail stairs ladder stretch stretches stretched extend extends extended reach reaches span
		spans far mile miles league leagues distance walk ride sail day's forth both either between range ranges ranging
		everything everyone anything`)
	// what goes from here to there
	linear   = text.Set(`fence fences wall walls hedge hedges ditch pipe cable canal line lines row rows`)
	leading  = text.Set(`run runs ran running lead leads led leading lie lies go goes went going`)
	thatLead = text.Set(`it which that they these those`)
)

// way is what stands behind "from" and what stands behind "to": their words of content by stem.
type way struct{ from, to string }

// ways are those of a sentence, whichever of the two comes first: "to the queen from the abbot".
func (s *sentence) ways() []way {
	const far = 10 // words from the one to the other
	var out []way
	for i := range s.words {
		first := s.at(i)
		if first != "from" && first != "to" {
			continue
		}
		second := map[string]string{"from": "to", "to": "from"}[first]
		for k := i + 1; k < min(len(s.words), i+far); k++ {
			if s.at(k) == first {
				break
			}
			if s.at(k) != second {
				continue
			}
			w := way{s.content(i+1, k), s.content(k+1, min(len(s.words), k+5))}
			if first == "to" {
				w.from, w.to = w.to, w.from
			}
			if w.from != "" && w.to != "" {
				out = append(out, w)
			}
			break
		}
	}
	return out
}

// content is the words of content of a stretch by stem, up to its first mark or
// preposition.
func (s *sentence) content(start, end int) string {
	var out []string
	for k := start; k < end; k++ {
		if prepositions[s.at(k)] {
			break
		}
		if !text.IsStop(s.at(k)) {
			out = append(out, s.words[k].stem)
		}
		if s.words[k].gap != "" {
			break
		}
	}
	return strings.Join(out, " ")
}
