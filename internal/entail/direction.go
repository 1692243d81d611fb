package entail

import (
	"fmt"
	"strings"
)

// directionRule wants every point of the compass that the claim names in the evidence,
// where that names another. What is said the other way round ("the ford lies east of the
// fort" of a fort west of the ford) may well be true, and is doubted only; so is a point
// that the claim adds to the evidence's own. The way back, told in other words, is refused.
func directionRule(c *comparison) []finding {
	points := c.p.points()
	if c.h.denies() || c.a.p.points() == "" {
		return nil
	}
	for i, w := range c.h.words {
		odd := without(compass(w.low), points)
		if odd == "" || c.isName(i) {
			continue
		}
		k := c.pointsElsewhere(odd)
		if k < 0 {
			return c.doubts("antonym", fmt.Sprintf("direction: the evidence does not say “%s”", w.raw))
		}
		why := fmt.Sprintf("direction: the evidence says “%s”, the claim “%s”", c.a.p.words[k].raw, w.raw)
		if c.turnedAbout(i, k) {
			return c.doubts("antonym", why)
		}
		return c.refuses("antonym", why)
	}
	return nil
}

// points are all points of the compass that a passage names.
func (p *passage) points() string {
	out := ""
	for i := range p.sentences {
		out += p.sentences[i].points()
	}
	return out
}

func (s *sentence) points() string {
	out := ""
	for _, w := range s.words {
		out += compass(w.low)
	}
	return out
}

// pointsElsewhere is the word of the premise's sentence that names a direction which the
// claim does not, or -1.
func (c *comparison) pointsElsewhere(odd string) int {
	claimed, best := c.h.points(), -1
	for k, w := range c.a.p.words {
		named := without(compass(w.low), claimed)
		if named != "" && (best < 0 || strings.Contains(named, opposite[odd[:1]])) {
			best = k
		}
	}
	return best
}

// turnedAbout says whether the claim at word i goes from the other end than the premise
// at word k: what stands before the one direction stands behind the other.
func (c *comparison) turnedAbout(i, k int) bool {
	if c.reordered() {
		return true
	}
	for x, y := range c.a.to {
		if y >= 0 && y != k && (x < i) != (y < k) {
			return true
		}
	}
	return false
}

var opposite = map[string]string{"n": "s", "s": "n", "e": "w", "w": "e"}

// compass is the points of the compass in a word, "ne" for "north-eastern", or nothing. What
// is northernmost has all else to its south.
func compass(low string) string {
	rest, out := strings.ReplaceAll(low, "-", ""), ""
	for _, p := range []struct{ name, letter string }{{"north", "n"}, {"south", "s"}, {"east", "e"}, {"west", "w"}} {
		if after, ok := strings.CutPrefix(rest, p.name); ok {
			rest, out = after, out+p.letter
		}
	}
	switch rest {
	case "", "ern", "erly", "ward", "wards", "bound", "side", "'s":
		return out
	}
	return ""
}

// without is the letters of a that b lacks.
func without(a, b string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(b, r) {
			return -1
		}
		return r
	}, a)
}
