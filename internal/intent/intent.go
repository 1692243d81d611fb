// Package intent reads what a player's message wants: a greeting, thanks, small
// talk, a question, a request, an instruction to the machine behind the NPC. It
// is rules over words only, holds no state, and never looks at a world: whether
// a question can be answered is for retrieval to say.
package intent

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// Reading is what a message wants.
type Reading struct {
	Kind     string         // one of schema.Intent*
	Class    protocol.Class // how much thought and speech it is worth
	Question string         // the part that asks, instructions to the machine left out
	Injected bool           // something in the message addresses the machine, not the NPC
	OwnLife  bool           // it tells of the player's own life alone, of which no lore can tell
}

// Read classifies a message.
func Read(message string) Reading {
	clean, injected := withoutInstructions(message)
	r := Reading{Injected: injected}
	words := normal(clean)
	switch {
	case len(words) == 0 && injected:
		r.Kind = protocol.IntentInjection
	case len(words) == 0:
		r.Kind = protocol.IntentSmalltalk
	default:
		r.Kind = kindOf(clean, words)
		if r.Kind == protocol.IntentStatement && tellsOfSelf(clean) {
			r.Kind, r.OwnLife = protocol.IntentTelling, tellsOfLife(clean)
		}
	}
	if injected && r.Kind != protocol.IntentQuestion && r.Kind != protocol.IntentRecap {
		r.Kind = protocol.IntentInjection
	}
	switch r.Kind {
	case protocol.IntentQuestion, protocol.IntentStatement, protocol.IntentTelling, protocol.IntentAction:
		r.Question = askingPart(clean)
	}
	r.Class = classOf(r.Kind, clean, words)
	return r
}

// Tone is what a message does besides what it asks.
type Tone struct{ Thanks, Insult, Threat, Apology bool }

// ToneOf reads the tone of a message.
func ToneOf(message string) Tone {
	words := normal(message)
	joined := " " + strings.Join(words, " ") + " "
	return Tone{Thanks: text.HasAny(words, thanksWords),
		Insult: text.HasAny(words, insultWords) && !denied.MatchString(joined),
		Threat: threatPattern.MatchString(joined), Apology: apologyPattern.MatchString(joined)}
}

// Social says whether the intent is answered from authored lines.
func (r Reading) Social() bool {
	switch r.Kind {
	case protocol.IntentGreeting, protocol.IntentFarewell, protocol.IntentThanks, protocol.IntentSmalltalk,
		protocol.IntentKindness, protocol.IntentFeelings, protocol.IntentWhoAreYou:
		return true
	}
	return false
}

// chatSpeak spells out what players abbreviate.
var chatSpeak = map[string]string{
	"u": "you", "ur": "your", "r": "are", "ya": "you", "y'all": "you", "thx": "thanks", "ty": "thanks",
	"tysm": "thanks", "tnx": "thanks", "cya": "bye", "cu": "bye", "bb": "bye", "gm": "morning", "hru": "how are you",
	"wassup": "what's up", "sup": "what's up", "whats": "what is", "what's": "what is", "whos": "who is",
	"who's": "who is", "wheres": "where is", "where's": "where is", "hows": "how is", "how's": "how is",
	"whens": "when is", "when's": "when is", "whys": "why is", "why's": "why is", "y": "why", "cuz": "because",
	"im": "i am", "i'm": "i am", "dont": "do not", "don't": "do not", "pls": "please", "plz": "please",
	"wanna": "want to", "gonna": "going to", "gotta": "got to", "gimme": "give me", "lemme": "let me",
	"wut": "what", "wat": "what", "wot": "what", "youre": "you are", "you're": "you are", "isnt": "is not",
	"n": "and", "howd": "how did", "whod": "who did", "whered": "where did", "whyd": "why did", "whatd": "what did",
	"whatre": "what are", "theres": "there is", "m8": "mate", "cos": "because", "abt": "about", "bout": "about",
	"em": "them", "ppl": "people",
}

// normal are the words of a message with chat-speak spelled out.
func normal(s string) []string {
	var out []string
	for _, w := range text.Words(s) {
		if full, ok := chatSpeak[w]; ok {
			out = append(out, strings.Fields(full)...)
			continue
		}
		out = append(out, w)
	}
	return out
}

// kindOf decides between the kinds. A message that asks is a question even when
// it begins with a greeting; only what is left without a question is social.
func kindOf(message string, words []string) string {
	joined := " " + strings.Join(words, " ") + " "
	asks := Asks(message)
	switch {
	case recapPattern.MatchString(joined):
		return protocol.IntentRecap
	case whoAreYouPattern.MatchString(joined) && len(words) <= 9 && !forWhom.MatchString(joined):
		return protocol.IntentWhoAreYou
	case asks && feelingsQuestion(joined, words):
		return protocol.IntentFeelings
	case kindness(message, joined, words):
		return protocol.IntentKindness
	case asks && smalltalkQuestion.MatchString(joined) && len(words) <= 9:
		return protocol.IntentSmalltalk
	case asks:
		return protocol.IntentQuestion
	case requestPattern.MatchString(joined):
		return protocol.IntentAction
	case text.HasAny(words, thanksWords) && len(words) <= 14:
		return protocol.IntentThanks
	case farewellPattern.MatchString(joined) && len(words) <= 12:
		return protocol.IntentFarewell
	case greetingPattern.MatchString(joined) && len(words) <= 12:
		return protocol.IntentGreeting
	case smalltalkPattern.MatchString(joined) && len(words) <= 12:
		return protocol.IntentSmalltalk
	case isTopic(message, words) && !tellsOfLife(message):
		return protocol.IntentQuestion
	case len(words) <= 3 || aboutFeelings(words) || !assertsThings(message, words):
		return protocol.IntentSmalltalk
	}
	return protocol.IntentStatement
}

var (
	recapPattern = regexp.MustCompile(` (what|which)( \w+)? (did|have|was|were) (i|you|we) (just |already |last )?(say` +
		`|said|tell|told|talk|talking|ask|asked|mention|call) ` +
		`| what (was|is) my (name|last question|question) | (repeat|remind me) (of )?what (you|i) (just )?(said|told) ` +
		`| (sum up|summarise|summarize|recap) (our|the|this|that|what|it|all|everything) | ` +
		`what have (you|i|we) (told|said|talked|asked|discussed) ` +
		`| (first|last) thing (that )?(i|you) (just )?(asked|said|told|mentioned) `)
	whoAreYouPattern = regexp.MustCompile(` who (are|is|might) you | what is your name | your name | ` +
		`introduce yourself | tell me about yourself | what are you called | who am i (talking|speaking) (to|with) `)
	smalltalkPattern = regexp.MustCompile(` (what is up|how is it going|how goes it|nice (day|weather|place|evening` +
		`|night)|lovely (day|weather|evening)|(weather|cold|warm|hot|rain|rainy|sunny) (today|tonight|huh|eh|right` +
		`|is not it)|you ok|you okay|all (right|good|well) ?(there|mate|with you)?|need a hug|talk to me|bored|good one` +
		`|haha|lol|lmao|rofl|hehe|cheer up|chin up|feel better|get well|sorry (for|about|to hear)|so cool|so sweet` +
		`|so funny|how is (life|business|work|everything|your day)) `)
	forWhom = regexp.MustCompile(` who (are|is|might) you [a-z']*(ing|ed|suppose|sposed|to|with|from|for` +
		`|after|of|about|on|meant)\b`)
	smalltalkQuestion = regexp.MustCompile(` (what is up|how is it going|how goes it|(weather|cold|warm|hot|rain|rainy` +
		`|sunny) (today|tonight|huh|eh|right|is not it)|you ok|you okay|all (right|good|well) (there|mate|with you)?` +
		`|need a hug|how is (life|business|work|everything|your day)|good one) `)
	compliment = regexp.MustCompile(`^ (you|you have|you've) (got )?(a|such a|such|the most) ` +
		`(lovely|beautiful|nice|pretty|kind|fine|great|wonderful) ` +
		`|^ (i )?(really |just |do )?(love|like|adore|admire) your (\w+ )?\w+ $|^ (really )?love the \w+ $`)
	goodWish = regexp.MustCompile(` you (should|ought to|must|need to|could do with) ((get|have|take) )?(some|a|your) ` +
		`(rest|sleep|break|lie down) |^ (take it easy|be careful|stay safe|keep warm|rest well|sleep well) `)
	// a player's offer to the NPC: no lore answers it
	invitation = regexp.MustCompile(`^ (do |would )?(you )?(fancy|care for|want to (grab|get|have|share)|like to have) ` +
		`(a|an|some|another) (\w+ )?\w+( (later|tonight|sometime|with me))? $` +
		`|^ (do you |would you )?(want to|like to|shall we|can we|let us) be (my )?(friends?|mates?) $`)
	offerPattern = regexp.MustCompile(` (can|could|may|shall|might) i ((get|buy|offer) you ` +
		`(a|an|some|something|anything|another)|help you) ` +
		`| (can|could|may|might) i (help|be of (any )?(help|use|service)) $` +
		`|^ (is there )?anything (that )?i (can|could|may) (do|help|get) `)
	requestPattern = regexp.MustCompile(` (give|hand|lend|sell|show|fetch|bring|send|take|follow|help|teach|heal|open` +
		`|let|join|come|trade|kill|attack|accept|want to buy|like to buy|i will take|i accept|swap) (me|us|him|her|it` +
		`|this|that|the|a|an|my|your|with|one|some|i|to) `)
	greetingPattern = regexp.MustCompile(`^ (oh )?(hi|hello|hey|hiya|heya|hullo|howdy|greetings|greeting|salutations` +
		`|hail|yo|ahoy|morning|afternoon|evening|good (morning|day|evening|afternoon)|well met|g'day|welcome|hola` +
		`|what is up) `)
	farewellPattern = regexp.MustCompile(` (bye|goodbye|farewell|good night|goodnight|see you|later|laters|take care` +
		`|safe travels|until next time|i am off|got to (go|run|leave)|must (go|leave|be off)|be going|so long|catch you` +
		`|peace out|i (will|shall) (go|leave) now) `)
	feelPattern = regexp.MustCompile(` (how (are|is) (you|things|life)( \w+)?( doing| feeling| holding` +
		`| keeping)?( up)?( today| tonight| now| this \w+)?|how do you (feel|do|fare|like)|how have you been` +
		`|how you (doing|feeling|been)|are you (\w+ )?(ok|okay|alright|well|happy|sad|scared|afraid|lonely|tired|bored` +
		`|angry|mad|worried|nervous|hungry|cold|upset|proud|jealous|sick|hurt|crying|excited|lost)|do you (\w+ )?(like` +
		`|love|enjoy|miss|hate|fear|mind|feel|regret|trust me|believe me|hope|dream|get (lonely|bored|tired|scared))` +
		`|you (feel|feeling)|does it (hurt|bother you|make you)|have you been (well|ok|okay|happy)|do you ever (feel|get` +
		`|miss|dream|wish)) `)
)

// kindness says whether a message is an offer, a compliment or a good wish, and little else.
func kindness(message, joined string, words []string) bool {
	switch {
	case len(words) <= 9 && (offerPattern.MatchString(joined) || invitation.MatchString(joined)):
		return true
	case strings.Contains(message, "?"):
		return false
	}
	return len(words) <= 9 && compliment.MatchString(joined) || len(words) <= 14 && goodWish.MatchString(joined)
}

// feelingsQuestion says whether a question asks how the NPC feels: about nothing
// in particular, or about one thing at most.
func feelingsQuestion(joined string, words []string) bool {
	loc := feelPattern.FindStringIndex(joined)
	if loc == nil {
		return false
	}
	rest := strings.Fields(joined[loc[1]-1:])
	content := 0
	for _, w := range rest {
		if !text.IsStop(w) {
			content++
		}
		if strings.HasPrefix(w, "wh") && w != "while" || w == "how" {
			return false
		}
	}
	return content <= 3 && len(words) <= 16
}

// Asks says whether a message asks for something: a question mark, a question
// word or an auxiliary in front, or a phrase that asks.
func Asks(message string) bool {
	for _, s := range chatSentences(message) {
		words := normal(s)
		if len(words) == 0 {
			continue
		}
		joined := " " + strings.Join(words, " ") + " "
		switch {
		case text.IsQuestion(s) && len(words) > 1 && !tagOnly.MatchString(joined):
			return true
		case asksInside.MatchString(joined):
			return true
		}
		first := words
		for len(first) > 1 && (leadIns[first[0]]) {
			first = first[1:]
		}
		if questionWords[first[0]] && len(first) > 1 && !exclaims.MatchString(" "+strings.Join(first, " ")+" ") {
			return true
		}
		if auxiliaries[first[0]] && len(first) > 2 && subjects[first[1]] {
			return true
		}
	}
	return false
}

var (
	asksInside = regexp.MustCompile(` (tell (me|us) (about|of|more|what|who|where|when|why|how|the|your|everything|all` +
		`|a|which|if|whether)|tell about|what (about|of)|how about|do you (know|have|sell|remember|think)|any (idea|clue` +
		`|word|news|chance|rumou?rs?)|i (wonder|am wondering|want to know|need to know|would like to know|heard)` +
		`|wondering|(could|can|would|will) you|explain|describe|remind me|got any|got a|know (of|where|who|what|when|why` +
		`|how|anything|about)|talk about|say about|speak of|looking for|where|who is|who was|what is|how (do|does|did` +
		`|much|many|long|far|old|big|come)|(which|what|why|where|when|who|whose) ([a-z']+ )?(is|are|was|were|do|does|did` +
		`|has|have|can|should|would|will)|which (way|one)|show me) `)
	exclaims = regexp.MustCompile(
		`^ (what a|what an|how (nice|lovely|sweet|cool|kind|sad|terrible|awful|wonderful|rude)) `)
	tagOnly = regexp.MustCompile(`^ (huh|eh|really|right|ok|okay|oh|hm+|yes|no|so|what|is it|are you|well|hello|hi|hey` +
		`|excuse me|pardon|sorry) $`)
)

var questionWords = text.Set(`who whom whose what which when where why how whereabouts`)
var auxiliaries = text.Set(`is are was were do does did can could will would should shall may might have has had am
	isn't aren't wasn't don't doesn't didn't won't can't couldn't wouldn't hasn't haven't is`)
var subjects = text.Set(`i you he she it we they the a an this that these those there your my his her its our their
	any anyone anybody someone somebody everyone not all some one`)
var leadIns = text.Set(`so and but well ok okay hey hi hello oh um uh psst yo please pls listen look now then say btw
	also excuse me sir lady friend mate buddy gramps granny dude bro man wait right alright ahoy greetings morning good
	evening day`)
var thanksWords = text.Set(`thanks thank thankyou cheers ta ty thx appreciated appreciate grateful obliged`)
var insultWords = text.Set(`idiot fool stupid moron scum bastard liar coward worthless ugly`)

var (
	denied = regexp.MustCompile(` (?:not|never|no) (?:an? |the )?(?:idiot|fool|stupid|moron|scum|bastard|liar|coward` +
		`|worthless|ugly) `)
	threatPattern = regexp.MustCompile(` (?:i will|i shall|i am going to|we will|i'll|i would|we'll) (?:kill|hurt|burn` +
		`|gut|cut|beat|break|ruin|hang|stab|end|bury|destroy) (?:you|your|ya) | you will (?:regret|pay for) ` +
		`| watch your back | (?:talk|speak|tell me|pay|do it) or (?:else|die) | or i will (?:kill|hurt|burn|break|cut) `)
	apologyPattern = regexp.MustCompile(` (?:i am|we are|so|very|truly) sorry (?:for (?:what|that|the way|my|how` +
		`|being|saying|calling)|about what i|i (?:said|called|was)|$)| i (?:apologi[sz]e|take it back|take that back` +
		`|was wrong to) | ` +
		`(?:please )?forgive me |^ sorry (?:for (?:what|that|my|calling)|i (?:said|called|was)) |my apologies `)
)

var chatBreak = regexp.MustCompile(`[.!?]+\s+|\n+`)

// chatSentences cuts a chat message at every end mark, also where no capital
// follows, as players write.
func chatSentences(message string) []string {
	var out []string
	at := 0
	for _, loc := range chatBreak.FindAllStringIndex(message, -1) {
		out = append(out, strings.TrimSpace(message[at:loc[1]]))
		at = loc[1]
	}
	if rest := strings.TrimSpace(message[at:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// isTopic takes a bare topic ("the mill", "Greenway", "dragon armour prices") for
// a question about it.
func isTopic(message string, words []string) bool {
	if len(words) > 5 || strings.ContainsAny(message, "!:;)(") {
		return false
	}
	for _, w := range words {
		if !text.IsStop(w) && !chatter[w] {
			return !text.HasAny(words, verbsOfTalk)
		}
	}
	return false
}

// chatter are words that fill a conversation and name no topic.
var chatter = text.Set(`lol ok okay haha hehe lmao wow yes no yeah yep nope sure fine great cool nice good bad really
	true right alright hm hmm ah aw aww ouch brr ugh damn oh nah indeed maybe perhaps whatever agreed deal exactly
	awesome amazing sweet sorry pardon mate buddy friend sir lady gramps granny dude bro man gg wp brb afk test`)

var verbsOfTalk = text.Set(`i you we am are is was were love like hate miss want feel`)

var feelingWords = text.Set(`sorry sad happy love like hate miss feel feeling hope wish glad bored tired lonely
	scared afraid cold hungry poor sweet cool funny pretty beautiful handsome best lovely kind nice brave great cheer
	hug smile laugh cry welcome congrats congratulations luck`)

func aboutFeelings(words []string) bool { return len(words) <= 14 && text.HasAny(words, feelingWords) }

// assertsThings says whether a message states something about third things: it
// is long enough, or names something.
func assertsThings(message string, words []string) bool {
	content := 0
	for _, w := range words {
		if !text.IsStop(w) && !chatter[w] {
			content++
		}
	}
	return content >= 3 || content >= 2 && hasName(message)
}

var nameInside = regexp.MustCompile(`\S\s+[A-Z][a-z]{2,}`)

func hasName(message string) bool { return nameInside.MatchString(message) }

// askingPart is the message without the sentences that only greet or thank.
func askingPart(message string) string {
	var keep []string
	for _, s := range chatSentences(message) {
		words := normal(s)
		if len(words) == 0 {
			continue
		}
		kind := kindOfSentence(s, words)
		if kind == protocol.IntentGreeting || kind == protocol.IntentThanks || kind == protocol.IntentFarewell {
			continue
		}
		keep = append(keep, unpressed(s))
	}
	if len(keep) == 0 {
		return message
	}
	return strings.Join(keep, " ")
}

// pressing tells how to answer and nothing of what: "Choose one, there is no third: …".
var pressing = regexp.MustCompile(`(?i)^\W*(?:just |quick, |come on, |now )?(?:choose|pick|decide|answer|guess` +
	`|admit it|be honest|be brief|no excuses|think hard|swear)\b[^:?]{0,60}: `)

// unpressed is a question without such words in front.
func unpressed(s string) string {
	at := pressing.FindStringIndex(s)
	if at == nil || !Asks(s[at[1]:]) {
		return s
	}
	return s[at[1]:]
}

func kindOfSentence(s string, words []string) string {
	if Asks(s) {
		return protocol.IntentQuestion
	}
	joined := " " + strings.Join(words, " ") + " "
	switch {
	case len(words) <= 4 && greetingPattern.MatchString(joined):
		return protocol.IntentGreeting
	case len(words) <= 6 && text.HasAny(words, thanksWords):
		return protocol.IntentThanks
	case len(words) <= 4 && farewellPattern.MatchString(joined):
		return protocol.IntentFarewell
	}
	return protocol.IntentStatement
}

var complexPattern = regexp.MustCompile(` (why|explain|describe|story|tale|history|everything|tell (me|us)` +
	`|what happened|know about|how come) `)

// classOf sets how much thought and speech a message is worth.
func classOf(kind, message string, words []string) protocol.Class {
	joined := " " + strings.Join(words, " ") + " "
	switch {
	case Reading{Kind: kind}.Social() || kind == protocol.IntentInjection:
		return protocol.ClassGreeting
	case len(words) > 20 || strings.Count(message, "?") > 1 || complexPattern.MatchString(joined):
		return protocol.ClassComplex
	}
	return protocol.ClassMedium
}
