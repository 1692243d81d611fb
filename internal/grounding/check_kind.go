package grounding

import (
	"context"
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// claimsOf are the claims of the text, outside of code fences. A sentence that talks about
// the answer itself ("I hope this helps.") claims nothing: a trained head says so. Without
// a reader, or where it fails, words alone decide, and more counts as a claim.
func (c *textCheck) claimsOf(ctx context.Context, reader entail.Reader) []checked {
	var out []checked
	var found [][]checked
	var ask []entail.Sentence
	var asked []int // which of found each of ask is about
	var before Context
	for _, sentence := range sentencesOf(withoutCode(c.query.Text)) {
		claims := claimsIn(sentence, before)
		before.Previous = append(before.Previous, sentence)
		if len(claims) == 0 || announces(sentence) {
			continue
		}
		if reader != nil && mayBeRemark(sentence) {
			ask = append(ask, entail.Sentence{Premise: c.beside(sentence), Text: sentence})
			asked = append(asked, len(found))
		}
		found = append(found, claims)
	}
	for k, reading := range readings(ctx, reader, ask) {
		if isRemark(reading, found[asked[k]]) {
			found[asked[k]] = nil
		}
	}
	for _, claims := range found {
		out = append(out, claims...)
	}
	return out
}

// listItem begins an item of a list.
var listItem = regexp.MustCompile(`^\s*(?:[-*•]|\d{1,2}[.)])\s+`)

// sentencesOf are the sentences of a text as assistants write it: a heading that ends in a
// colon, and each item of a list, stands for itself.
func sentencesOf(s string) []string {
	var out []string
	var block strings.Builder
	end := func() {
		out = append(out, text.Sentences(block.String())...)
		block.Reset()
	}
	for line := range strings.Lines(s) {
		item := listItem.FindString(line)
		if item != "" {
			end()
		}
		block.WriteString(line[len(item):])
		if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasSuffix(trimmed, ":") {
			end()
		}
	}
	end()
	return out
}

func claimsIn(sentence string, before Context) []checked {
	var out []checked
	for _, claim := range Claims(sentence, before) {
		if claim.Kind != schema.ClaimNone {
			out = append(out, checked{claim: claim})
		}
	}
	return out
}

func readings(ctx context.Context, reader entail.Reader, ask []entail.Sentence) []entail.Reading {
	if len(ask) == 0 {
		return nil
	}
	out, err := reader.Read(ctx, ask)
	if err != nil || len(out) != len(ask) {
		return nil
	}
	return out
}

// From these probabilities of a claim on, a sentence is one. Of 227 false sentences of
// recorded speech none lies below.
const (
	remarkBelow  = 0.1
	feelingBelow = 0.9 // of a sentence whose words tell a feeling of the speaker alone
)

// isRemark says whether a sentence with these claims by its words claims nothing.
func isRemark(r entail.Reading, claims []checked) bool {
	if r.World+r.Self+r.Social == 0 { // there is no head for kinds
		return false
	}
	line := feelingBelow
	for _, k := range claims {
		if k.claim.Kind != schema.ClaimSelf {
			line = remarkBelow
		}
	}
	return r.World < line
}

// mayBeRemark leaves out sentences with a figure or a name: who states one makes a claim.
func mayBeRemark(sentence string) bool {
	return !strings.ContainsAny(sentence, "0123456789") && !hasName(sentence)
}

// hasName says whether a word behind the first begins with a capital, "I" aside.
func hasName(sentence string) bool {
	for i, w := range strings.Fields(text.Plain(sentence)) {
		own := w == "I" || strings.HasPrefix(w, "I'")
		if i > 0 && !own && w[0] >= 'A' && w[0] <= 'Z' {
			return true
		}
	}
	return false
}

// announces says whether a sentence only says that something follows: "Here is what I
// found:". One that says why or when something came about takes that for granted.
func announces(sentence string) bool {
	s := strings.ToLower(text.Plain(strings.TrimSpace(sentence)))
	words := text.Words(s)
	if !strings.HasSuffix(s, ":") || len(words) < 2 || !mayBeRemark(sentence) {
		return false
	}
	here := strings.HasPrefix(s, "here's ") || strings.HasPrefix(s, "here is ") || strings.HasPrefix(s, "here are ")
	return here && !text.HasAny(words, presuming)
}

// besides is how many sources the reader sees a part of.
const besides = 2

// beside is what of the sources stands nearest to a sentence.
func (c *textCheck) beside(sentence string) string {
	var near []string
	for _, s := range c.nearest(sentence) {
		if len(near) < besides {
			near = append(near, around(s.Content, sentence))
		}
	}
	return strings.Join(near, " ")
}
