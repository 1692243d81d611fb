package entail

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// placedRule finds another preposition before the same word: in Oakford where it is near
// Oakford, by the mayor where it is for him, before Cleo where it is after her.
func placedRule(c *comparison) []finding {
	if !c.inItsWords() || c.h.countNegations() != c.a.p.countNegations() || c.h.spans() || c.a.p.spans() ||
		c.reordered() && passive(c.h) != passive(c.a.p) {
		return nil
	}
	for i, k := range c.a.to {
		if i < 1 || k < 1 {
			continue
		}
		claimed, has := c.h.prepositionOf(i), c.a.p.prepositionOf(k)
		if claimed == has || !excludes(claimed, has) || c.saysBefore(claimed, c.h.words[i].stem) {
			continue
		}
		return c.refuses("swap", fmt.Sprintf("place: the evidence says “%s %s”, the claim “%s”", has,
			c.a.p.words[k].raw, claimed))
	}
	return nil
}

// prepositionOf is what stands before word i, its determiner left out; "out of" is "from".
func (s *sentence) prepositionOf(i int) string {
	k := i - 1
	for k >= 0 && determiners[s.at(k)] && s.words[k].gap == "" {
		k--
	}
	if k < 0 || s.words[k].gap != "" {
		return ""
	}
	if s.at(k) == "of" && s.at(k-1) == "out" {
		return "from"
	}
	return s.at(k)
}

// saysBefore says whether the evidence has a preposition before a stem anywhere.
func (c *comparison) saysBefore(preposition, stem string) bool {
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		for k := range s.words {
			if s.words[k].stem == stem && s.prepositionOf(k) == preposition {
				return true
			}
		}
	}
	return false
}

// excludes says whether one preposition excludes another before the same word.
func excludes(a, b string) bool { return exclusive[a][b] || exclusive[b][a] }

var exclusive = func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for a, b := range map[string]string{
		"before": "after since in on at from", "after": "in on at until till", "near": "in inside within into",
		"outside": "in inside within",
		"with":    "without", "over": "under beneath below", "above": "under beneath below", "into": "from", "to": "from",
		"by": "for", "against": "for", "until": "since from",
	} {
		out[a] = text.Set(b)
	}
	return out
}()

// titleRule finds another title before the same name.
func titleRule(c *comparison) []finding {
	for i, k := range c.a.to {
		if i < 1 || k < 1 || !titled[c.h.at(i-1)] || !titled[c.a.p.at(k-1)] || c.h.at(i-1) == c.a.p.at(k-1) ||
			c.saysBefore(c.h.at(i-1), c.h.words[i].stem) || !c.h.upper(i) {
			continue
		}
		return c.refuses("name", fmt.Sprintf("name: the evidence says “%s”, the claim “%s”", c.a.p.span(k-1, k+1),
			c.h.span(i-1, i+1)))
	}
	return nil
}

var titled = text.Set(`sir lord king prince duke earl count baron captain sergeant abbot prior father brother mayor
	reeve bishop lady queen princess duchess dame sister`)
