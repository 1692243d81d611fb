package entail

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// boundedRule finds a claim that is made of the evidence's own words and leaves out the
// word that bounds them: one of the leaders, the fake crown, all but Dorn, not in the morning, or
// so he says.
func boundedRule(c *comparison) []finding {
	if !c.inItsWords() {
		return nil
	}
	for _, bound := range []func(*comparison) string{shareDropped, rankBounded, falseDropped, exceptDropped, rateDropped,
		retracted, restrictionDropped, mustChanged} {
		if why := bound(c); why != "" {
			return c.refuses("bounds", why)
		}
	}
	return nil
}

// determinerOf is where the determiner of the noun at word i stands, up to four words before it.
func (s *sentence) determinerOf(i int) int {
	for k := i - 1; k >= max(0, i-4) && s.words[k].gap == ""; k-- {
		switch w := s.at(k); {
		case determiners[w] || strings.HasSuffix(w, "'s"):
			return k
		case prepositions[w] || beVerbs[w] || w == "and" || w == "or":
			return -1
		}
	}
	return -1
}

// shares says whether a sentence speaks of a part: "most of", and not "the most feared".
func (s *sentence) shares() bool {
	for i := range s.words {
		if w := s.at(i); partials[w] && !(w == "most" && (determiners[s.at(i-1)] || strings.HasSuffix(s.at(i-1), "'s"))) {
			return true
		}
	}
	return false
}

// shareDropped finds "the leader" where he is one of the leaders, and "the elves" where
// some of them.
func shareDropped(c *comparison) string {
	if c.h.shares() || c.h.has(shares) || c.h.denies() || c.a.p.denies() {
		return ""
	}
	for k := range c.a.p.words {
		w := c.a.p.at(k)
		of := k + 1
		shared := (w == "one" || partials[w] || isSmall(w) && w != "none") && c.a.p.at(of) == "of"
		if w == "among" && k > 0 && beOrRank[c.a.p.at(k-1)] || w == "belongs" && c.a.p.at(of) == "to" {
			shared = true
			if w == "among" {
				of = k
			}
		}
		if !shared {
			continue
		}
		for noun := of + 1; noun < min(of+7, len(c.a.p.words)); noun++ {
			if prepositions[c.a.p.at(noun)] || noun > of+1 && c.a.p.words[noun-1].gap != "" {
				break
			}
			if !strings.HasSuffix(c.a.p.at(noun), "s") && !strings.HasSuffix(c.a.p.at(noun), "men") ||
				strings.HasSuffix(c.a.p.at(noun), "'s") {
				continue
			}
			for i, to := range c.a.to {
				if d := c.h.determinerOf(i); to == noun && d >= 0 && c.h.at(d) != "a" && c.h.at(d) != "an" &&
					!prepositions[c.h.at(d-1)] && c.h.at(d-1) != "to" && (d+1 == i || c.a.to[d+1] < 0 || !c.again(c.a.to[d+1])) {
					return fmt.Sprintf("part: the evidence says “%s”, the claim “%s”", c.a.p.span(k, noun+1), c.h.span(d, i+1))
				}
			}
		}
		if c.a.p.at(of+1) == "the" && ends[c.a.p.at(of+2)] && c.h.names(stretch{0, len(c.h.words)}, c.a.p.words[of+2].stem) {
			return fmt.Sprintf("quantifier: the evidence says “%s”", c.a.p.span(k, of+3))
		}
	}
	return ""
}

// rankBounded finds "the richest man" where he is the richest after the duke.
func rankBounded(c *comparison) string {
	ranked := false
	for i := range c.h.words {
		ranked = ranked || c.h.rank(i) != ""
	}
	if !ranked {
		return ""
	}
	low, said := strings.ToLower(c.a.p.text), strings.ToLower(c.h.text)
	for _, b := range rankBounds {
		if strings.Contains(low, b) && !strings.Contains(said, strings.TrimSpace(b)) {
			return fmt.Sprintf("quantifier: the evidence says “%s”", strings.TrimSpace(b))
		}
	}
	if strings.Contains(low, " once ") && !strings.Contains(said, "once") && c.h.has(nows) {
		return "time: the evidence says “once”, the claim that it is so"
	}
	return ""
}

var rankBounds = []string{" but one", " but for ", "next to ", " second to ", "second only to", " after the ",
	"arguably", " so far", " save for ", " apart from ", "except "}

// falseDropped finds "the crown" where it is a fake, and a title that another bears.
func falseDropped(c *comparison) string {
	for i, k := range c.a.to {
		if k < 1 || text.IsStop(c.h.at(i)) {
			continue
		}
		if w := c.a.p.at(k - 1); belying[w] && c.a.p.words[k-1].gap == "" &&
			!c.h.names(stretch{0, len(c.h.words)}, c.a.p.words[k-1].stem) {
			return fmt.Sprintf("certainty: the evidence says “%s %s”", w, c.a.p.words[k].raw)
		}
		if w := c.a.p.at(k - 1); multiplying[w] || determiners[w] && multiplying[c.a.p.at(k-2)] {
			if !c.h.has(multiplying) && !c.h.has(text.Set("double triple two three")) {
				return "number: the evidence says it is so many times as much"
			}
		}
	}
	return ""
}

// exceptDropped finds what the evidence excepts.
func exceptDropped(c *comparison) string {
	if c.whole.has(exceptions) || c.whole.has(text.Set("but")) || c.h.denies() {
		return ""
	}
	for k := range c.a.p.words {
		w, next := c.a.p.at(k), k+1
		switch {
		case w == "instead" && c.a.p.at(k+1) == "of":
			next = k + 2
		case w == "except" && c.a.p.has(universals):
			if c.a.p.at(next) == "for" {
				next++
			}
		case w == "but" && k > 0 && c.a.p.words[k-1].gap == "" && c.a.p.has(universals) &&
			(determiners[c.a.p.at(k+1)] || c.a.p.upper(k+1) || c.a.p.at(k+1) == "one"):
		default:
			continue
		}
		for next < len(c.a.p.words) && determiners[c.a.p.at(next)] {
			next++
		}
		if c.aligned(next) || w != "instead" && c.h.has(universals) {
			return fmt.Sprintf("quantifier: the evidence says “%s %s”", w, c.a.p.span(k+1, next+1))
		}
	}
	return ""
}

// rateDropped finds "every day" where it is every third, "ten sailors" where one in ten, and one where it is
// one each.
func rateDropped(c *comparison) string {
	p := c.a.p
	for k := range p.words {
		switch w := p.at(k); {
		case w == "every" && (ordinals[p.at(k+1)] > 0 || p.at(k+1) == "other") &&
			!c.h.names(stretch{0, len(c.h.words)}, p.words[k+1].stem) && c.h.has(text.Set("every each daily")):
			return fmt.Sprintf("number: the evidence says “%s”", p.span(k, k+3))
		case p.at(k+1) == "in" && isNumberWord(w) && isNumberWord(p.at(k+2)) && c.aligned(k+2) && !c.aligned(k):
			return fmt.Sprintf("number: the evidence says “%s”", p.span(k, k+3))
		case w == "each" && k == len(p.words)-1 && !c.h.has(text.Set("each every apiece both")):
			return "number: the evidence says “each”"
		}
	}
	return ""
}

// retracted finds what the evidence takes back or does not vouch for: in the next sentence, behind it, or
// before it.
func retracted(c *comparison) string {
	if c.whole.reports() || c.h.denies() {
		return ""
	}
	for i := range c.p.sentences {
		if &c.p.sentences[i] == c.a.p && c.p.takenBack(i, i+1) {
			return "certainty: the evidence takes it back, or does not vouch for it"
		}
	}
	low := strings.ToLower(c.a.p.text)
	for _, r := range unvouched {
		if strings.Contains(low, r) {
			return fmt.Sprintf("certainty: the evidence says “%s”", strings.TrimSpace(r))
		}
	}
	if n := len(c.a.p.words); n > 3 &&
		(c.a.p.at(n-2) == "no" && c.a.p.at(n-1) == "more" || c.a.p.at(n-2) == "any" && c.a.p.at(n-1) == "more" &&
			c.a.p.denies() || c.a.p.at(n-1) == "not") {
		return fmt.Sprintf("negation: the evidence ends in “%s”", c.a.p.span(n-2, n))
	}
	if w := c.a.p.at(0); (w == "had" || w == "were" || w == "should") && !c.a.p.question && !c.h.has(wouldHave) &&
		!c.h.has(conditionals) {
		return fmt.Sprintf("condition: the evidence says it under “%s”", c.a.p.words[0].raw)
	}
	if !c.h.has(conditionals) {
		for i := range c.a.p.words {
			if w := c.a.p.at(i); i == 0 && (w == "if" || w == "unless") && !strings.HasPrefix(c.a.p.at(1), "you") &&
				c.a.p.fronts() && !c.takes(c.a.p.clauseOf(0)) {
				return fmt.Sprintf("condition: the evidence says it under “%s”", c.a.p.words[0].raw)
			}
		}
	}
	return ""
}

// fronts says whether a sentence begins with a clause that ends in a comma.
func (s *sentence) fronts() bool {
	c := s.clauseOf(0)
	return c.end < len(s.words) && s.words[c.end-1].gap == ","
}

var unvouched = []string{"legend has it", "rumour has it", "rumor has it", "word has it", "story has it", "tale has it",
	"the story goes", "or so he", "or so she", "or so they", "or so i am told", "so they say", "so he says", "so she says"}

// restrictionDropped finds "does not drink ale" where not in the morning.
func restrictionDropped(c *comparison) string {
	if !c.h.denies() || !c.a.p.denies() || c.h.has(text.Set("so")) {
		return ""
	}
	last := -1
	for _, k := range c.a.to {
		last = max(last, k)
	}
	denied := false
	for k := range c.a.p.words {
		w := c.a.p.at(k)
		if k <= last {
			denied = denied || negations[w] || hasNot(w)
			continue
		}
		if c.a.p.words[k-1].gap != "" {
			return ""
		}
		if denied && k == last+1 && restricting[w] && c.content(stretch{k + 1, c.a.p.clauseOf(k).end}) {
			return fmt.Sprintf("negation: the evidence denies it “%s” alone", c.a.p.span(k, c.a.p.clauseOf(k).end))
		}
	}
	return ""
}

// mustChanged finds "must" where one may or need not, and "returned" where he will.
func mustChanged(c *comparison) string {
	for i, k := range c.a.to {
		if k < 1 || text.IsStop(c.h.at(i)) {
			continue
		}
		had, has := c.a.p.modalBefore(k), c.h.modalBefore(i)
		switch {
		case (had == "may" || had == "can" || had == "need") && (has == "must" || has == "shall"):
			return fmt.Sprintf("modality: the evidence says “%s”, the claim “%s”", had, has)
		case (had == "will" || had == "shall") && has == "" && strings.HasSuffix(c.h.at(i), "ed") &&
			!strings.HasSuffix(c.a.p.at(k), "ed") && !beVerbs[c.h.at(i-1)]:
			return fmt.Sprintf("time: the evidence says “%s %s”", had, c.a.p.words[k].raw)
		}
	}
	return ""
}

// modalBefore is the modal verb of the verb at word i.
func (s *sentence) modalBefore(i int) string {
	for k := i - 1; k >= max(0, i-3) && s.words[k].gap == ""; k-- {
		switch w := s.at(k); {
		case modals[w]:
			return w
		case w != "not" && w != "never" && w != "be" && w != "have":
			return ""
		}
	}
	return ""
}

var (
	shares   = text.Set(`one two among belong belongs include includes included several part half`)
	beOrRank = text.Set(`is are was were be been ranks ranked rank counts counted`)
	ends     = text.Set(`first last`)
	belying  = text.Set(`fake false former acting mock sham counterfeit alleged supposed so-called would-be pretended
		self-styled imitation erstwhile onetime ex`)
	multiplying = text.Set(`twice thrice`)
	exceptions  = text.Set(`except instead save excepting excluding without`)
	restricting = text.Set(`in on at during before after until by to for with when while`)
	modals      = text.Set(`may can must shall need will should could might would`)
)
