package entail

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

func (c *comparison) isContent(i int) bool { return !text.IsStop(c.h.words[i].low) }

// nameRule wants every name of the claim in the premise.
func nameRule(c *comparison) []finding {
	have := map[string]bool{}
	for i := range c.p.sentences {
		for _, w := range c.p.sentences[i].words {
			for _, f := range nameForms1(w.low) {
				have[f] = true
			}
		}
	}
	known := map[string]bool{}
	for _, n := range c.names.Known {
		for _, w := range text.Words(n) {
			if !text.IsStop(w) {
				known[w] = true
			}
		}
	}
	own := map[string]bool{}
	for _, n := range nameForms(c.names) {
		for _, w := range n {
			own[w] = true
		}
	}
	for i, w := range c.h.words {
		bare := strings.TrimSuffix(w.low, "'s")
		if !c.isName(i, known) || own[bare] || months[w.low] || weekdays[strings.TrimSuffix(w.low, "s")] || seasons[w.low] != "" {
			continue
		}
		if !slices.ContainsFunc(nameForms1(w.low), func(f string) bool { return have[f] }) && !resembles(bare, have) {
			return c.refuses("name", fmt.Sprintf("name: “%s” is not in the evidence", strings.TrimSuffix(w.raw, "'s")))
		}
	}
	return nil
}

// isName says whether word i of the claim is a name: capitalised where nothing
// but a name is, or known to the world.
func (c *comparison) isName(i int, known map[string]bool) bool {
	w := c.h.words[i]
	if known[strings.TrimSuffix(w.low, "'s")] {
		return true
	}
	if !w.upper || w.first || w.low == "i" || strings.HasPrefix(w.low, "i'") || i > 0 && strings.ContainsAny(c.h.words[i-1].gap, ":.!?") {
		return false
	}
	return !text.IsStop(w.low) && strings.ContainsFunc(w.raw, unicode.IsLetter) && !isNumberWord(w.low)
}

func isNumberWord(w string) bool {
	return isSmall(w) || scales[w] > 0 || ordinals[w] > 0 || multiples[w] > 0
}

// nameForms1 are the forms under which one word is looked for as a name.
func nameForms1(low string) []string {
	bare := strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "'")
	return []string{bare, strings.TrimSuffix(bare, "s"), text.Unaccent(bare), text.Stem(bare)}
}

// resembles says whether the premise holds a form of the same name: "Scornian"
// beside "Scorn", "Darcap's".
func resembles(name string, have map[string]bool) bool {
	if len(name) < 5 {
		return false
	}
	for w := range have {
		if len(w) >= 4 && (strings.HasPrefix(name, w) && len(name)-len(w) <= 4 || strings.HasPrefix(w, name) && len(w)-len(name) <= 4) {
			return true
		}
	}
	return false
}

// negationRule finds what one text denies and the other says.
func negationRule(c *comparison) []finding {
	if c.a.coverage < 0.7 || c.a.matched < 2 {
		return nil
	}
	hn, pn := c.h.negated(), c.a.p.negated()
	for i, k := range c.a.to {
		if k < 0 || hn[i] == pn[k] {
			continue
		}
		if hn[i] && len(pn) == 0 {
			return c.contradicts("negation", fmt.Sprintf("negation: the claim denies “%s”, which the evidence says", c.h.words[i].raw))
		}
		if pn[k] && len(hn) == 0 {
			return c.contradicts("negation", fmt.Sprintf("negation: the evidence denies “%s”, which the claim says", c.a.p.words[k].raw))
		}
	}
	return nil
}

// antonymRule finds an opposite in the place of a word.
func antonymRule(c *comparison) []finding {
	if c.a.coverage < 0.5 || c.a.matched < 2 {
		return nil
	}
	hn, pn := c.h.negated(), c.a.p.negated()
	for i, k := range c.a.to {
		if k >= 0 || !c.isContent(i) || hn[i] {
			continue
		}
		for _, f := range c.a.free {
			if antonyms[c.h.words[i].stem][c.a.p.words[f].stem] && !pn[f] {
				return c.contradicts("antonym", fmt.Sprintf("opposite: the evidence says “%s”, the claim “%s”", c.a.p.words[f].raw, c.h.words[i].raw))
			}
		}
	}
	return nil
}

// swapRule finds two words that have changed places around a third.
func swapRule(c *comparison) []finding {
	if c.a.coverage < 1 || c.a.matched < 3 || passive(c.h) != passive(c.a.p) {
		return nil
	}
	var order, words []int
	for i, k := range c.a.to {
		if k >= 0 {
			order, words = append(order, k), append(words, i)
		}
	}
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	var moved []int
	for i := range order {
		if order[i] != sorted[i] {
			moved = append(moved, i)
		}
	}
	if len(moved) == 2 && moved[1]-moved[0] > 1 {
		return c.contradicts("swap", fmt.Sprintf("roles: “%s” and “%s” have changed places", c.h.words[words[moved[0]]].raw, c.h.words[words[moved[1]]].raw))
	}
	return nil
}

func passive(s *sentence) bool {
	for i := range s.words {
		if s.words[i].low == "by" {
			return true
		}
	}
	return false
}

// modalityRule finds what the premise only allows, intends or conditions, and
// the claim states.
func modalityRule(c *comparison) []finding {
	if c.a.coverage < 0.6 || c.a.matched < 2 {
		return nil
	}
	hh, ph := c.h.hedged(), c.a.p.hedged()
	if len(hh) > 0 {
		return nil
	}
	for i, k := range c.a.to {
		if k < 0 {
			continue
		}
		if w := ph[k]; w != "" {
			return c.refuses("modality", fmt.Sprintf("modality: the evidence says “%s %s”, the claim states it", w, c.a.p.words[k].raw))
		}
		if w := c.a.p.conditional(k); w != "" && c.h.conditional(i) == "" {
			return c.refuses("modality", fmt.Sprintf("condition: the evidence says it under “%s”, the claim states it", w))
		}
	}
	return nil
}

// quantifierRule finds "all" where the premise does not say so.
func quantifierRule(c *comparison) []finding {
	if c.a.matched < 1 {
		return nil
	}
	for i := range c.h.words {
		w := c.h.words[i].low
		if !universals[w] || w == "all" && idiomaticAll(c.h, i) {
			continue
		}
		if f := c.universal(i, w); f != nil {
			return f
		}
	}
	return nil
}

func (c *comparison) universal(i int, w string) []finding {
	part := ""
	for k := range c.a.p.words {
		switch v := c.a.p.words[k].low; {
		case universals[v] || negations[v] || hasNot(v):
			return nil
		case partials[v]:
			part = v
		}
	}
	if part != "" {
		return c.refuses("quantifier", fmt.Sprintf("quantifier: the evidence says “%s”, the claim “%s”", part, w))
	}
	if c.a.coverage >= 0.6 {
		return c.refuses("quantifier", fmt.Sprintf("quantifier: the evidence does not say “%s”", w))
	}
	return nil
}

// idiomaticAll is "after all", "at all", "all right", "all day".
func idiomaticAll(s *sentence, i int) bool {
	switch s.at(i - 1) {
	case "after", "at", "above", "of":
		return true
	}
	switch s.at(i + 1) {
	case "right", "day", "night", "but", "along", "about", "around", "over", "the":
		return s.at(i+1) != "the" || s.at(i+2) == "way" || s.at(i+2) == "same"
	}
	return false
}
