package entail

import (
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// hedgedRule finds what the evidence tells with a hedge beside it ("the mill burned, they
// say"), under a condition behind it ("the gate opens if you pay"), or as what was meant to be
// or is gathered, and the claim states. reportRule and modalityRule look for what stands in front.
func hedgedRule(c *comparison) []finding {
	if c.a.coverage < 0.8 || c.a.matched < 2 || c.whole.reports() || c.saidOutright() {
		return nil
	}
	for _, hedge := range []func(*comparison) string{hedgeBeside, conditionBehind, asideFromFact} {
		if why := hedge(c); why != "" {
			return c.refuses("certainty", why)
		}
	}
	return nil
}

// saidOutright says whether another sentence of the evidence holds all of the claim.
func (c *comparison) saidOutright() bool {
	return slices.ContainsFunc(c.p.sentences, func(s sentence) bool {
		return s.start != c.a.p.start && !s.question && align(c.h, &s).coverage == 1
	})
}

// hedgeBeside finds a hedge between marks next to a stretch that the claim takes words from.
func hedgeBeside(c *comparison) string {
	s := c.a.p
	for i := range s.words {
		if i > 0 && s.words[i-1].gap == "" {
			continue
		}
		n := s.hedgeAt(i)
		if n == 0 {
			continue
		}
		before, behind := i > 0 && c.takesFrom(s.clauseOf(i-1)), i+n < len(s.words) && c.takesFrom(s.clauseOf(i+n))
		if !c.takesFrom(stretch{i, i + n}) && (before || i == 0 && behind) {
			return fmt.Sprintf("certainty: the evidence says “%s”, the claim states it", s.span(i, i+n))
		}
	}
	return ""
}

// takesFrom says whether a word of content of the claim stands in a stretch of the evidence.
func (c *comparison) takesFrom(in stretch) bool {
	for i, k := range c.a.to {
		if k >= in.start && k < in.end && !text.IsStop(c.h.at(i)) {
			return true
		}
	}
	return false
}

// hedgeAt is over how many words a hedge goes that begins at word i and ends at a mark, or in
// front of what it hedges.
func (s *sentence) hedgeAt(i int) int {
	k := i
	for hedgeLeads[s.at(k)] {
		k++
	}
	switch w := s.at(k); {
	case s.at(k-1) == "so" && s.at(k-2) == "or": // "or so he says", whatever follows
		return s.clauseOf(i).end - i
	case doubtingAdverbs[w]:
		return s.upToMark(i, k+1)
	case w == "i" && thinking[s.at(k+1)]:
		return s.upToMark(i, k+2)
	case w == "i'm" && s.at(k+1) == "told", w == "i" && s.at(k+1) == "dare" && s.at(k+2) == "say":
		return s.upToMark(i, s.clauseOf(k).end)
	case i == 0 && wagering[w] && (s.at(1) == "wager" || s.at(1) == "bet" || s.at(1) == "guess" || s.at(1) == "warrant"):
		return 2
	case (w == "it" && (s.at(k+1) == "is" || s.at(k+1) == "was") || w == "it's") && s.clauseOf(k).end-k <= 3 &&
		rumoured[s.at(s.clauseOf(k).end-1)]:
		return s.clauseOf(k).end - i
	case w == "according" && s.at(k+1) == "to" && s.upper(k+2):
		return s.clauseOf(k).end - i
	case w == "that's" && s.at(k+1) == "what":
		return s.clauseOf(k).end - i
	}
	return s.toldBy(i, k)
}

// toldBy is over how many words "they say", "as Wren tells it" or "the bards swear" goes.
func (s *sentence) toldBy(i, k int) int {
	end := s.clauseOf(k).end
	for verb := k + 1; verb < min(k+4, end); verb++ {
		if !telling[s.at(verb)] {
			continue
		}
		if who := s.at(k); !tellers[who] && who != "he" && who != "she" && !(determiners[who] && verb > k+1) &&
			!(s.upper(k) && verb == k+1) {
			return 0
		}
		if behind := end - verb - 1; behind == 0 || behind == 1 && (s.at(verb+1) == "it" || s.at(verb+1) == "so") {
			return end - i
		}
	}
	return 0
}

// upToMark is over how many words a hedge from i up to j goes, if a mark or the end follows.
func (s *sentence) upToMark(i, j int) int {
	if j <= len(s.words) && (j == len(s.words) || s.words[j-1].gap != "") {
		return j - i
	}
	return 0
}

// conditionBehind finds a condition behind what the claim takes, none of which the claim has.
func conditionBehind(c *comparison) string {
	s := c.a.p
	if c.h.has(conditionals) || c.h.has(abilities) || c.h.has(intending) {
		return ""
	}
	for i := 2; i < len(s.words); i++ {
		n := s.conditionAt(i)
		if n == 0 || c.takesFrom(stretch{i, i + n}) {
			continue
		}
		last := i - 1
		for last > 0 && text.IsStop(s.at(last)) {
			last--
		}
		if c.aligned(last) && (s.words[i-1].gap == "" || s.words[i-1].gap == ",") {
			return fmt.Sprintf("condition: the evidence says it under “%s”, the claim states it", s.span(i, i+n))
		}
	}
	return ""
}

// conditionAt is over how many words a condition goes that begins at word i.
func (s *sentence) conditionAt(i int) int {
	end := s.clauseOf(i).end
	clause := end-i > 2 && (s.startsClause(i+1) && s.at(i+1) != "a" && s.at(i+1) != "an" || s.at(i+1) == "that")
	switch w := s.at(i); {
	case (w == "if" || w == "unless") && clause && !noCondition[s.at(i-1)]:
	case (w == "provided" || w == "assuming") && clause && !isOrHas[s.at(i-1)]:
	case (w == "so" || w == "as") && s.at(i+1) == "long" && s.at(i+2) == "as" && end-i > 4:
	case s.words[i-1].gap == "," && s.at(end-1) == "permitting":
	default:
		return 0
	}
	return end - i
}

// asideFromFact finds "he sold it" where he was going to, or must have.
func asideFromFact(c *comparison) string {
	s := c.a.p
	for i, k := range c.a.to {
		if k < 2 || text.IsStop(c.h.at(i)) {
			continue
		}
		switch before, before2 := s.at(k-1), s.at(k-2); {
		case before == "to" && before2 == "going" && (s.at(k-3) == "was" || s.at(k-3) == "were") && !c.h.has(meantTo) &&
			!c.h.denies():
		case before == "have" && before2 == "must" && !c.h.has(meantTo):
		default:
			continue
		}
		return fmt.Sprintf("modality: the evidence says “%s”, the claim that it was so", s.span(k-2, k+1))
	}
	return ""
}

// askedRule finds what the evidence only asks whether it is so.
func askedRule(c *comparison) []finding {
	if c.a.coverage >= 0.5 || c.whole.question || c.whole.reports() {
		return nil
	}
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		if !s.question || !asksWhether[s.at(0)] || personOf[s.at(1)] == "you" || personOf[s.at(1)] == "i" ||
			align(c.h, s).coverage < 1 {
			continue
		}
		return []finding{{rule: "certainty", label: schema.Unverifiable,
			why: "certainty: the evidence asks it, the claim states it", span: s.text}}
	}
	return nil
}

var (
	hedgeLeads      = text.Set(`or so as at least`)
	doubtingAdverbs = text.Set(`supposedly allegedly reportedly perhaps maybe possibly probably presumably`)
	thinking        = text.Set(`think suppose guess reckon believe hear heard imagine fancy gather wager hope daresay
		expect suspect`)
	wagering = text.Set(`i'd i'll`)
	rumoured = text.Set(`said told rumoured rumored believed whispered`)
	telling  = text.Set(`say says tell tells claim claims swear swears reckon reckons believe believes insist
		insists`)
	noCondition = text.Set(`see ask asks asked know knows knew wonder wonders tell tells find even as only say check
		learn sure and or but what`)
	abilities   = text.Set(`can could may might able possible`)
	meantTo     = text.Set(`going would meant planned intended must about supposed`)
	asksWhether = text.Set(`did do does is are was were has have had`)
)
