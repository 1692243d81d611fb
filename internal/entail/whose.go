package entail

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// whoseRule finds a claim that is made of the evidence's own words and says it of
// somebody else: of Bram where it is of his cousin, of Aldo with Bram's number, of the giver where it is the taker.
func whoseRule(c *comparison) []finding {
	if !c.inItsWords() {
		return nil
	}
	for _, whose := range []func(*comparison) string{partOfDropped, verbOf, numberOfOther, giverTurned} {
		if why := whose(c); why != "" {
			return c.refuses("swap", why)
		}
	}
	return nil
}

// partOfDropped finds "Bram lives" where his cousin or a man like him does: what stands behind
// "of" or "like" in the evidence is the subject of the claim.
func partOfDropped(c *comparison) string {
	first := -1
	for i := range c.h.words {
		if !text.IsStop(c.h.at(i)) {
			first = i
			break
		}
		if !determiners[c.h.at(i)] {
			return ""
		}
	}
	if first < 0 || c.a.to[first] < 2 {
		return ""
	}
	k := c.a.to[first]
	for k > 0 && (determiners[c.a.p.at(k-1)]) {
		k--
	}
	w := c.a.p.at(k - 1)
	if w != "of" && w != "like" || k < 2 || text.IsStop(c.a.p.at(k-2)) || c.aligned(k-2) ||
		!bearing[c.a.p.words[k-2].stem] && w == "of" || prepositions[c.a.p.at(k-4)] {
		return ""
	}
	if w == "of" && c.a.p.subject(c.a.p.clauseOf(k)) != k-2 {
		return ""
	}
	return fmt.Sprintf("roles: the evidence says it of “%s”", c.a.p.span(k-2, c.a.to[first]+1))
}

// verbOf finds "Osric is the smith" where he serves the smith.
func verbOf(c *comparison) string {
	be := -1
	for i := range c.h.words {
		if beVerbs[c.h.at(i)] {
			be = i
			break
		}
	}
	if be < 1 || c.h.at(be+1) != "the" || c.h.denies() || c.a.p.has(text.Set("as")) {
		return ""
	}
	subject, named := c.a.to[be-1], -1
	for i := be + 2; i < len(c.h.words) && named < 0; i++ {
		if !text.IsStop(c.h.at(i)) {
			named = c.a.to[i]
		}
	}
	if subject < 0 || named <= subject+1 || text.IsStop(c.h.at(be-1)) {
		return ""
	}
	verb := -1
	for k := subject + 1; k < named; k++ {
		w := c.a.p.at(k)
		if c.a.p.words[k-1].gap != "" || becoming[c.a.p.words[k].stem] || w == "who" || w == "and" {
			return ""
		}
		if w == "the" && verb < 0 {
			return ""
		}
		if beVerbs[w] && c.a.p.at(k+1) != "second" && !strings.HasSuffix(c.a.p.at(k+1), "ed") &&
			!strings.HasSuffix(c.a.p.at(k+1), "ht") {
			return ""
		}
		if !text.IsStop(w) && !c.aligned(k) && !strings.HasSuffix(w, "ly") && verb < 0 {
			verb = k
		}
	}
	if verb < 0 {
		return ""
	}
	return fmt.Sprintf("roles: the evidence says “%s”, the claim that it is one and the same",
		c.a.p.span(subject, named+1))
}

// numberOfOther finds Aldo with the number that the evidence gives Bram.
func numberOfOther(c *comparison) string {
	if c.h.names(stretch{0, len(c.h.words)}, "and") {
		return ""
	}
	type held struct {
		name, number int
		same         bool
	}
	var parts []held
	at := held{-1, -1, true}
	for k := range c.a.p.words {
		w := c.a.p.at(k)
		switch {
		case startsDigit(w) || isSmall(w) && w != "one":
			at.same = at.same && at.number < 0
			at.number = k
		case c.a.p.upper(k) && !text.IsStop(w) && c.participant(c.a.p, []int{k}):
			if at.name >= 0 {
				at.same = false
			}
			at.name = k
		}
		if c.a.p.words[k].gap != "" || c.a.p.at(k+1) == "and" || c.a.p.at(k+1) == "but" || k == len(c.a.p.words)-1 {
			if at.name >= 0 && at.number >= 0 && at.same {
				parts = append(parts, at)
			}
			at = held{-1, -1, true}
		}
	}
	for _, a := range parts {
		for _, b := range parts {
			if a != b && c.aligned(a.name) && !c.aligned(b.name) && c.aligned(b.number) && !c.aligned(a.number) {
				return fmt.Sprintf("roles: the evidence says “%s” of “%s”", c.a.p.words[b.number].raw,
					c.a.p.words[b.name].raw)
			}
		}
	}
	return ""
}

// giverTurned finds "Bram gave" where he was given.
func giverTurned(c *comparison) string {
	for k := range c.a.p.words {
		if k < 2 || !given[c.a.p.at(k)] || !beVerbs[c.a.p.at(k-1)] {
			continue
		}
		for i := 1; i < len(c.h.words); i++ {
			if c.h.words[i].stem != c.a.p.words[k].stem && !(gave[c.h.at(i)]) || beVerbs[c.h.at(i-1)] || c.h.at(i-1) == "to" {
				continue
			}
			if to := c.a.to[i-1]; to >= 0 && to == k-2 && !text.IsStop(c.h.at(i-1)) {
				return fmt.Sprintf("roles: the evidence says “%s”", c.a.p.span(k-2, k+1))
			}
		}
	}
	return ""
}

var (
	bearing = stemSet(`cousin brother sister son daughter father mother wife husband uncle aunt nephew niece friend
		servant widow heir enemy rival master apprentice pupil man men woman child children keeper owner neighbour
		neighbor`)
	becoming = stemSet(`become became remain remained stay stayed seem seemed make made name named call called elect
		elected appoint appointed choose chose chosen crown crowned prove proved turn turned`)
	given = text.Set(`given paid sold lent shown handed sent told offered granted`)
	gave  = text.Set(`gave paid sold lent showed handed sent told offered granted`)
)
