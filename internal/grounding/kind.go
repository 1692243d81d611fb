package grounding

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// social are words of greetings, thanks, leave-taking and manners. A clause made
// of them alone asserts nothing.
var social = text.Set(courteous + more + `journeys take you aye yes no nay ok okay sure indeed hm ah oh ha dear i
	to for the a an be with and then so it that this on in down us at don't how are do what can would about is
	yourself who`)

// benign verbs ask or offer without a fact.
var benign = text.Set(`want need seek look ask mean think say feel know like wish hear help tell bring come go do
	care mind wonder see understand try learn find speak talk stand trust believe`)

// kind says what a clause is about.
func (cl *clause) kind() schema.ClaimKind {
	words := cl.lows()
	switch {
	case len(words) == 0 || cl.all(words, social):
		if cl.frame == FrameHearsay || cl.frame == FrameAttribution || !cl.asked && adds(words) {
			return schema.ClaimWorld
		}
		return schema.ClaimNone
	case cl.ignorance(words):
		return schema.ClaimNone
	case cl.asked:
		return cl.questionKind(words)
	case cl.frame != FrameAttribution && cl.sharedPast():
		return schema.ClaimSharedPast
	case cl.imperative(words):
		return schema.ClaimNone
	case cl.offer(words):
		return schema.ClaimNone
	case cl.feeling(words):
		return schema.ClaimSelf
	case cl.state(words):
		return schema.ClaimState
	}
	return schema.ClaimWorld
}

const (
	courteous = ` hello hi hey hail greetings welcome good fine morrow farewell goodbye bye safe travels travel road
		roads journey care thanks thank kindly cheers sorry pardon excuse forgive please friend friends stranger
		traveller traveler sir madam lady lord lad lass luck best wishes peace blessings bless may gods god worry go
		come sit stay leave let rest wait hold listen look like want need help say ask speak talk carry mention see
		very right of well course until next `
	more = ` more much many now not later soon again another alone always night day evening morning afternoon time
		back away up off out along else all your yours my me here there once quick quickly love anything something `
)

var (
	// courtesies are words with which a sentence is manners, whatever else is in it.
	courtesies = text.Set(courteous)
	// qualifying words add to what was said before: "a crossing costs two bits",
	// "more at night".
	qualifying = text.Set(more)
)

// adds says whether words of manners are no manners but a rest of a sentence that
// goes on from what stood before.
func adds(words []string) bool {
	switch strings.Join(words, " ") {
	case "not at all", "here", "there", "there there", "now then", "not now", "all right", "and now", "now", "now now":
		return false
	}
	return text.HasAny(words, qualifying) && !text.HasAny(words, courtesies)
}

// all says whether every word is in the set, or the player's name.
func (cl *clause) all(words []string, in map[string]bool) bool {
	for _, w := range words {
		if !in[w] && !cl.addresses(w) {
			return false
		}
	}
	return true
}

// news are the content words of a clause that neither the player said nor the
// set holds: what the clause brings up.
func (cl *clause) news(words []string, known map[string]bool) int {
	echo := text.ContentSet(cl.c.Message)
	n := 0
	for _, w := range words {
		if !text.IsStop(w) && !known[w] && !echo[text.Stem(w)] && !cl.addresses(w) {
			n++
		}
	}
	return n
}

var ignorance = regexp.MustCompile(`(?i)^(?:(?:i|we)(?:'m| am)? ?(?:really |honestly |truly |simply |just ` +
	`|still )?(?:do not|don't|did not|didn't|can't|can not|cannot|couldn't|could not|wouldn't|would not` +
	`|afraid i (?:don't|do not|can't|cannot|couldn't)|not sure|not certain|unsure)(?: (?:really|honestly))? ?(?:know` +
	`|say|tell you|tell|recall|remember|help you(?: there| with that)?|speak to that|claim to know|begin to guess)?` +
	`|i know nothing|i know (?:little|not)|(?:i've|i have|we've|we have)? ?(?:i )?never (?:even )?heard|(?:i've` +
	`|i have) (?:no|not the (?:slightest|faintest|least)) (?:idea|notion|clue|knowledge|word|answer)|(?:i've` +
	`|i have) not heard|i haven't heard|i haven't (?:a|the (?:slightest|faintest|least|foggiest)) (?:idea|notion|clue)` +
	`|no (?:idea|notion|clue)|not (?:that i know|that i've heard|to my knowledge|as far as i know)|(?:that|this` +
	`|it)(?:'s| is) (?:nothing|not something|not a thing|news|new|beyond|unknown|a mystery|more than i know` +
	`|not for me)|nobody (?:has )?told me|you(?:'ve| have) lost me|i (?:only )?know what i know|who knows|hard to say` +
	`|couldn't (?:say|tell you)|can't (?:say|tell you|help you)|cannot say|don't know|do not know|never heard|beats me` +
	`|search me|your guess is as good as mine|(?:that|the) name means nothing|i could only guess` +
	`|i would only be guessing|i'd only be guessing|i won't guess|i don't guess)\b`)

var ignoranceTail = text.Set(`that this it anything much more about of to me tell you there for sure certain
	certainly a thing word any one name such nothing know say anybody anyone ever before sorry afraid either on know
	knowing i the matter answer question place person man woman town what or who where is was him her them he she they
	whether if him-self details idea at all friend stranger with`)

// ignorance says whether a clause only owns to not knowing. What it names may be
// the player's own words and one name more, else it says something by the way.
func (cl *clause) ignorance(words []string) bool {
	plain := strings.Join(words, " ")
	m := ignorance.FindStringIndex(plain)
	if m == nil {
		return false
	}
	rest := strings.Fields(plain[m[1]:])
	if len(rest) > 0 && presuming[rest[0]] && cl.contentWords(rest) > 1 {
		return false // "I don't know why Bram burned the mill" says that he did
	}
	return cl.news(rest, ignoranceTail) <= 1
}

// presuming words take what follows them for granted.
var presuming = text.Set(`why how when that because since`)

func (cl *clause) contentWords(words []string) int {
	n := 0
	for _, w := range words {
		if !text.IsStop(w) && !ignoranceTail[w] {
			n++
		}
	}
	return n
}

var (
	embedding = text.Set(`that which because since after before when while who whose whom`)
	asking    = text.Set(`who whom whose what which when where why how`)
)

// questionKind: a plain question asserts nothing. One that denies, that asks why
// or how something came about, or that brings up more than it asks for, does.
func (cl *clause) questionKind(words []string) schema.ClaimKind {
	if cl.frame == FrameOpinion || cl.frame == FrameHearsay || cl.frame == FrameAttribution {
		return schema.ClaimWorld
	}
	first := words[0]
	news := cl.news(words, benign)
	negative := slices.ContainsFunc(words, text.Denies)
	embeds := false
	for i, w := range words {
		embeds = embeds || i > 1 && embedding[w] && i+2 < len(words)
	}
	toPlayer := slices.Contains(words, "you") || slices.Contains(words, "your")
	switch {
	case !toPlayer && cl.points(words):
		return schema.ClaimWorld
	case negative && news >= 2, negative && !toPlayer && news >= 1:
		return schema.ClaimWorld
	case embeds && news >= 1:
		return schema.ClaimWorld
	case (first == "why" || first == "how" || first == "when") && cl.past(words) && news >= 1:
		return schema.ClaimWorld
	case asking[first] && !toPlayer && news >= 2:
		return schema.ClaimWorld
	case news >= 3:
		return schema.ClaimWorld
	}
	return schema.ClaimNone
}

// points says whether a question points at somebody: "was it Bram?", or takes for
// granted that they did it: "why did he do it?".
func (cl *clause) points(words []string) bool {
	if auxiliaries[words[0]] && len(words) > 2 &&
		(neutral[words[1]] || personal[words[1]] || plural[words[1]] || pointing[words[1]]) {
		return cl.nameWords() > 0 && cl.news(words, benign) > 0
	}
	return (words[0] == "why" || words[0] == "how") && cl.past(words) && text.HasAny(words, personal)
}

func (cl *clause) past(words []string) bool {
	for _, w := range words {
		switch w {
		case "did", "was", "were", "had", "has", "have", "could", "didn't":
			return true
		}
	}
	return false
}

var imperatives = text.Set(`come go sit mind leave take ask try look wait listen speak tell keep be let stay follow
	bring give show get talk seek find see say stand shut close open don't never hold stop watch beware forget remember
	walk hurry drink eat rest sleep return hush put hand pay do have enjoy make trust move step consider think pick
	choose buy sell heed fear spare bear pass send call cut`)

var elsewhere = text.Set(`ask try see speak talk find seek`)

// imperative says whether a clause only tells the player to do something and
// brings up nothing new, or sends them to one person who may know.
func (cl *clause) imperative(words []string) bool {
	if words[0] == "please" || words[0] == "do" || words[0] == "just" || words[0] == "then" {
		words = words[1:]
	}
	if len(words) == 0 || !imperatives[words[0]] || len(words) > 1 && verbish(words[1]) {
		return false
	}
	news := cl.news(words[1:], social)
	if elsewhere[words[0]] {
		return news <= 1+cl.nameWords() && !text.HasAny(words, embedding) && !text.HasAny(words, presuming) &&
			!hasPlace(words)
	}
	return news == 0
}

// hasPlace: "ask Osric at the chapel" says where he is.
func hasPlace(words []string) bool {
	for i, w := range words {
		switch w {
		case "at", "in", "by", "near", "behind", "beside", "on", "under", "across", "over", "beyond":
			if i > 1 {
				return true
			}
		}
	}
	return false
}

// nameWords is how many words of the clause stand with a capital after its start.
func (cl *clause) nameWords() int {
	n := 0
	for i, w := range cl.words {
		if i > 1 && cl.s[w.Start] >= 'A' && cl.s[w.Start] <= 'Z' {
			n++
		}
	}
	return n
}

var offerStart = regexp.MustCompile(`(?i)^(?:(?:i|we)(?:'ll| will| can| could| shall| might| would|'d)?(?: gladly` +
	`| only| be glad to| be happy to)? (?:ask|help|look|listen|listening|wait|see|find out|inquire|enquire|try` +
	`|tell you|show you|keep an eye out)|you (?:could|can|might|should|may|might want to|would do better to) (?:ask` +
	`|try|speak|talk|see|seek)|somebody else may|perhaps (?:ask|try)|(?:shall|may|can) i)\b`)

// offer says whether a clause only offers help or points to somebody to ask.
func (cl *clause) offer(words []string) bool {
	m := offerStart.FindStringIndex(strings.Join(words, " "))
	return m != nil && cl.news(strings.Fields(strings.Join(words, " ")[m[1]:]), social) <= 1+cl.nameWords() &&
		!text.HasAny(words, embedding) && !hasPlace(words)
}

var sharedPast = regexp.MustCompile(`(?i)\b(?:(?:you|we)(?:'ve| have| had| did| once| already| also| both| never` +
	`| just| yourself)* (?:told|said|asked|promised|mentioned|swore|spoke|talked|met|agreed|gave me|brought me` +
	`|showed me|helped me|lent me|sold me|paid me|owed? me|lied to me|warned me|came to me|visited|discussed|shared` +
	`|offered|thanked|saved me)\b|i(?:'ve| have| had| did| once| already| also| never| just)* (?:told|promised|gave` +
	`|warned|asked|lent|sold|showed|taught|thanked|owe) you\b|as (?:i|you) (?:said|told|mentioned|promised)` +
	`|last time (?:you|we|i)\b|when (?:we|you) last\b|(?:do you |you )?remember (?:when|how|that) (?:we|you|i)\b` +
	`|since (?:we|you) last\b|^you said\b|^i said(?: to you)?\s*[:,"]|our last (?:talk|meeting|conversation))`)

func (cl *clause) sharedPast() bool { return sharedPast.MatchString(text.Plain(cl.s[cl.start:cl.end])) }

func hasDigit(words []string) bool {
	for _, w := range words {
		if strings.ContainsAny(w, "0123456789") {
			return true
		}
	}
	return false
}

var (
	volatile = text.Set(`open closed close shut locked unlocked empty full lit ready busy here away asleep awake
		wounded hurt alive dead armed unarmed hungry thirsty drunk dirty wet broke rich level online offline barred`)
	nowWords   = text.Set(`now today currently tonight presently`)
	habitWords = text.Set(`always never often usually sometimes every each once was were had will would used seldom
		rarely when whenever if during until after before`)
	yourState = regexp.MustCompile(`(?i)^(?:you(?:'re| are| carry| hold| wear| bear| own|'ve (?:got )?` +
		`| have (?:got )?)|your (?:purse|pack|bag|level|trust|health|armou?r|sword|weapon|quest|reputation|inventory` +
		`|wound)s? )`)
)

// state says whether a clause tells how things stand now with the NPC, the place
// or the player.
func (cl *clause) state(words []string) bool {
	if text.HasAny(words, habitWords) {
		return false
	}
	plain := text.Plain(strings.TrimSpace(cl.s[cl.start:cl.end]))
	if yourState.MatchString(plain) && !(len(words) > 2 && words[1] == "have" && words[2] == "to") {
		return true
	}
	own := words[0] == "my" || words[0] == "our" || words[0] == "i" || words[0] == "i'm" || words[0] == "we" ||
		words[0] == "we're"
	present := slices.Contains(words, "is") || slices.Contains(words, "are") || slices.Contains(words, "am") ||
		words[0] == "i'm" ||
		words[0] == "we're" || slices.Contains(words, "isn't") || slices.Contains(words, "aren't")
	if !present || len(words) > 8 {
		return false
	}
	last := words[len(words)-1]
	return own && volatile[last] || text.HasAny(words, nowWords) && text.HasAny(words, volatile)
}
