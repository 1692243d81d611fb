package entail

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// rankedRule finds "the greatest" where the evidence says "one of the greatest", and says
// "the greatest" of nothing that it could be.
func rankedRule(c *comparison) []finding {
	for i := range c.h.words {
		rank := c.h.rank(i)
		if rank == "" || c.h.loosely(i) {
			continue
		}
		if _, shared := c.h.oneOf(i); shared {
			continue
		}
		if of, shared := c.onlyOneOf(i, rank); of != nil {
			f := c.refuses("quantifier", fmt.Sprintf("quantifier: the evidence says “%s”, the claim “%s”", shared,
				c.h.phrase(max(0, i-1), i+len(strings.Fields(rank)))))
			f[0].span = of.text
			return f
		}
	}
	return nil
}

// onlyOneOf is the sentence of the evidence that gives the rank at word i of the claim to one
// of several, and the words that do, where none gives it outright to what the claim may mean.
func (c *comparison) onlyOneOf(i int, rank string) (of *sentence, shared string) {
	for k := range c.p.sentences {
		s := &c.p.sentences[k]
		if s.question {
			continue
		}
		for x := range s.words {
			if s.rank(x) != rank {
				continue
			}
			if from, is := s.oneOf(x); is {
				of, shared = s, s.phrase(from, x+len(strings.Fields(rank)))
			} else if c.mayMean(i, s, x, rank) {
				return nil, ""
			}
		}
	}
	return of, shared
}

// mayMean says whether what a sentence ranks at word x may be what the claim ranks at word i: the
// same kind of thing, or one of which only a name is said, and nobody whom the claim does not name.
func (c *comparison) mayMean(i int, s *sentence, x int, rank string) bool {
	n := len(strings.Fields(rank))
	if i+n < len(c.h.words) && x+n < len(s.words) && c.h.words[i+n-1].gap == "" && s.words[x+n-1].gap == "" {
		mine, other := c.h.words[i+n], s.words[x+n]
		if !text.IsStop(mine.low) && !text.IsStop(other.low) && mine.stem != other.stem && !c.h.isName(i+n) &&
			!s.isName(x+n) {
			return false
		}
	}
	named := false
	for k := range s.words {
		if !s.isName(k) || prepositions[s.at(k-1)] { // "in Cor" says where
			continue
		}
		if c.h.holds(s.words[k].low) {
			return true
		}
		named = true
	}
	return !named
}

// isName says whether a word is written as a name, within its sentence or at its front.
func (s *sentence) isName(k int) bool {
	w := s.words[k]
	return w.upper && (!w.first || !text.IsStop(w.low)) && s.rank(k) == ""
}

// holds says whether a sentence has a word, but for its "'s".
func (s *sentence) holds(low string) bool {
	low = strings.TrimSuffix(low, "'s")
	return slices.ContainsFunc(s.words, func(w word) bool { return strings.TrimSuffix(w.low, "'s") == low })
}

// oneOf says whether the superlative at word i is shared, and from which word on it says
// so: "one of the three oldest", "among his finest". "Among smiths Osric is the greatest" is not.
func (s *sentence) oneOf(i int) (from int, shared bool) {
	k := i - 1
	for k >= 0 && k >= i-4 && (determiners[s.at(k)] || s.counts(k)) {
		k--
	}
	switch s.at(k) {
	case "among", "amongst":
		return k, true
	case "of":
		if w := s.at(k - 1); w == "one" || w == "lot" || partials[w] || s.counts(k-1) {
			return k - 1, true
		}
	}
	return 0, false
}

// counts says whether a number stands at word k.
func (s *sentence) counts(k int) bool {
	_, _, digit := digits(s.at(k))
	_, spelled := s.spelled(max(k, 0))
	return k >= 0 && (digit || spelled > 0)
}

// loosely says whether the superlative at word i ranks a kind, or what is one of several
// by other words: "of the oldest kind", "ranks with the best", "the oldest smiths include Osric".
func (s *sentence) loosely(i int) bool {
	for k := i + 1; k < min(len(s.words), i+4); k++ {
		switch s.at(k) {
		case "kind", "sort", "include", "includes", "included":
			return true
		}
	}
	k := i - 1
	for k > 0 && determiners[s.at(k)] {
		k--
	}
	return s.at(k) == "with"
}

// rank is the superlative at word i, or "": "oldest", or "most skilled" behind "the".
func (s *sentence) rank(i int) string {
	switch w := s.at(i); {
	case w == "most" && determiners[s.at(i-1)] || w == "most" && (s.counts(i-1) || prepositions[s.at(i-1)]):
		if next := s.at(i + 1); next != "" && !text.IsStop(next) && s.words[i].gap == "" {
			return w + " " + next
		}
	case superlative(w):
		return w
	}
	return ""
}

// ranks says whether a place in a row is named at word i: "the last", "the third", "the youngest".
func (s *sentence) ranks(i int) bool {
	switch s.at(i) {
	case "last", "first", "final", "none":
		return true
	}
	return superlative(s.at(i)) || s.counts(i) || ordinals[s.at(i)] > 0
}

// phrase is the words of a stretch as they are written.
func (s *sentence) phrase(from, to int) string {
	var out []string
	for _, w := range s.words[from:min(to, len(s.words))] {
		out = append(out, w.raw)
	}
	return strings.ToLower(strings.Join(out, " "))
}

// superlative says whether a word is one, by its ending.
func superlative(w string) bool {
	switch w {
	case "best", "worst":
		return true
	}
	return len(w) > 5 && strings.HasSuffix(w, "est") && !notSuperlatives[w]
}

var notSuperlatives = text.Set(`forest interest harvest honest request conquest modest protest arrest tempest contest
	manifest earnest suggest digest inquest dishonest priest invest infest molest ingest attest detest armrest headrest
	bequest everest breast midwest northwest southwest behest incest unrest divest footrest backrest ernest palimpsest
	reinvest retest pretest`)
