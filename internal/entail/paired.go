package entail

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// pairedRule finds a claim that is made of the evidence's own words and puts together
// what it keeps apart: one thing with another's place, the one's deed with the other's name, giver
// and taker changed about.
func pairedRule(c *comparison) []finding {
	if !c.inItsWords() {
		return nil
	}
	for _, mixed := range []func(*comparison) string{pairMixed, clauseMixed, relativeMixed, aroundTurned, doneTurned} {
		if why := mixed(c); why != "" {
			return c.refuses("swap", why)
		}
	}
	return nil
}

// pairMixed finds "pears in autumn" in "apples in autumn and pears in winter".
func pairMixed(c *comparison) string {
	if c.h.at(0) == "both" || c.h.names(stretch{0, len(c.h.words)}, "and") {
		return ""
	}
	p := c.a.p
	for o := range p.words {
		if p.at(o) != "and" && p.at(o) != "but" {
			continue
		}
		for first := 1; first < o; first++ {
			if !paired[p.at(first)] {
				continue
			}
			second := o + 1
			for second < min(o+6, len(p.words)) && p.at(second) != p.at(first) {
				second++
			}
			if second >= len(p.words) || p.at(second) != p.at(first) || second == o+1 {
				continue
			}
			one, his := p.contentBefore(first), stretch{first + 1, o}
			other, hers := stretch{o + 1, second}, stretch{second + 1, min(second+4, len(p.words))}
			if one < 0 || !c.content(his) || !c.content(other) || !c.content(hers) {
				continue
			}
			mine := stretch{one, one + 1}
			if c.takes(mine) && !c.takes(his) && c.takes(hers) && !c.takes(other) || c.takes(other) && !c.takes(hers) &&
				c.takes(his) && !c.takes(mine) {
				return fmt.Sprintf("roles: the evidence says “%s”, the claim takes what goes with the other",
					p.span(one, second+2))
			}
		}
	}
	return ""
}

// contentBefore is the nearest word of content before word k.
func (s *sentence) contentBefore(k int) int {
	for i := k - 1; i >= 0 && s.words[i].gap == ""; i-- {
		if !text.IsStop(s.at(i)) {
			return i
		}
	}
	return -1
}

// content says whether a stretch of the evidence holds a word of content.
func (c *comparison) content(of stretch) bool {
	for k := of.start; k < of.end; k++ {
		if !text.IsStop(c.a.p.at(k)) {
			return true
		}
	}
	return false
}

// takes says whether the claim holds a word of content of a stretch of the evidence.
func (c *comparison) takes(of stretch) bool {
	for k := of.start; k < of.end; k++ {
		if !text.IsStop(c.a.p.at(k)) && c.aligned(k) {
			return true
		}
	}
	return false
}

// span is the words from start up to end as they are written.
func (s *sentence) span(start, end int) string {
	out := ""
	for k := start; k < min(end, len(s.words)); k++ {
		if k > start {
			out += " "
		}
		out += s.words[k].raw
	}
	return out
}

// clauseMixed finds "the upper mill burned" where the lower one burned and the upper one
// was spared: before the word that both clauses have the claim takes the one's, and behind it the other's.
func clauseMixed(c *comparison) string {
	p := c.a.p
	if c.h.names(stretch{0, len(c.h.words)}, "and") {
		return ""
	}
	for o := 1; o < len(p.words)-1; o++ {
		if p.at(o) != "and" && p.at(o) != "but" && p.at(o) != "while" && p.words[o-1].gap != ";" {
			continue
		}
		for a := range o {
			if text.IsStop(p.at(a)) {
				continue
			}
			for b := o; b < len(p.words); b++ {
				if p.words[b].stem != p.words[a].stem {
					continue
				}
				left, right := sides{stretch{0, a}, stretch{a + 1, o}}, sides{stretch{o, b}, stretch{b + 1, len(p.words)}}
				if c.crosses(left, right, a, b) || c.crosses(right, left, b, a) {
					return fmt.Sprintf("roles: the evidence says “%s” of another", p.words[a].raw)
				}
			}
		}
	}
	return ""
}

// sides are what stands before and behind a word in its clause.
type sides struct{ before, behind stretch }

// crosses says whether the claim has what stands before the shared word in one clause
// with what stands behind it in the other, and nothing that would bind them rightly.
func (c *comparison) crosses(one, other sides, at, twin int) bool {
	return (c.aligned(at) || c.aligned(twin)) && c.takes(one.before) && c.content(one.behind) && !c.takes(one.behind) &&
		c.takes(other.behind) && !c.takes(other.before)
}

// relativeMixed finds "Osric died" where he wed Elsbet, who died.
func relativeMixed(c *comparison) string {
	p := c.a.p
	for k := 1; k < len(p.words)-1; k++ {
		if w := p.at(k); w != "who" && w != "whom" && w != "whose" && w != "which" || p.words[k-1].gap != "," {
			continue
		}
		told, end := k-1, k+1
		for end < len(p.words) && p.words[end-1].gap == "" {
			end++
		}
		if text.IsStop(p.at(told)) || c.aligned(told) || c.h.names(stretch{0, len(c.h.words)}, p.words[told].stem) ||
			!c.takes(stretch{0, told}) || !c.takesAlone(stretch{k + 1, end}) {
			continue
		}
		return fmt.Sprintf("roles: the evidence says it of “%s”", p.words[told].raw)
	}
	return ""
}

// takesAlone says whether the claim holds a word of content of a stretch that stands nowhere else in the evidence.
func (c *comparison) takesAlone(of stretch) bool {
	for k := of.start; k < of.end; k++ {
		if !text.IsStop(c.a.p.at(k)) && c.aligned(k) && !c.a.p.names(stretch{0, of.start}, c.a.p.words[k].stem) &&
			!c.a.p.names(stretch{of.end, len(c.a.p.words)}, c.a.p.words[k].stem) {
			return true
		}
	}
	return false
}

// aroundTurned finds "the abbey to the fair" where it is the fair to the abbey.
func aroundTurned(c *comparison) string {
	if c.h.spans() || c.a.p.spans() {
		return ""
	}
	has, said := map[[3]string]bool{}, map[[3]string]bool{}
	for _, a := range c.a.p.arounds() {
		has[a] = true
	}
	for i := range c.p.sentences {
		for _, a := range c.p.sentences[i].arounds() {
			said[a] = true
		}
	}
	for _, a := range c.h.arounds() {
		if turned := [3]string{a[2], a[1], a[0]}; a[0] != a[2] && has[turned] && !said[a] {
			return fmt.Sprintf("roles: “%s” stands the other way round in the evidence", a[1])
		}
	}
	return ""
}

// arounds are what stands on the two sides of a preposition, by stem.
func (s *sentence) arounds() [][3]string {
	var out [][3]string
	for q := 1; q < len(s.words)-1; q++ {
		if !around[s.at(q)] || s.words[q-1].gap != "" || s.words[q].gap != "" {
			continue
		}
		right := q + 1
		for right < len(s.words)-1 && determiners[s.at(right)] {
			right++
		}
		if !text.IsStop(s.at(q-1)) && !text.IsStop(s.at(right)) {
			out = append(out, [3]string{s.words[q-1].stem, s.at(q), s.words[right].stem})
		}
	}
	return out
}

// doneTurned finds "Mira paid Osric" where she was paid by him.
func doneTurned(c *comparison) string {
	for i, k := range c.a.to {
		if k < 2 || i < 1 || i+1 >= len(c.h.words) || text.IsStop(c.h.at(i)) || !beVerbs[c.a.p.at(k-1)] ||
			c.a.p.at(k+1) != "by" || beVerbs[c.h.at(i-1)] || c.h.at(i+1) == "by" {
			continue
		}
		before, behind := c.a.to[i-1], c.a.to[i+1]
		if before >= 0 && before < k && behind > k && behind <= k+3 && !text.IsStop(c.h.at(i-1)) &&
			!text.IsStop(c.h.at(i+1)) {
			return fmt.Sprintf("roles: the evidence says “%s by %s”", c.a.p.words[k].raw, c.a.p.words[behind].raw)
		}
	}
	return ""
}

var (
	paired = text.Set(`in on at to for from by with under over behind near of into`)
	around = text.Set(`to for from into onto as of on over under behind upon above below`)
)
