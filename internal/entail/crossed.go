package entail

import (
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// crossedRule finds what is said of one where the premise says it of another beside
// him: "Odo may taste" where Odo may stir and Lupin may taste. The claim's subject
// begins one clause of the premise's sentence, and all else stands in the other, which
// has a subject of its own.
func crossedRule(c *comparison) []finding {
	if c.a.coverage < 1 || c.a.matched < 3 || passive(c.h) != passive(c.a.p) || c.h.undergoes() != c.a.p.undergoes() {
		return nil
	}
	var at, order []int
	for i, k := range c.a.to {
		if k >= 0 && !text.IsStop(c.h.words[i].low) {
			at, order = append(at, i), append(order, k)
		}
	}
	mine, other := c.a.p.clauseOf(order[0]), c.a.p.clauseOf(order[len(order)-1])
	rest := c.a.p.within(other, order[1:])
	switch {
	case mine == other || !c.a.p.beside(mine, other):
		return nil
	case !slices.IsSorted(rest) || rest[0] < other.start || rest[len(rest)-1] >= other.end:
		return nil
	case c.a.p.subject(mine) != order[0] || !c.participant(c.h, at[:1]):
		return nil
	}
	own := c.a.p.subject(other)
	if own < 0 || own >= rest[0] || !c.participant(c.a.p, []int{own}) || c.a.p.names(other, c.h.words[at[0]].stem) {
		return nil
	}
	return c.refuses("swap", fmt.Sprintf("roles: the evidence says it of “%s”, the claim of “%s”",
		c.a.p.words[own].raw, c.h.words[at[0]].raw))
}

// within puts words that stand in a clause too where they stand in it: both may have forged.
func (s *sentence) within(c stretch, order []int) []int {
	out := slices.Clone(order)
	for n, k := range out {
		if k >= c.start && k < c.end {
			continue
		}
		for i := c.start; i < c.end; i++ {
			if s.words[i].stem == s.words[k].stem {
				out[n] = i
			}
		}
	}
	return out
}

// stretch is the words of a sentence from start up to end.
type stretch struct{ start, end int }

// clauseOf is what stands between two marks around word k.
func (s *sentence) clauseOf(k int) stretch {
	c := stretch{k, k + 1}
	for c.start > 0 && s.words[c.start-1].gap == "" {
		c.start--
	}
	for c.end < len(s.words) && s.words[c.end-1].gap == "" {
		c.end++
	}
	return c
}

// beside says whether two clauses stand as equals: after a semicolon, after "but", or
// with a name in front; what follows a comma else may tell more of the one before it.
func (s *sentence) beside(a, b stretch) bool {
	later := max(a.start, b.start)
	w := s.words[later]
	return s.words[later-1].gap == ";" || w.low == "and" || w.low == "but" || w.low == "while" || w.low == "whereas" ||
		w.upper && w.low != "i"
}

// names says whether a clause holds a stem.
func (s *sentence) names(c stretch, stem string) bool {
	return slices.ContainsFunc(s.words[c.start:c.end], func(w word) bool { return w.stem == stem })
}

// subject is the first word of content in a clause, if no pronoun, no preposition and
// no condition stands before it.
func (s *sentence) subject(c stretch) int {
	for i := c.start; i < c.end; i++ {
		w := s.words[i].low
		if conditions[w] || prepositions[w] || personOf[w] != "" && !determiners[w] {
			return -1
		}
		if !text.IsStop(w) {
			return i
		}
	}
	return -1
}
