package grounding

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// affirming and denying words answer what was asked. After a question of yes or no
// they assert it, or deny it, without a word of their own.
var (
	affirming = set(`yes aye yep yeah yup yea indeed exactly precisely correct certainly absolutely definitely true`)
	denying   = set(`no nay nope`)
)

var affirmation = regexp.MustCompile(`^(?:so (?:it|he|she|they|i) (?:is|was|did|does|do|has|have|had|are|were|am)|(?:it|he|she|they|i|we) (?:is|was|did|does|do|has|have|had|are|were|am|sure (?:is|did|was|does))(?: so| indeed)?|that(?:'s| is| was) (?:right|true|so|correct|it)|that it (?:is|was)|that (?:he|she|they) (?:did|was|is|has)|you(?:'re| are) (?:right|correct|quite right)|right(?: you are)?|quite(?: so| right)?|true enough|of course|very true|just so|as you say|you have it|so i do|so i did)$`)

var denial = regexp.MustCompile(`^(?:(?:it|he|she|they|i|we) (?:isn't|wasn't|didn't|doesn't|don't|hasn't|haven't|hadn't|aren't|weren't|is not|was not|did not|does not|never did|never was|has not)|that(?:'s| is) (?:wrong|false|not (?:so|true|right))|not (?:so|true|at all)|never|not him|not her)$`)

// answers is what a stretch of words asserts as an answer to the player's message,
// or "".
func (cl *clause) answers(words []string) string {
	if len(words) == 0 || cl.c.Message == "" {
		return ""
	}
	plain := strings.Join(words, " ")
	yes := affirmation.MatchString(plain)
	no := denial.MatchString(plain)
	if len(words) <= 2 && !yes && !no {
		yes, no = affirming[words[0]], denying[words[0]]
	}
	if !yes && !no {
		return ""
	}
	return proposition(cl.c.Message, no)
}

// proposition is what a yes, or a no, to a message asserts; empty where the message
// is no question of yes or no about anything, and states nothing.
func proposition(message string, denied bool) string {
	sentences := text.Sentences(clipMessage(message))
	for i := len(sentences) - 1; i >= 0; i-- {
		s := sentences[i]
		cl := clause{s: s, end: len(s), c: &Context{}}
		cl.refresh()
		for n := 0; n < maxLeads && len(cl.words) > 2 && (interjections[cl.low(0)] || strings.Contains(cl.gap(0), ",") && cl.low(0) != "is") && !auxiliaries[cl.low(0)]; n++ {
			cl.start = cl.words[1].Start
			cl.refresh()
		}
		cl.dropTags()
		words := cl.lows()
		if len(words) < 2 || asking[words[0]] || cl.news(words, benign) < 2 {
			continue
		}
		core := cl.asserted()
		if denied {
			core = denyOf(core)
		}
		return core
	}
	return ""
}

// clipMessage keeps the end of a long message, where a question stands.
func clipMessage(s string) string {
	const most = 1 << 10
	if len(s) > most {
		return strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return s
}

// denyOf puts "not" after the first auxiliary, or in front.
func denyOf(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if auxiliaries[strings.ToLower(w)] {
			return strings.Join(words[:i+1], " ") + " not " + strings.Join(words[i+1:], " ")
		}
	}
	return "it is not so that " + s
}

// answered is a claim made by an answer alone: its stretch holds the answer's
// words, its core is what they assert.
func answered(s string, start, end int, core string) Claim {
	c := none(s, start, end)
	c.Kind, c.Core, c.Text = schema.ClaimWorld, core, core
	return c
}
