package entail

import (
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// light are words that two sentences about different matters share, and figures, which
// the rules hold against the evidence by themselves.
var light = wordSet(`never always ever now still yet already again soon later ago back away around here there
	go goes going went gone come comes coming came get gets getting got take takes taking took taken make makes making made
	give gives giving gave given put puts keep keeps kept let lets say says said saying tells told see sees saw seen look
	looks looked
	think thinks thought believe believes seem seems seemed want wants wanted use used need needs let become became turn
	turned
	time times day days night nights way ways thing things one ones lot kind sort bit place people folk man woman much many
	really quite rather even also about maybe perhaps indeed truly good bad great little long old new`)

// Rooted says whether a claim shares a word of content with its evidence that is no
// name. What shares none speaks of the same persons and, for all that words tell, of
// nothing else that the evidence says. A claim that is names alone is rooted in those, and
// one light word besides may say the same ("come from" of "born in"); more say something.
func Rooted(p Pair) bool {
	apart := map[string]bool{}
	for _, w := range Unaligned(p.Premise, p.Hypothesis) {
		apart[w] = true
	}
	names, content, lights := p.capitals(), false, 0
	h := read(p.Hypothesis, maxHypothesis)
	for i := range h.sentences {
		for _, w := range h.sentences[i].words {
			if light[w.low] && apart[w.low] {
				lights++
			}
			if text.IsStop(w.low) || light[w.low] || isNumberWord(w.low) || startsDigit(w.low) || names.holds(w, p.Names) {
				continue
			}
			if !apart[w.low] {
				return true
			}
			content = true
		}
	}
	return !content && lights < 2
}

// capitals are the stems that a text writes with a capital and never without; sure are
// those of which one stands where no sentence begins.
type capitals struct{ any, sure map[string]bool }

func (p Pair) capitals() capitals {
	c, small := capitals{map[string]bool{}, map[string]bool{}}, map[string]bool{}
	premise := read(p.Premise, maxPremise)
	for i := range premise.sentences {
		for _, w := range premise.sentences[i].words {
			stem := bareStem(w)
			switch {
			case !w.upper || shouted(w):
				small[stem] = true
			case !w.first:
				c.sure[stem] = true
			}
			c.any[stem] = true
		}
	}
	for stem := range small {
		delete(c.any, stem)
		delete(c.sure, stem)
	}
	return c
}

// holds says whether a word of a claim is a name: written as one, or as one in the
// evidence.
func (c capitals) holds(w word, n Names) bool {
	stem := bareStem(w)
	switch {
	case shouted(w):
		return false
	case !w.upper:
		return c.sure[stem]
	case !w.first:
		return true
	}
	return c.any[stem] || slices.ContainsFunc(append([]string{n.Self, n.Writer, n.Reader},
		slices.Concat(n.Aliases, n.Known)...), func(name string) bool {
		return strings.Contains(strings.ToLower(name), strings.TrimSuffix(w.low, "'s"))
	})
}

func bareStem(w word) string { return text.Stem(strings.TrimSuffix(w.low, "'s")) }

// shouted says whether a word is all capitals, which makes no name of it.
func shouted(w word) bool {
	return len(w.raw) > 1 && !strings.ContainsFunc(w.raw, unicode.IsLower)
}
