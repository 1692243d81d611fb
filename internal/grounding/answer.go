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
	affirming = text.Set(`yes aye yep yeah yup yea indeed exactly precisely correct certainly absolutely definitely
		true`)
	denying = text.Set(`no nay nope`)
)

var affirmation = regexp.MustCompile(`^(?:so (?:it|he|she|they|i) (?:is|was|did|does|do|has|have|had|are|were|am)` +
	`|(?:it|he|she|they|i|we) (?:is|was|did|does|do|has|have|had|are|were|am|sure (?:is|did|was|does))(?: so| indeed)?` +
	`|that(?:'s| is| was) (?:right|true|so|correct|it)|that it (?:is|was)|that (?:he|she|they) (?:did|was|is|has)` +
	`|right(?: you are)?|quite(?: so| right)?|true enough|of course|very true|just so|so i do|so i did|i(?:'m` +
	`| am)? (?:afraid|fear|think|believe|suppose|guess|reckon|know|(?:should|would) (?:think|say)) (?:so|(?:he|she|it` +
	`|they) (?:is|was|did|does|do|has|have|had|are|were)))$`)

// agreement says that the player is right, whatever it was about: it asserts what
// the player said, and where that cannot be told it is a claim in itself.
var agreement = regexp.MustCompile(`^(?:you(?:'re| are| were)(?: quite| very| so| all too| perfectly)? (?:right` +
	`|correct)|you have (?:it|that)(?: right)?|you(?:'ve| have)? (?:guessed|got|said|put) (?:it|that)(?: (?:right|well` +
	`|true))?|you speak (?:true|truly|the truth)|(?:just |exactly )?as you say|(?:what|all that|everything) you (?:say` +
	`|said)(?: there)? is (?:so|true|right|correct)|i (?:can(?:not|'t)? |will not |won't |do(?:n't| not) )?(?:agree` +
	`|confirm|deny)(?: with you)?(?: it| that| as much)?|i(?:'m| am)? (?:fear|afraid|think|believe|suppose|reckon` +
	`|guess|hope|should say|would say|daresay|dare say) so|that is (?:what|how it) happened|so it happened|who else` +
	`|what else|who if not (?:he|she|they|him|her|them))$`)

var denial = regexp.MustCompile(`^(?:(?:it|he|she|they|i|we) (?:isn't|wasn't|didn't|doesn't|don't|hasn't|haven't` +
	`|hadn't|aren't|weren't|is not|was not|did not|does not|never did|never was|has not)|that(?:'s| is) (?:wrong|false` +
	`|not (?:so|true|right))|not (?:so|true|at all)|never|not him|not her|i(?:'m| am)? (?:afraid|fear|think|believe` +
	`|suppose) not)$`)

// answers is what a stretch of words asserts as an answer to the player's message,
// or "".
func (cl *clause) answers(words []string) string {
	if len(words) == 0 {
		return ""
	}
	plain := strings.Join(words, " ")
	if cl.c.Message != "" && agreement.MatchString(plain) {
		if core := proposition(cl.c.Message, false); core != "" {
			return core
		}
		return plain
	}
	yes := affirmation.MatchString(plain)
	no := denial.MatchString(plain)
	if len(words) <= 2 && !yes && !no {
		yes, no = affirming[words[0]], denying[words[0]]
	}
	if !yes && !no {
		return ""
	}
	if core := proposition(cl.c.Message, no); core != "" || !yes {
		return core
	}
	return vouched(cl.before, cl.c)
}

// vouched is what a yes after a claim asserts outright: "they say that it is
// haunted, and so it is" says that it is haunted. What was said without a frame is
// asserted already.
func vouched(before []Claim, c *Context) string {
	if len(before) == 0 && len(c.Previous) > 0 {
		alone := *c
		alone.Previous = nil
		before = Claims(c.Previous[len(c.Previous)-1], alone)
	}
	for i := len(before) - 1; i >= 0; i-- {
		if b := before[i]; b.Kind != schema.ClaimNone {
			if b.Frame == FrameHearsay || b.Frame == FrameAttribution || b.Frame == FrameOpinion {
				return b.Core
			}
			return ""
		}
	}
	return ""
}

// proposition is what a yes, or a no, to a message asserts; empty where the message
// is no question of yes or no about anything, and states nothing.
func proposition(message string, denied bool) string {
	sentences := text.Sentences(clipMessage(message))
	for i := len(sentences) - 1; i >= 0; i-- {
		s := sentences[i]
		cl := clause{s: s, end: len(s), c: &Context{}}
		cl.refresh()
		for n := 0; n < maxLeads && len(cl.words) > 2 &&
			(interjections[cl.low(0)] || strings.Contains(cl.gap(0), ",") && cl.low(0) != "is") && !auxiliaries[cl.low(0)]; n++ {
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
