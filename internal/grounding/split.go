package grounding

import (
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Splitter takes sentences apart into what each of them claims, by a language model. It
// gives one list a sentence, in their order; one without an answer is empty.
type Splitter func(ctx context.Context, sentences []string) ([][]string, error)

// Above these a sentence may hold more facts than its clauses show.
const (
	plainWords = 20
	plainNames = 2
	maxParts   = 8 // what a split says beyond them is not covered
)

// Compound says whether a sentence that makes these claims by rule is worth taking apart: it
// is long, or has several clauses, or names three and more.
func Compound(sentence string, claims []Claim) bool {
	asserted := 0
	for _, c := range claims {
		if c.Kind != schema.ClaimNone {
			asserted++
		}
	}
	return len(sentence) <= maxSentence && asserted > 0 &&
		(asserted > 1 || len(text.WordSpans(sentence)) > plainWords || namesIn(sentence) > plainNames)
}

// Coarse says whether rules leave a fact so long that a model may find more in it.
func Coarse(facts []string) bool {
	return slices.ContainsFunc(facts, func(fact string) bool { return len(text.WordSpans(fact)) > plainWords })
}

// namesIn counts the stretches of words behind the first that begin with a capital.
func namesIn(sentence string) int {
	n, inside := 0, false
	for i, w := range text.WordSpans(sentence) {
		word := text.Plain(sentence[w.Start:w.End])
		own := word == "I" || strings.HasPrefix(word, "I'")
		is := i > 0 && !own && startsUpper(word)
		if is && !inside {
			n++
		}
		inside = is
	}
	return n
}

// Parts are the claims into which a sentence is taken apart, and who did it: the model that
// has told them, with the facts by rule that hold anything beyond them, else rules. There are
// none where neither finds two. A model's split counts only where each of its claims is found
// in the sentence and none is all of it.
func Parts(sentence string, told []string, claims []Claim) ([]string, schema.SplitBy) {
	facts := Facts(claims)
	if out := found(sentence, told, facts); len(out) > 1 {
		return out, schema.SplitModel
	}
	if len(facts) > 1 {
		return facts, schema.SplitRules
	}
	return nil, ""
}

// found are the claims that a model has told of a sentence, with the facts beyond them.
func found(sentence string, told, facts []string) []string {
	have := telling(sentence)
	covered := map[string]bool{}
	var out []string
	for _, t := range told[:min(len(told), maxParts)] {
		t = strings.Join(strings.Fields(t), " ")
		words := telling(t)
		if len(words) == 0 || text.Fold(t) == text.Fold(sentence) || !text.Within(words, have) {
			return nil
		}
		for w := range words {
			covered[w] = true
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if len(out) < 2 {
		return nil
	}
	for _, f := range facts {
		if !text.Within(telling(f), covered) {
			out = append(out, f)
		}
	}
	return out
}

// telling are the words of a text that can make it true or false: its content words, and
// the small ones that turn or narrow what it says.
func telling(s string) map[string]bool {
	out := map[string]bool{}
	for w := range text.ContentSet(s) {
		out[w] = true
	}
	for _, w := range text.Words(text.Plain(s)) {
		switch {
		case strings.HasSuffix(w, "n't"):
			out["not"] = true
		case grave[w]:
			out[w] = true
		}
	}
	return out
}

// grave words are short, and a claim without one of them is another claim.
var grave = text.Set(`not no none never nobody nothing neither nor without cannot only all every each both some few
	any most may might could would should must if unless before after until since during over under above below more
	less least first last almost nearly about`)
