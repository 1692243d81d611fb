package entail

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

func (c *comparison) isContent(i int) bool { return !text.IsStop(c.h.words[i].low) }

// nameRule wants every name of the claim in the premise, and every people.
func nameRule(c *comparison) []finding {
	var have, own map[string]bool
	negated := c.h.negated()
	for i, w := range c.h.words {
		bare := nominative(w.low)
		people := c.people(i, negated)
		if !c.isName(i) && people == "" || months[w.low] || weekdays[strings.TrimSuffix(w.low, "s")] != "" ||
			seasons[w.low] != "" {
			continue
		}
		if have == nil {
			have, own = c.p.nameWords(), map[string]bool{}
			for _, n := range nameForms(c.names) {
				for _, w := range n {
					own[w] = true
				}
			}
		}
		told := own[bare] || c.p.tellsOf(people)
		if people == "" {
			told = told || slices.ContainsFunc(nameParts(w.low), func(f string) bool { return have[f] }) || resembles(bare, have)
		}
		if !told {
			return c.refuses("name", fmt.Sprintf("name: “%s” is not in the evidence", strings.TrimSuffix(w.raw, "'s")))
		}
	}
	return nil
}

// nameWords are the words of a passage in the forms in which names are looked for.
func (p *passage) nameWords() map[string]bool {
	have := map[string]bool{}
	for i := range p.sentences {
		for _, w := range p.sentences[i].words {
			for _, part := range append(strings.FieldsFunc(w.low, joinsIdentifier), w.low) {
				for _, f := range nameParts(part) {
					have[f] = true
				}
			}
		}
	}
	return have
}

// isName says whether word i of the claim is a name: capitalised where nothing
// but a name is, or known to the world.
func (c *comparison) isName(i int) bool {
	w := c.h.words[i]
	if c.known[strings.TrimSuffix(w.low, "'s")] {
		return true
	}
	if !w.upper || w.first || w.low == "i" || strings.HasPrefix(w.low, "i'") || i > 0 &&
		strings.ContainsAny(c.h.words[i-1].gap, ":.!?") {
		return false
	}
	return !text.IsStop(w.low) && strings.ContainsFunc(w.raw, unicode.IsLetter) && !isNumberWord(w.low)
}

// joinsIdentifier splits the keys of a state, "mira.shop_open".
func joinsIdentifier(r rune) bool { return r == '.' || r == '_' || r == '/' }

func isNumberWord(w string) bool {
	return isSmall(w) || scales[w] > 0 || ordinals[w] > 0 || multiples[w] > 0
}

// nameParts are the forms under which one word is looked for as a name.
func nameParts(low string) []string {
	bare := nominative(low)
	return []string{bare, strings.TrimSuffix(bare, "s"), text.Unaccent(bare), text.Stem(bare)}
}

// resembles says whether the premise holds a form of the same name: "Scornian"
// beside "Scorn", "Darcap's".
func resembles(name string, have map[string]bool) bool {
	if len(name) < 5 {
		return false
	}
	for w := range have {
		if len(w) >= 4 && (strings.HasPrefix(name, w) && len(name)-len(w) <= 4 || strings.HasPrefix(w, name) &&
			len(w)-len(name) <= 4) {
			return true
		}
	}
	return false
}

// antonymPairs are the words of the claim that the premise does not hold, with an
// opposite of theirs that the claim does not.
func (c *comparison) antonymPairs() [][2]int {
	var out [][2]int
	for i, k := range c.a.to {
		opposites := antonyms[c.h.words[i].stem]
		if k >= 0 || opposites == nil || c.a.p.holdsForm(c.h.words[i].stem) || c.p.holds(c.h.words[i].stem) ||
			c.h.aLittle(i) {
			continue
		}
		if !c.isContent(i) { // "above" and "below" are words of grammar
			if c.a.coverage < 0.8 {
				continue
			}
			for f := range c.a.p.words {
				if text.IsStop(c.a.p.words[f].low) && opposites[c.a.p.words[f].stem] && c.besides(i, f) {
					out = append(out, [2]int{i, f})
				}
			}
			continue
		}
		for _, f := range c.a.free {
			if opposites[c.a.p.words[f].stem] && !c.a.p.aLittle(f) {
				out = append(out, [2]int{i, f})
			}
		}
	}
	return out
}

// aLittle says whether word i is "little" and speaks of how much, not of how big.
func (s *sentence) aLittle(i int) bool {
	if s.at(i) != "little" {
		return false
	}
	switch s.at(i - 1) {
	case "a":
		return text.IsStop(s.at(i+1)) || s.at(i-2) == "only" || s.at(i-2) == "just"
	case "very", "too", "so", "as", "how", "only":
		return true
	}
	return false
}

// besides says whether a word next to i in the claim stands next to f in the
// premise.
func (c *comparison) besides(i, f int) bool {
	for _, d := range []int{1, -1, 2, -2} {
		if i+d >= 0 && i+d < len(c.a.to) && c.a.to[i+d] >= 0 && (c.a.to[i+d]-f)*d > 0 && (c.a.to[i+d]-f)*d <= 3 {
			return true
		}
	}
	return false
}

// holdsForm says whether a sentence holds another form of a word: "loser" beside "lose".
func (s *sentence) holdsForm(stem string) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return inflected(w.stem, stem) })
}

func (p *passage) holds(stem string) bool {
	return slices.ContainsFunc(p.sentences, func(s sentence) bool { return s.hasWord(stem) })
}

// antonymRule finds an opposite in the place of a word.
func antonymRule(c *comparison) []finding {
	if c.a.coverage < 0.5 || c.a.matched < 2 {
		return nil
	}
	hn, pn := c.h.negated(), c.a.p.negated()
	for _, pair := range c.antonymPairs() {
		i, f := pair[0], pair[1]
		if hn[i] || pn[f] {
			continue
		}
		why := fmt.Sprintf("opposite: the evidence says “%s”, the claim “%s”", c.a.p.words[f].raw, c.h.words[i].raw)
		if converses[c.h.words[i].stem] && (c.reordered() || compass(c.h.words[i].low) != "" && c.turnedAbout(i, f)) {
			return c.doubts("antonym", why) // "A lies north of B" says that B lies south of A
		}
		switch {
		case c.onlyDiffersAt(1, func(k int) bool { return k == i }):
			return c.contradicts("antonym", why)
		case negations[c.h.words[i].low] && c.a.coverage < 0.8:
			return c.doubts("antonym", why) // who always keeps it never parts with it
		}
		return c.refuses("antonym", why)
	}
	return nil
}

// converses say the same of two things named the other way round.
var converses = stemSet(`north south east west northern southern eastern western before after above below over under
	older younger elder bigger smaller taller shorter buy bought sell sold lend lent borrow borrowed give gave take
	took receive left right behind front inside outside husband wife father mother son daughter uncle aunt nephew niece
	master servant teacher pupil more less better worse earlier later faster slower upstream downstream win won lose
	lost`)

// reordered says whether the matched words stand in another order in the premise.
func (c *comparison) reordered() bool {
	last := -1
	for _, k := range c.a.to {
		if k < 0 {
			continue
		}
		if k < last {
			return true
		}
		last = k
	}
	return false
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
	if len(moved) != 2 || moved[1]-moved[0] < 2 {
		return nil
	}
	one, two := words[moved[0]], words[moved[1]]
	if c.onlyMoved(c.a.p, [2]int{one, two}, [2]int{c.a.to[one], c.a.to[two]}) {
		return nil
	}
	why := fmt.Sprintf("roles: “%s” and “%s” have changed places", c.h.words[one].raw, c.h.words[two].raw)
	if c.mayTurn(c.a.p, one, two) {
		return c.doubts("swap", why)
	}
	return c.contradicts("swap", why)
}

// mutual relations hold both ways.
var mutual = stemSet(`met meet married marry marries wed border borders adjoin adjoins resemble resembles equal
	equals joined joins friend friends brother brothers sister sisters cousin cousins neighbour neighbours neighbor
	neighbors sibling siblings twin twins wife husband near beside between alike same kin related fought together apart
	versus against opposite facing touches adjacent partner partners ally allies comrade comrades rival rivals namesake
	namesakes spoke speak talked talk share shared shares agree agreed agrees argued quarrelled played danced traded`)

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
	if len(c.h.hedged()) > 0 {
		return nil
	}
	ph := c.a.p.hedged()
	for i, k := range c.a.to {
		if k < 0 {
			continue
		}
		if w := ph[k]; w != "" {
			why := fmt.Sprintf("modality: the evidence says “%s %s”, the claim states it", w, c.a.p.words[k].raw)
			if unsure[strings.ToLower(w)] && c.a.coverage >= 0.75 {
				return c.refuses("modality", why)
			}
			return c.doubts("modality", why)
		}
		if w := c.a.p.conditional(k); w != "" && c.h.conditional(i) == "" {
			return c.doubts("condition", fmt.Sprintf("condition: the evidence says it under “%s”, the claim states it", w))
		}
	}
	return nil
}

// unsure words vouch for nothing; "may" and "could" also allow.
var unsure = text.Set(`might perhaps maybe possibly probably supposedly allegedly reportedly seemingly presumably`)

// quantifierRule finds "all" where the premise does not say so.
func quantifierRule(c *comparison) []finding {
	if c.a.matched < 1 {
		return nil
	}
	for i := range c.h.words {
		w := c.h.words[i].low
		if !universals[w] && !(w == "exception" && (c.h.at(i-1) == "without" || c.h.at(i-1) == "no")) || w == "all" &&
			idiomaticAll(c.h, i) || w == "nothing" && c.h.at(i+1) == "but" {
			continue
		}
		if f := c.universal(i, w); f != nil {
			return f
		}
	}
	return nil
}

func (c *comparison) universal(i int, w string) []finding {
	for k := range c.p.sentences {
		for _, x := range c.p.sentences[k].words {
			if universals[x.low] && x.low != "any" {
				return nil
			}
		}
	}
	for k := range c.a.p.words {
		v := c.a.p.words[k].low
		if negations[v] || hasNot(v) {
			return nil
		}
		if partials[v] && (w == "exception" || c.sameNoun(i, k)) {
			return c.refuses("quantifier", fmt.Sprintf("quantifier: the evidence says “%s”, the claim “%s”", v, w))
		}
	}
	if c.a.coverage < 0.6 {
		return nil
	}
	return c.doubts("quantifier", fmt.Sprintf("quantifier: the evidence does not say “%s”", w))
}

// sameNoun says whether the quantifiers at word i of the claim and word k of the
// premise speak of the same thing.
func (c *comparison) sameNoun(i, k int) bool {
	if c.h.denies() {
		return false
	}
	for x := i + 1; x < len(c.h.words) && x <= i+3; x++ {
		if c.a.to[x] > k && c.a.to[x] <= k+3 {
			return true
		}
	}
	return false
}

// idiomaticAll is "after all", "at all", "all right", "all day".
func idiomaticAll(s *sentence, i int) bool {
	switch s.at(i - 1) {
	case "after", "at", "above", "of":
		return true
	}
	for k := i + 1; k <= min(i+3, len(s.words)-1); k++ { // "all you like", "all the help you can get"
		if w := s.at(k); k > i+1 && s.words[k-1].gap != "" {
			break
		} else if pronouns[w] && (willing[s.at(k+1)] || s.at(k+1) == "can") {
			return true
		}
	}
	switch s.at(i + 1) {
	case "right", "day", "night", "but", "along", "about", "around", "over", "too":
		return true
	case "the":
		return s.at(i+2) == "way" || s.at(i+2) == "same"
	}
	return false
}

var (
	pronouns = text.Set(`you he she they i we`)
	willing  = text.Set(`like likes want wants please wish wishes care`)
)
