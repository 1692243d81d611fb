package entail

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// negationRule finds what one text denies and the other says.
func negationRule(c *comparison) []finding {
	if c.a.coverage < 0.6 || c.a.matched < 2 {
		return nil
	}
	hn, pn := c.h.negated(), c.a.p.negated()
	for i, k := range c.a.to {
		if k < 0 || hn[i] == pn[k] {
			continue
		}
		why := ""
		switch {
		case hn[i] && len(pn) == 0:
			why = fmt.Sprintf("negation: the claim denies “%s”, which the evidence says", c.h.words[i].raw)
		case pn[k] && len(hn) == 0:
			why = fmt.Sprintf("negation: the evidence denies “%s”, which the claim says", c.a.p.words[k].raw)
		default:
			continue
		}
		if c.a.coverage < 0.8 || len(c.antonymPairs()) > 0 || pn[k] && c.toldBeside(k, pn) || c.saysSoOtherwise(hn[i], i) ||
			hn[i] && (c.h.forbids() && c.a.p.has(warning) || c.deniedToo(hn)) {
			return c.doubts("negation", why)
		}
		if !c.onlyDiffersAt(2, func(k int) bool { return negations[c.h.words[k].low] }) {
			return c.refuses("negation", why)
		}
		return c.contradicts("negation", why)
	}
	return nil
}

// toldBeside says whether the evidence tells the rest of the claim in a clause of its own
// beside the one that it denies word k in: "don't trust Bram; he is a thief", "it tastes stale,
// but it is not the worst beer". Who is himself denied is not: "it was not Bram, Osric did it".
func (c *comparison) toldBeside(k int, denied map[int]bool) bool {
	if w := c.a.p.at(k - 1); negations[w] || hasNot(w) || determiners[w] {
		return false
	}
	in, told, others := c.a.p.clauseOf(k), stretch{}, 0
	for _, at := range c.a.to {
		if at < 0 || at == k {
			continue
		}
		clause := c.a.p.clauseOf(at)
		if denied[at] || clause == in || others > 0 && clause != told {
			return false
		}
		told, others = clause, others+1
	}
	if others == 0 {
		return false
	}
	later := max(told.start, in.start)
	if w := c.a.p.at(later); w == "but" || w == "and" {
		later++
	}
	subject := c.a.p.startsClause(later) || isContracted[strings.TrimSuffix(c.a.p.at(later), "'s")]
	return (told.start > in.start || others > 1) && subject
}

// forbids says whether a sentence is an order not to do something: a warning of
// what it leads to says as much.
func (s *sentence) forbids() bool {
	switch s.at(0) {
	case "don't", "never":
		return true
	case "do":
		return s.at(1) == "not"
	}
	return false
}

// deniedToo says whether any sentence of the premise denies a word that the claim
// denies.
func (c *comparison) deniedToo(denied map[int]bool) bool {
	for i := range c.p.sentences {
		for k := range c.p.sentences[i].negated() {
			for w := range denied {
				if c.p.sentences[i].words[k].stem == c.h.words[w].stem {
					return true
				}
			}
		}
	}
	return false
}

// limits says whether a negation of the sentence may bound rather than deny: "not
// only", "no more than", "nothing but", "not until".
func (s *sentence) limits() bool {
	for i := range s.words {
		if !limiting[s.words[i].low] {
			continue
		}
		for k := max(0, i-8); k < i; k++ {
			if w := s.words[k].low; negations[w] || hasNot(w) {
				return true
			}
		}
	}
	return false
}

var limiting = text.Set(`only just merely simply but until till unless before except more less further longer other
	else than without if why how what where who whether rather instead know`)

// saysSoOtherwise says whether a negation that only one of the texts has may be in
// the other in other words: as a limit, a comparison, a lack, the other branch of a
// condition, or a negation whose words are left out. i is a word of the claim that
// the negation reaches, in the claim or where the evidence has it.
func (c *comparison) saysSoOtherwise(claim bool, i int) bool {
	denies, affirms := c.h, c.a.p
	if !claim {
		denies, affirms = affirms, denies
	}
	switch {
	case c.h.limits(), c.a.p.limits():
		return true
	case denies.has(nobodies) && denies.compares() && affirms.compares(): // "none as good as it", "better than any"
		return true
	case denies.has(nobodies) && affirms.has(solitary): // "nobody with him", "alone"
		return true
	case affirms.has(lacking) && !lacking[c.h.words[i].low], affirms.denies(): // "a lack of it", "and his boy did not"
		return true
	}
	return claim && c.h.conditional(i) != "" && affirms.has(branches) // "if you don't pay", "pay or leave"
}

var (
	nobodies = text.Set(`no nobody none no-one nothing without`)
	solitary = text.Set(`alone lone lonely solitary solo unaccompanied`)
	lacking  = text.Set(`lack lacks lacked lacking absence absent refuse refuses refused refusing reluctant reluctantly
		unwilling unable fail fails failed failing failure skip skips skipped prevent prevents prevented forbid forbids
		forbade forbidden avoid avoids avoided impossible`)
	warning  = text.Set(`will would may might could can`)
	branches = text.Set(`or before unless until else otherwise`)
)

func (s *sentence) has(set map[string]bool) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return set[w.low] })
}

// compares says whether a sentence measures one thing by another: "better than",
// "as well as".
func (s *sentence) compares() bool {
	as := -1
	for i := range s.words {
		switch s.words[i].low {
		case "than":
			return true
		case "as":
			if as >= 0 && i-as <= 4 {
				return true
			}
			as = i
		}
	}
	return false
}
