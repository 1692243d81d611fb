package entail

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// rankedRule finds "the greatest" where the evidence says "one of the greatest".
func rankedRule(c *comparison) []finding {
	for i := range c.h.words {
		if !superlative(c.h.words[i].low) || c.h.oneOf(i) {
			continue
		}
		found := ""
		for k := range c.p.sentences {
			s := &c.p.sentences[k]
			for x := range s.words {
				if s.words[x].low != c.h.words[i].low {
					continue
				}
				if !s.oneOf(x) {
					return nil // said outright somewhere
				}
				found = s.text
			}
		}
		if found != "" {
			w := c.h.words[i].low
			f := c.refuses("quantifier", fmt.Sprintf("quantifier: the evidence says “one of the %s”, the claim “the %s”", w, w))
			f[0].span = found
			return f
		}
	}
	return nil
}

// oneOf says whether the superlative at word i is shared: "one of the three oldest",
// "among the oldest".
func (s *sentence) oneOf(i int) bool {
	for k := i - 1; k >= max(0, i-4); k-- {
		switch s.at(k) {
		case "among", "amongst":
			return true
		case "of":
			return s.at(k-1) == "one" || partials[s.at(k-1)]
		}
	}
	return false
}

// superlative says whether a word is one, by its ending.
func superlative(w string) bool {
	switch w {
	case "best", "worst":
		return true
	}
	return len(w) > 5 && strings.HasSuffix(w, "est") && !notSuperlatives[w]
}

var notSuperlatives = wordSet(`forest interest harvest honest request conquest modest protest arrest tempest contest manifest earnest suggest digest inquest dishonest
	priest invest infest molest ingest attest detest armrest headrest bequest everest breast midwest northwest southwest behest incest`)

// turnedRule finds "from the wall to the chair" where the evidence, in the same words,
// goes from the chair to the wall. A road goes both ways, and so may what spans two ends.
func turnedRule(c *comparison) []finding {
	if c.a.coverage < 1 || c.h.denies() != c.a.p.denies() || c.h.has(bothWays) || c.a.p.has(bothWays) {
		return nil
	}
	from, to, ok := c.h.way()
	if !ok {
		return nil
	}
	was, is, ok := c.a.p.way()
	if !ok || from != is || to != was || from == to {
		return nil
	}
	return c.refuses("swap", "roles: the evidence goes from one to the other, the claim the other way")
}

var bothWays = wordSet(`road roads path paths way ways street lane bridge tunnel passage river coast border rope chain route routes track trail stairs ladder
	run runs ran running stretch stretches stretched lead leads leading led reach reaches lie lies span spans far mile miles league leagues distance walk ride
	sail day's back and forth both either between range ranges ranging open everything everyone all anything`)

// way is what stands between "from" and "to" in a sentence, and what stands behind "to":
// their words of content by stem.
func (s *sentence) way() (from, to string, ok bool) {
	for i := range s.words {
		if s.at(i) != "from" {
			continue
		}
		for k := i + 2; k < min(len(s.words), i+6); k++ {
			if s.at(k) == "to" && s.words[k-1].gap == "" {
				from, to = s.content(i+1, k), s.content(k+1, min(len(s.words), k+5))
				return from, to, from != "" && to != ""
			}
		}
	}
	return "", "", false
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
