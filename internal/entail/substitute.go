package entail

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// substituteRule finds one word in the place of another: the claim goes along the
// premise's sentence word by word, but for one. It doubts, for one word may mean what
// another does.
func substituteRule(c *comparison) []finding {
	i, k, ok := c.substitute()
	if !ok {
		return nil
	}
	return c.doubts("substitute", fmt.Sprintf("word: the evidence says “%s”, the claim “%s”", c.a.p.words[k].raw,
		c.h.words[i].raw))
}

func (c *comparison) substitute() (int, int, bool) {
	if c.a.content-c.a.matched != 1 || c.a.matched < 3 || c.reordered() {
		return 0, 0, false
	}
	odd, before, after := -1, -1, len(c.a.p.words)
	for i := range c.h.words {
		switch {
		case text.IsStop(c.h.words[i].low):
		case c.a.to[i] < 0:
			odd = i
		case odd < 0:
			before = c.a.to[i]
		case after == len(c.a.p.words):
			after = c.a.to[i]
		}
	}
	found := -1
	for _, k := range c.a.free {
		if k > before && k < after {
			if found >= 0 {
				return 0, 0, false
			}
			found = k
		}
	}
	if odd < 0 || found < 0 {
		return 0, 0, false
	}
	return odd, found, c.framed(odd, found) && !c.free(odd, found)
}

// framed says whether the same words stand before and after word i of the claim and
// word k of the premise.
func (c *comparison) framed(i, k int) bool {
	before, after := c.h.at(i-1), c.h.at(i+1)
	ends := func(s *sentence, i int) bool { return i == len(s.words)-1 || s.words[i].gap != "" }
	if !determiners[before] && !prepositions[before] && !predicating[before] && !strings.HasSuffix(before, "'s") &&
		!c.participant(c.h, []int{i}) {
		return false // a verb, for which another may stand
	}
	return before == c.a.p.at(k-1) && (after == c.a.p.at(k+1) && after != "" || ends(c.h, i) && ends(c.a.p, k))
}

// free says whether one of two words may stand for the other, or says too little to differ.
func (c *comparison) free(i, k int) bool {
	for _, w := range []word{c.h.words[i], c.a.p.words[k]} {
		if light[w.low] || attitudes[w.low] || partials[w.low] || negations[w.low] || hasNot(w.low) || isNumberWord(w.low) ||
			startsDigit(w.low) || vague[w.low] || strings.HasSuffix(w.low, "ly") {
			return true
		}
	}
	h, p := c.h.words[i].stem, c.a.p.words[k].stem
	return inflected(h, p) || slices.Contains(sameAs[h], p) || common(h, p) >= 4
}

// common is how many letters two words begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// vague words stand for any other of their kind.
var vague = text.Set(`thing stuff matter one ones other others fellow person persons folk folks people man men woman
	someone somebody place spot here there whole entire certain particular own such just merely simply`)
