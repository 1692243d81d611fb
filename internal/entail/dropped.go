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
	if c.a.coverage < 1 || c.a.matched < 2 || c.a.p.question {
		return nil
	}
	for _, dropped := range []func(*comparison) string{ownerDropped, otherDropped, habitDropped, planDropped, conditionDropped, onlyMoved, sideTaken} {
		if why := dropped(c); why != "" {
			return c.refuses("dropped", why)
		}
	}
	return nil
}

// ownerDropped finds "Yrsa hunts" where Yrsa's brother does.
func ownerDropped(c *comparison) string {
	for i, k := range c.a.to {
		if k < 0 || text.IsStop(c.h.at(i)) || strings.HasSuffix(c.h.at(i), "'s") || !strings.HasSuffix(c.a.p.at(k), "'s") || c.a.p.words[k].gap != "" {
			continue
		}
		owned := k + 1
		if text.IsStop(c.a.p.at(owned)) || strings.HasSuffix(c.a.p.at(owned), "ing") || c.aligned(owned) || c.a.p.plainly(c.h.words[i].stem) {
			continue
		}
		if i > 0 && prepositions[c.h.at(i-1)] || i > 1 && prepositions[c.h.at(i-2)] { // "in the house of Yrsa"
			continue
		}
		return fmt.Sprintf("roles: the evidence says it of “%s %s”, the claim of “%s”", c.a.p.words[k].raw, c.a.p.at(owned), c.h.words[i].raw)
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
		if either && c.aligned(o-1) != c.aligned(other) || c.aligned(o-1) != c.aligned(other) && named(other) && c.a.p.upper(o-1) {
			return fmt.Sprintf("certainty: the evidence says “%s or %s”, the claim one of them", c.a.p.words[o-1].raw, c.a.p.words[other].raw)
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
		if low != base && low != base+"s" && low != base+"es" || c.h.has(formerly) || c.h.has(wordSet("used")) || c.a.p.has(formerly) || i > 0 && (c.h.at(i-1) == "to" || c.h.at(i-1) == "did") {
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
		if k < 3 || text.IsStop(c.h.at(i)) || c.a.p.at(k-1) != "be" || c.a.p.at(k-2) != "to" || !beVerbs[c.a.p.at(k-3)] || c.a.p.words[k-3].gap != "" {
			continue
		}
		if i > 1 && c.h.at(i-1) == "be" && c.h.at(i-2) == "to" {
			continue
		}
		return fmt.Sprintf("modality: the evidence says “%s to be %s”, the claim that it is so", c.a.p.words[k-3].raw, c.a.p.words[k].raw)
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
		if w != "if" && w != "unless" || c.a.p.at(i-1) == "even" || c.a.p.at(i-1) == "as" || c.a.p.at(i-1) == "only" || strings.HasPrefix(c.a.p.at(i+1), "you") {
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
	moved := func(of *sentence, at int, in *sentence, only int) bool { // who alone stands first in one, and before "only" in the other
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

// sideTaken finds who spoke for it where he spoke against it.
func sideTaken(c *comparison) string {
	for i, k := range c.a.to {
		if k < 0 || !sided[c.h.words[i].stem] {
			continue
		}
		claimed, has := c.h.side(i), c.a.p.side(k)
		if claimed == "" || has == "" || claimed == has || c.a.p.has(wordSet(claimed)) {
			continue
		}
		return fmt.Sprintf("opposite: the evidence says “%s”, the claim “%s”", has, claimed)
	}
	return ""
}

// side is the first of "for" and "against" within two words of a verb that takes sides, unless it is for a time.
func (s *sentence) side(verb int) string {
	for i := verb + 1; i < min(verb+3, len(s.words)); i++ {
		if w := s.at(i); w == "against" || w == "for" && !durations[s.at(i+1)] && !durations[s.at(i+2)] {
			return w
		}
	}
	return ""
}

var (
	alternatives = wordSet(`or either whether`)
	leaves       = wordSet(`may can could might whichever any anyone if whether`)
	beVerbs      = wordSet(`is are was were am be been being it's he's she's they're`)
	formerly     = wordSet(`once formerly still longer ever never before`)
	planned      = wordSet(`will shall should must would meant supposed planned due intended going ordered promised`)
	conditionals = wordSet(`if unless should when provided otherwise else then`)
	wills        = wordSet(`will would shall won't wouldn't i'll he'll she'll it'll we'll they'll you'll`)
	sided        = stemSet(`vote voted votes speak spoke spoken speaks argue argued argues fight fought fights testify testified plead pleaded stand stood
		decide decided decides rule ruled rules swear swore campaign campaigned preach preached`)
	durations = wordSet(`years year days day hours hour weeks week months month long ever nights night winters summers minutes`)
)
