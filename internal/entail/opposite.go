package entail

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// negationRule finds what one text denies and the other says, where the claim is made of the
// evidence's words. It is exact where nothing else differs.
func negationRule(c *comparison) []finding {
	if c.a.coverage < 0.6 || c.a.matched < 2 {
		return nil
	}
	claim, premise := c.h.negated(), c.a.p.negated()
	if (len(claim) > 0) == (len(premise) > 0) {
		return nil
	}
	for i, k := range c.a.to {
		if k < 0 || claim[i] == premise[k] {
			continue
		}
		why := fmt.Sprintf("negation: the evidence denies “%s”, which the claim says", c.a.p.words[k].raw)
		if claim[i] {
			why = fmt.Sprintf("negation: the claim denies “%s”, which the evidence says", c.h.words[i].raw)
		}
		exact := c.onlyDiffersAt(2, func(k int) bool { return negations[c.h.words[k].low] }) && !c.h.has(limiting) && !c.a.p.has(limiting) && c.oneClause()
		if !exact && c.a.coverage < 0.8 {
			return nil
		}
		return c.differs("negation", exact, why)
	}
	return nil
}

// oneClause says whether all that the claim says stands in one clause of the premise.
func (c *comparison) oneClause() bool {
	from, to := -1, -1
	for _, k := range c.a.to {
		if k >= 0 && (from < 0 || k < from) {
			from = k
		}
		to = max(to, k)
	}
	for k := max(from, 0); k < to; k++ {
		if c.a.p.words[k].gap != "" && c.a.p.words[k].gap != "-" || clauseBreak[c.a.p.at(k)] {
			return false
		}
	}
	return true
}

// limiting words make a negation a bound: "not until", "no more than", "nothing but".
var limiting = wordSet(`only just merely simply but until till unless before except more less further longer other else than without if why how what
	where who whether rather instead know`)

// oppositeRule finds an opposite in the place of a word. It is exact where nothing else differs.
func oppositeRule(c *comparison) []finding {
	if c.a.coverage < 0.5 || c.a.matched < 2 {
		return nil
	}
	claim, premise := c.h.negated(), c.a.p.negated()
	for i, k := range c.a.to {
		opposites := antonyms[c.h.words[i].stem]
		if k >= 0 || opposites == nil || c.p.holds(c.h.words[i].stem) || claim[i] {
			continue
		}
		for f := range c.a.p.words {
			w := c.a.p.words[f]
			if !opposites[w.stem] || premise[f] || text.IsStop(w.low) != text.IsStop(c.h.words[i].low) || c.h.hasWord(w.stem) {
				continue
			}
			if text.IsStop(w.low) && (c.a.coverage < 0.8 || !c.a.beside(i, f)) {
				continue // "above" and "below" are words of grammar
			}
			exact := !c.turnedAbout(i, f) && c.oneClause() && c.onlyDiffersAt(1, func(k int) bool { return k == i })
			return c.differs("opposite", exact, fmt.Sprintf("opposite: the evidence says “%s”, the claim “%s”", w.raw, c.h.words[i].raw))
		}
	}
	return nil
}

// directionRule finds a point of the compass where the evidence names others.
func directionRule(c *comparison) []finding {
	points := ""
	for i := range c.p.sentences {
		points += c.p.sentences[i].points()
	}
	near := c.a.p.points()
	if near == "" || c.h.denies() {
		return nil
	}
	for i, w := range c.h.words {
		p := compass(w.low)
		if p == "" || c.isName(i) || strings.Trim(p, points) == "" {
			continue
		}
		return c.differs("direction", false, fmt.Sprintf("direction: the evidence does not say “%s”", w.raw))
	}
	return nil
}

func (s *sentence) points() string {
	out := ""
	for _, w := range s.words {
		out += compass(w.low)
	}
	return out
}

// compass is the points of the compass in a word, "ne" for "north-eastern", or nothing. What
// is northernmost has all else to its south.
func compass(low string) string {
	rest, out := strings.ReplaceAll(low, "-", ""), ""
	for _, p := range []string{"north", "south", "east", "west"} {
		if after, ok := strings.CutPrefix(rest, p); ok {
			rest, out = after, out+p[:1]
		}
	}
	switch rest {
	case "", "ern", "erly", "ward", "wards", "bound", "side", "'s":
		return out
	}
	return ""
}

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

// turnedAbout says whether the claim at word i goes from the other end than the premise at
// word k: "A lies north of B" says that B lies south of A.
func (c *comparison) turnedAbout(i, k int) bool {
	for x, y := range c.a.to {
		if y >= 0 && (x < i) != (y < k) {
			return true
		}
	}
	return c.reordered()
}

// swapRule finds two that have changed places: "I owe Mark" where Mark owes me. The claim holds
// no word of content but the evidence's, and two stretches of it stand the other way round.
func swapRule(c *comparison) []finding {
	if c.a.coverage < 1 || c.h.has(agent) != c.a.p.has(agent) {
		return nil
	}
	words, order := c.places()
	from, to, n := exchanged(order)
	if n == 0 || c.a.p.listed(order[from], order[to]) {
		return nil
	}
	one, two := c.h.words[words[from]], c.h.words[words[to]]
	exact := n == 2 && to-from > 1 && c.a.matched > 2 && !c.mayTurn() && c.oneClause() && one.upper == two.upper && personOf[one.low]+personOf[two.low] == ""
	return c.differs("swap", exact, fmt.Sprintf("roles: “%s” and “%s” have changed places", one.raw, two.raw))
}

// listed says whether a comma stands between words i and k, as between the items of a list.
func (s *sentence) listed(i, k int) bool {
	return slices.ContainsFunc(s.words[min(i, k):max(i, k)], func(w word) bool { return w.gap == "," })
}

// places are the words of the claim that name, do or are done to, and where each stands in
// the premise's sentence. Pronouns count by the person.
func (c *comparison) places() (words, order []int) {
	used := map[int]bool{}
	for i, k := range c.a.to {
		if person := personOf[c.h.at(i)]; k < 0 && person != "" && c.names.Writer == "" && c.names.Reader == "" {
			k = slices.IndexFunc(c.a.p.words, func(w word) bool { return personOf[w.low] == person })
		}
		if k >= 0 && !used[k] {
			words, order, used[k] = append(words, i), append(order, k), true
		}
	}
	return words, order
}

// exchanged finds two stretches whose exchange puts an order right: where they begin, and
// over how many places both go; none, if more than two have moved.
func exchanged(order []int) (from, to, n int) {
	sorted := slices.Sorted(slices.Values(order))
	i, j := 0, len(order)
	for i < j && order[i] == sorted[i] {
		i++
	}
	for j > i && order[j-1] == sorted[j-1] {
		j--
	}
	seg, want := order[i:j], sorted[i:j]
	for a := 1; a < len(seg); a++ {
		for b := 1; a+b < len(seg); b++ {
			end := len(seg) - b
			if slices.Equal(seg[end:], want[:b]) && slices.Equal(seg[a:end], want[b:len(seg)-a]) && slices.Equal(seg[:a], want[len(seg)-a:]) {
				return i, i + end, a + b
			}
		}
	}
	return 0, 0, 0
}

// personOf is the person that a pronoun stands for.
var personOf = func() map[string]string {
	out := map[string]string{}
	for _, line := range []string{"i me my mine myself i'm i've", "we us our ours", "he him his he's", "she her hers she's", "they them their theirs", "you your yours"} {
		forms := strings.Fields(line)
		for _, w := range forms {
			out[w] = forms[0]
		}
	}
	return out
}()

var agent = wordSet(`by`)

// mayTurn says whether the claim speaks of what holds both ways, or turns into its converse.
func (c *comparison) mayTurn() bool {
	return slices.ContainsFunc(c.h.words, func(w word) bool {
		return mutual[w.stem] || converses[w.stem] && !c.a.p.hasWord(w.stem) || w.low == "as" || w.low == "by" || w.low == "with"
	})
}

// mutual relations hold both ways.
var mutual = stemSet(`met meet married marry marries wed border borders adjoin adjoins resemble resembles equal equals joined joins friend
		friends brother brothers sister sisters cousin cousins neighbour neighbours neighbor neighbors sibling siblings twin twins wife husband
		near beside between alike same kin related fought together apart versus against opposite facing touches adjacent partner partners ally allies
		comrade comrades rival rivals namesake namesakes spoke speak talked talk share shared shares agree agreed agrees argued quarrelled played danced traded`)

// converses say the same of two things named the other way round.
var converses = stemSet(`before after above below over under older younger elder bigger smaller taller shorter buy bought sell sold lend lent borrow
		borrowed give gave give took take receive behind front husband wife father mother son daughter uncle aunt nephew niece master servant
		teacher pupil more less better worse earlier later faster slower win won lose lost`)

// replacedRule finds one word in the place of another: the claim goes along the premise's
// sentence word by word, but for one. One word may mean what another does.
func replacedRule(c *comparison) []finding {
	if c.a.content-c.a.matched != 1 || c.a.matched < 3 || c.reordered() {
		return nil
	}
	i, before, after := 0, -1, len(c.a.p.words)
	for text.IsStop(c.h.at(i)) || c.a.to[i] >= 0 {
		i++
	}
	for k, to := range c.a.to {
		if to >= 0 && k < i {
			before = to
		} else if to >= 0 && after == len(c.a.p.words) {
			after = to
		}
	}
	between := slices.DeleteFunc(slices.Clone(c.a.free), func(k int) bool { return k <= before || k >= after })
	if len(between) != 1 {
		return nil
	}
	said, has := c.h.words[i], c.a.p.words[between[0]]
	if c.h.at(i-1) != c.a.p.at(between[0]-1) || c.h.at(i+1) != c.a.p.at(between[0]+1) || saysLittle(said) || saysLittle(has) {
		return nil
	}
	if inflected(said.stem, has.stem) || slices.Contains(sameAs[said.stem], has.stem) {
		return nil
	}
	return c.differs("replaced", false, fmt.Sprintf("word: the evidence says “%s”, the claim “%s”", has.raw, said.raw))
}

// saysLittle says whether a word says too little for another in its place to differ.
func saysLittle(w word) bool {
	return light[w.low] || negations[w.low] || hasNot(w.low) || isNumberWord(w.low) || startsDigit(w.low) || strings.HasSuffix(w.low, "ly")
}
