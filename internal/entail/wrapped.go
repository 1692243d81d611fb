package entail

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Bounds of what is taken off a claim.
const (
	maxWrap  = 6 // words of one phrase
	maxWraps = 3 // phrases at each end
	leastOf  = 3 // words of what remains
)

// bare is a claim without the phrases around it that take nothing from the evidence:
// "since you ask, …, there you have it".
func bare(p Pair) (Pair, bool) {
	apart := map[string]bool{}
	for _, w := range Unaligned(p.Premise, p.Hypothesis) {
		apart[w] = true
	}
	empty := func(phrase string) bool {
		words := text.Words(text.Plain(phrase))
		for _, w := range words {
			content := !text.IsStop(w) && !light[w] && !apart[w]
			if content || negations[w] || hasNot(w) || isNumberWord(w) || startsDigit(w) || universals[w] || partials[w] {
				return false
			}
		}
		return len(words) <= maxWrap
	}
	rest := strings.TrimSpace(p.Hypothesis)
	for range maxWraps {
		at := strings.IndexAny(rest, ",:;")
		if at < 0 || !empty(rest[:at]) || len(text.Words(rest[at+1:])) < leastOf {
			break
		}
		rest = strings.TrimSpace(rest[at+1:])
	}
	for range maxWraps {
		at := strings.LastIndexAny(rest, ",:;")
		if at < 0 || !empty(rest[at+1:]) || len(text.Words(rest[:at])) < leastOf {
			break
		}
		rest = strings.TrimSpace(rest[:at])
	}
	if rest == strings.TrimSpace(p.Hypothesis) {
		return p, false
	}
	first, n := utf8.DecodeRuneInString(rest)
	p.Hypothesis = string(unicode.ToUpper(first)) + strings.TrimRight(rest[n:], " .") + "."
	return p, true
}

// unwrapped asks again, bare, for what a model supports with such phrases around it, and
// keeps the worse verdict: to a small model an opener and a tag make a lie sound like talk
// that it has seen to be true.
func (c *Cascade) unwrapped(ctx context.Context, pairs []Pair, out []schema.Verdict) {
	var again []Pair
	var of []int
	for i, v := range out {
		if v.Label != schema.Supported || v.Tier != TierModel && v.Tier != TierSidecar {
			continue
		}
		if p, ok := bare(pairs[i]); ok {
			again, of = append(again, p), append(of, i)
		}
	}
	if len(again) == 0 {
		return
	}
	for k, v := range c.once(ctx, again) {
		if i := of[k]; v.Label != schema.Supported {
			v.Why = joinWhy("without the phrases around it", v.Why)
			out[i] = v
		}
	}
}

// light are words that two sentences about different matters share, and figures, which
// the rules hold against the evidence by themselves.
var light = text.Set(`never always ever now still yet already again soon later ago back away around here there go
	goes going went gone come comes coming came get gets getting got take takes taking took taken make makes making
	made give gives giving gave given put puts keep keeps kept let lets say says said saying tells told see sees saw
	seen look looks looked think thinks thought believe believes seem seems seemed want wants wanted use used need
	needs let become became turn turned time times day days night nights way ways thing things one ones lot kind sort
	bit place people folk man woman much many really quite rather even also about maybe perhaps indeed truly good bad
	great little long old new`)
