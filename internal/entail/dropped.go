package entail

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// droppedRule finds a claim that is made of the evidence's own words and leaves out
// the one that they hang on: whose brother hunts, that it was the one or the other, that it
// used to be so, that it was to be, on what condition, and who alone.
func droppedRule(c *comparison) []finding {
	if !c.inItsWords() {
		return nil
	}
	for _, dropped := range []func(*comparison) string{ownerDropped, otherDropped, habitDropped, planDropped,
		conditionDropped, onlyMoved, almostDropped, attemptDropped, unrealDropped, untilDropped, partDropped} {
		if why := dropped(c); why != "" {
			return c.refuses("dropped", why)
		}
	}
	return nil
}

// inItsWords says whether a claim is made of the words of one sentence of the evidence, and of
// one alone: what another one tells in the same words might be it.
func (c *comparison) inItsWords() bool {
	if c.a.coverage < 1 || c.a.matched < 2 {
		return false
	}
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		if s.start != c.a.p.start && !s.question && align(c.h, s).coverage == 1 {
			return false
		}
	}
	return true
}

// ownerDropped finds "Yrsa hunts" where Yrsa's brother does.
func ownerDropped(c *comparison) string {
	for i, k := range c.a.to {
		if k < 0 || text.IsStop(c.h.at(i)) || strings.HasSuffix(c.h.at(i), "'s") || !strings.HasSuffix(c.a.p.at(k), "'s") ||
			c.a.p.words[k].gap != "" {
			continue
		}
		owned := k + 1
		if text.IsStop(c.a.p.at(owned)) || strings.HasSuffix(c.a.p.at(owned), "ing") || c.aligned(owned) ||
			c.a.p.plainly(c.h.words[i].stem) {
			continue
		}
		if i > 0 && prepositions[c.h.at(i-1)] || i > 1 && prepositions[c.h.at(i-2)] { // "in the house of Yrsa"
			continue
		}
		return fmt.Sprintf("roles: the evidence says it of “%s %s”, the claim of “%s”", c.a.p.words[k].raw,
			c.a.p.at(owned), c.h.words[i].raw)
	}
	return ""
}

// aligned says whether a word of the evidence stands in the claim.
func (c *comparison) aligned(k int) bool {
	for _, to := range c.a.to {
		if to == k {
			return true
		}
	}
	return false
}

// plainly says whether a stem stands in a sentence as no owner's.
func (s *sentence) plainly(stem string) bool {
	for i := range s.words {
		if w := &s.words[i]; w.stem == stem && !strings.HasSuffix(w.low, "'s") {
			return true
		}
	}
	return false
}

// otherDropped finds the one of two of whom the evidence says "the one or the other". Leave for
// either is leave for each.
func otherDropped(c *comparison) string {
	if c.h.has(alternatives) || c.a.p.has(leaves) || c.a.p.denies() || len(c.h.hedged()) > 0 {
		return ""
	}
	for o := range c.a.p.words {
		if c.a.p.at(o) != "or" || o == 0 {
			continue
		}
		other := o + 1
		for other < len(c.a.p.words)-1 && text.IsStop(c.a.p.at(other)) {
			other++
		}
		if other >= len(c.a.p.words) {
			return ""
		}
		either := false
		for i := range o {
			either = either || c.a.p.at(i) == "either"
		}
		named := func(k int) bool { return c.a.p.upper(k) && c.participant(c.a.p, []int{k}) || c.known[c.a.p.at(k)] }
		if either && c.aligned(o-1) != c.aligned(other) || c.aligned(o-1) != c.aligned(other) && named(other) &&
			c.a.p.upper(o-1) {
			return fmt.Sprintf("certainty: the evidence says “%s or %s”, the claim one of them", c.a.p.words[o-1].raw,
				c.a.p.words[other].raw)
		}
	}
	return ""
}

// habitDropped finds "the key hangs" where it used to hang.
func habitDropped(c *comparison) string {
	for i, k := range c.a.to {
		if k < 2 || text.IsStop(c.h.at(i)) || c.a.p.at(k-1) != "to" || c.a.p.at(k-2) != "used" || beVerbs[c.a.p.at(k-3)] {
			continue
		}
		base, low := c.a.p.at(k), c.h.at(i)
		if low != base && low != base+"s" && low != base+"es" || c.h.has(formerly) || c.h.has(text.Set("used")) ||
			c.a.p.has(formerly) || i > 0 && (c.h.at(i-1) == "to" || c.h.at(i-1) == "did") {
			continue
		}
		return fmt.Sprintf("time: the evidence says “used to %s”, the claim that it is so", c.a.p.words[k].raw)
	}
	return ""
}

// planDropped finds "the bridge was mended" where it was to be.
func planDropped(c *comparison) string {
	if c.h.has(planned) || len(c.h.hedged()) > 0 {
		return ""
	}
	for i, k := range c.a.to {
		if k < 3 || text.IsStop(c.h.at(i)) || c.a.p.at(k-1) != "be" || c.a.p.at(k-2) != "to" || !beVerbs[c.a.p.at(k-3)] ||
			c.a.p.words[k-3].gap != "" {
			continue
		}
		if i > 1 && c.h.at(i-1) == "be" && c.h.at(i-2) == "to" {
			continue
		}
		return fmt.Sprintf("modality: the evidence says “%s to be %s”, the claim that it is so", c.a.p.words[k-3].raw,
			c.a.p.words[k].raw)
	}
	return ""
}

// conditionDropped finds what would be under a condition, claimed without it. "If you
// are hungry" is no condition of what is sold.
func conditionDropped(c *comparison) string {
	if c.h.has(conditionals) || !c.h.has(wills) {
		return ""
	}
	for i := range c.a.p.words {
		w := c.a.p.at(i)
		if w != "if" && w != "unless" || c.a.p.at(i-1) == "even" || c.a.p.at(i-1) == "as" || c.a.p.at(i-1) == "only" ||
			strings.HasPrefix(c.a.p.at(i+1), "you") {
			continue
		}
		end := i + 1
		for end < len(c.a.p.words) && c.a.p.words[end-1].gap == "" {
			end++
		}
		kept, content := false, false
		for k := i + 1; k < end; k++ {
			content = content || !text.IsStop(c.a.p.at(k))
			kept = kept || c.aligned(k) && !text.IsStop(c.a.p.at(k))
		}
		if content && !kept {
			return fmt.Sprintf("condition: the evidence says it under “%s”, the claim states it", w)
		}
	}
	return ""
}

// onlyMoved finds "he may only open it" where only he may open it, and the other way round.
func onlyMoved(c *comparison) string {
	p, h := c.a.p.onlyAt(), c.h.onlyAt()
	if p < 0 || h < 0 {
		return ""
	}
	// who alone stands first in one, and before "only" in the other
	moved := func(of *sentence, at int, in *sentence, only int) bool {
		subject := at + 1
		for subject < len(of.words) && text.IsStop(of.at(subject)) {
			subject++
		}
		if at != 0 || subject >= len(of.words) {
			return false
		}
		for i := range only {
			if in.words[i].stem == of.words[subject].stem {
				return in.at(only-1) != "by" && in.at(only+1) != "by"
			}
		}
		return false
	}
	if moved(c.a.p, p, c.h, h) || moved(c.h, h, c.a.p, p) {
		return "quantifier: “only” stands elsewhere in the evidence, and says another thing"
	}
	return ""
}

// onlyAt is where the one "only" of a sentence stands; -1: there is none, or more.
func (s *sentence) onlyAt() int {
	at := -1
	for i := range s.words {
		if s.at(i) == "only" {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// almostDropped finds "caught" where he almost caught.
func almostDropped(c *comparison) string {
	if c.h.has(nearlies) || c.h.denies() {
		return ""
	}
	for i, k := range c.a.to {
		if k < 1 || text.IsStop(c.h.at(i)) || !nearlies[c.a.p.at(k-1)] || c.a.p.words[k-1].gap != "" ||
			isNumberWord(c.a.p.at(k)) || universals[c.a.p.at(k)] {
			continue
		}
		return fmt.Sprintf("certainty: the evidence says “%s %s”, the claim states it", c.a.p.words[k-1].raw,
			c.a.p.words[k].raw)
	}
	return ""
}

// attemptDropped finds what was tried, wanted or pretended, and claimed to be so.
func attemptDropped(c *comparison) string {
	for v := range c.a.p.words {
		if !attempts[c.a.p.at(v)] || c.aligned(v) || c.h.names(stretch{0, len(c.h.words)}, c.a.p.words[v].stem) {
			continue
		}
		next := v + 1
		if c.a.p.at(next) != "to" {
			if wanting[c.a.p.at(v)] && c.h.has(getting) && !c.a.p.has(getting) {
				return fmt.Sprintf("certainty: the evidence says “%s”, the claim that it was so", c.a.p.words[v].raw)
			}
			continue
		}
		// "to be a"
		for next++; next < len(c.a.p.words) && text.IsStop(c.a.p.at(next)) && c.a.p.words[next-1].gap == ""; next++ {
		}
		if next >= len(c.a.p.words) || c.a.p.words[next-1].gap != "" || !c.aligned(next) || c.h.infinitive(c.a.to, next) ||
			c.again(next) || c.h.denies() || len(c.h.hedged()) > 0 {
			continue
		}
		return fmt.Sprintf("certainty: the evidence says “%s to”, the claim that it was so", c.a.p.words[v].raw)
	}
	return ""
}

// again says whether a word of the evidence's sentence stands in the passage once more.
func (c *comparison) again(k int) bool {
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		for n := range s.words {
			if s.words[n].stem == c.a.p.words[k].stem && s.words[n].start != c.a.p.words[k].start {
				return true
			}
		}
	}
	return false
}

// infinitive says whether the word of a claim that is aligned with k stands behind "to".
func (s *sentence) infinitive(to []int, k int) bool {
	for i := range to {
		if to[i] == k {
			return s.at(i-1) == "to"
		}
	}
	return false
}

// unrealDropped finds "came" where she would have come.
func unrealDropped(c *comparison) string {
	if len(c.h.hedged()) > 0 || c.h.has(wouldHave) || c.h.denies() {
		return ""
	}
	for i, k := range c.a.to {
		if k < 2 || text.IsStop(c.h.at(i)) || c.a.p.at(k-1) != "have" || !wouldHave[c.a.p.at(k-2)] {
			continue
		}
		return fmt.Sprintf("modality: the evidence says “%s have %s”, the claim that it was so", c.a.p.words[k-2].raw,
			c.a.p.words[k].raw)
	}
	return ""
}

// untilDropped finds "the toll is two pennies" where it was until the flood.
func untilDropped(c *comparison) string {
	if !c.h.has(nows) || c.h.has(thens) {
		return ""
	}
	was := -1
	for i := range c.a.p.words {
		switch w := c.a.p.at(i); {
		case thens[w] && w != "until" && w != "till":
			was = i
		case (w == "until" || w == "till") && was >= 0:
			for k := was + 1; k < i; k++ {
				if c.aligned(k) && !text.IsStop(c.a.p.at(k)) {
					return fmt.Sprintf("time: the evidence says “%s … %s”, the claim that it is so", c.a.p.words[was].raw,
						c.a.p.words[i].raw)
				}
			}
		}
	}
	return ""
}

// partDropped finds twelve of whom it was nine of the twelve.
func partDropped(c *comparison) string {
	for k := range c.a.p.words {
		if !isNumberWord(c.a.p.at(k)) && !startsDigit(c.a.p.at(k)) || c.a.p.at(k+1) != "of" || c.a.p.at(k+2) != "the" &&
			personOf[c.a.p.at(k+2)] == "" {
			continue
		}
		if whole := k + 3; (isNumberWord(c.a.p.at(whole)) || startsDigit(c.a.p.at(whole))) && c.aligned(whole) &&
			!c.aligned(k) {
			return fmt.Sprintf("quantifier: the evidence says “%s of the %s”", c.a.p.words[k].raw, c.a.p.words[whole].raw)
		}
	}
	return ""
}

var (
	nearlies = text.Set(`almost nearly`)
	attempts = text.Set(`pretended pretends pretend feigned tried tries try attempted attempts attempt failed fails
		refused refuses declined forgot hoped hopes wanted wants want wished wishes planned plans intended intends meant
		threatened threatens offered offers longed longs`)
	wanting      = text.Set(`wanted wants want wished wishes hoped hopes sought seeks asked`)
	getting      = text.Set(`got get gets received receives gained had obtained earned won`)
	wouldHave    = text.Set(`would could should might i'd he'd she'd they'd we'd you'd`)
	nows         = text.Set(`is are it's costs has`)
	thens        = text.Set(`was were had until till used`)
	alternatives = text.Set(`or either whether`)
	leaves       = text.Set(`may can could might whichever any anyone if whether`)
	beVerbs      = text.Set(`is are was were am be been being it's he's she's they're`)
	formerly     = text.Set(`once formerly still longer ever never before`)
	planned      = text.Set(`will shall should must would meant supposed planned due intended going ordered promised`)
	conditionals = text.Set(`if unless should when provided otherwise else then`)
	wills        = text.Set(`will would shall won't wouldn't i'll he'll she'll it'll we'll they'll you'll`)
)
