package grounding

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// interjections at the front of a clause assert nothing.
var interjections = text.Set(`well ah oh aye yes no nay yep yeah nope sure right hm hmm hmph ha hah haha eh ach bah
	look listen see now ho hey indeed truly honestly frankly alas mind so anyway okay ok please sorry friend stranger
	traveller traveler sir madam lad lass and but`)

// dropLeads moves openers, interjections and an address to the player into spans
// that assert nothing.
func (cl *clause) dropLeads() {
	for again := true; again && !cl.empty() && len(cl.lead) < maxLeads; {
		again = false
		if n := cl.phraseAt(0, cl.c.Openers); n > 0 && n < len(cl.words) {
			cl.leadOf(n)
			again = true
			continue
		}
		if n := cl.agrees(); n > 0 {
			cl.leadOf(n)
			again = true
			continue
		}
		ends := strings.ContainsAny(text.Plain(cl.gap(0)), ",.!?;:-")
		w := cl.low(0)
		if len(cl.words) > 1 && (interjections[w] && (ends || w == "and" || w == "but") || ends && cl.addresses(w)) {
			cl.leadOf(1)
			again = true
		}
	}
}

// agrees is how many words at the front of a clause say yes to the player before
// something else is said: "you are right, and be quick about it".
func (cl *clause) agrees() int {
	words := cl.lows()
	for n := min(maxAgreement, len(words)-1); n > 0; n-- {
		if !strings.ContainsAny(text.Plain(cl.gap(n-1)), ",.!?;:-") && words[n] != "and" && words[n] != "but" {
			continue
		}
		if plain := strings.Join(words[:n], " "); agreement.MatchString(plain) || affirmation.MatchString(plain) {
			return n
		}
	}
	return 0
}

// maxAgreement is more words than any agreement has.
const maxAgreement = 7

// addresses says whether a word calls the player by name. A name that is written in
// the sentence as a name, is short and is nobody else's in the world is one; else
// whoever is called “Bram burned the mill” would be told so.
func (cl *clause) addresses(w string) bool {
	name := text.Words(cl.c.Player)
	if len(name) > maxPlayerName || !slices.Contains(name, w) || text.IsStop(w) || verbish(w) {
		return false
	}
	for _, known := range append([]string{cl.c.NPCName}, cl.c.Names...) {
		if slices.ContainsFunc(text.Words(known), func(k string) bool { return slices.Contains(name, k) }) {
			return false
		}
	}
	for i := range cl.words {
		if cl.low(i) == name[0] && startsUpper(cl.s[cl.words[i].Start:]) {
			return w == name[0] || i+len(name) <= len(cl.words) && slices.Equal(cl.lows()[i:i+len(name)], name)
		}
	}
	return false
}

// maxPlayerName is how many words a name has that NPCs call a player by.
const maxPlayerName = 3

// leadOf moves the first n words into a span of kind none.
func (cl *clause) leadOf(n int) {
	end := cl.words[n].Start
	lead := none(cl.s, cl.start, end)
	if core := cl.answers(cl.lows()[:n]); core != "" {
		lead = answered(cl.s, cl.start, end, core)
	}
	cl.lead = append(cl.lead, lead)
	cl.start, cl.from = end, end
	cl.refresh()
}

// phraseAt is how many words of the clause, from i on, are one of the phrases.
func (cl *clause) phraseAt(i int, phrases []string) int {
	for _, p := range phrases {
		want := text.Words(text.Plain(p))
		if len(want) == 0 || i+len(want) > len(cl.words) {
			continue
		}
		ok := true
		for k, w := range want {
			ok = ok && cl.low(i+k) == w
		}
		if ok {
			return len(want)
		}
	}
	return 0
}

var tagQuestion = regexp.MustCompile(`(?i)[,.;-]\s*((?:is|are|was|were|do|does|did|has|have|had|will|would|can` +
	`|could|should|must|am|ai)(?:n't| not)?\s+(?:i|you|he|she|it|we|they|there|that|this)(?: not)?|(?:i|you|he|she|it` +
	`|we|they)\s+(?:know|see|understand)|right|aye|eh|no|yes|hm+|innit|see|you know|you see|mind you|friend|stranger` +
	`|traveller|don't you (?:think|agree|know)|wouldn't you (?:say|agree)|you hear|understand|got it` +
	`|is that clear)\s*[?.!…]*\s*$`)

// dropTags moves a tag at the end into a span that asserts nothing; what the tag
// asks to be confirmed is asserted.
func (cl *clause) dropTags() {
	plain := text.Plain(cl.s[cl.start:cl.end])
	if len(plain) != cl.end-cl.start { // offsets would not hold; the tag stays with the claim
		return
	}
	m := tagQuestion.FindStringSubmatchIndex(plain)
	if m == nil || m[0] == 0 {
		return
	}
	at := cl.start + m[2]
	if len(text.WordSpans(cl.s[cl.start:at])) < 2 {
		return
	}
	cl.tail = append(cl.tail, none(cl.s, at, cl.end))
	cl.end = at
	cl.asked = false
	cl.refresh()
}

// plainLeads open a clause and add nothing: what follows is said outright.
var plainLeads = regexp.MustCompile(`(?i)^(?:(?:it is|it's|'tis|tis) like this|the matter stands (?:like this|thus` +
	`|so)|(?:this|that|so) much i (?:know|can (?:tell(?: you)?|say))|(?:what|all) i (?:know|can (?:tell(?: you)?` +
	`|say))(?: of it)? is(?: this)?|i (?:know|can tell you) this(?: much)?|here(?:'s| is) (?:what i (?:know` +
	`|can tell you)|how it (?:is|stands)|the (?:truth|matter)(?: of it)?)|(?:hear|know|listen to) this` +
	`|(?:so far )?as i (?:know|remember|recall) it|since you ask(?: me)?|to answer (?:you|your question)` +
	`|as you may hear from me)\s*[,:–—-]+\s*`)

// frames open a clause and say how the rest is meant.
var frames = []struct {
	frame Frame
	re    *regexp.Regexp
}{
	{FrameHearsay, regexp.MustCompile(`(?i)^(?:i have only heard it told|i(?:'ve| have) only heard this told` +
		`|it is no more than a rumou?r|(?:that is|that's|it is|it's) only (?:a rumou?r|hearsay|gossip)(?:, mind)?` +
		`|i know (?:it|this|that) only (?:by|from) hearsay|people tell it, and i can(?:not|'t) vouch for it` +
		`|what is said, and i would(?: not|n't) swear to it|folk say this, though i cannot swear to it` +
		`|though i cannot swear to it|(?:so )?(?:the |some |many |most |old |other )?(?:folk|folks|people|they|some|many` +
		`|travell?ers|villagers|elders|townsfolk|gossips|tongues|sailors|hunters|guards) (?:do )?(?:say|says|claim|claims` +
		`|whisper|whispers|tell|reckon|believe|swear|think|speak of)(?: it)?(?: (?:around here|hereabouts|in town` +
		`|at the inn))?|(?:it is|it's|'tis|tis) (?:said|told|rumou?red|whispered|believed|claimed|thought)|(?:a |the ` +
		`|old )?rumou?rs?(?: has it| have it| says?| goes| is| are)?|(?:the )?(?:word|story|tale|legend|gossip` +
		`|talk) (?:is|has it|goes|says)(?: about)?|i(?:'ve| have)? (?:only |once )?(?:heard|been told)(?: (?:it )?(?:said` +
		`|told|tell|say|whispered|rumou?red|talk|rumou?rs?))?|i hear|i'm told|i am told|from what i(?:'ve| have)? (?:hear` +
		`|heard|been told)|according to (?:rumou?r|gossip|legend|the stories|some)|supposedly|allegedly|reportedly` +
		`|legend has it|so they say|so i hear|so i'm told|word has it|they do say|apparently)(?:\s*[,:–—-]+\s*` +
		`|\s+(?:that\s+)?)`)},
	{FrameOpinion, regexp.MustCompile(`(?i)^(?:i(?: do| really| still| always| honestly| rather| also| just)? (?:think` +
		`|thought|believe|believed|suspect|suspected|guess|guessed|suppose|reckon|reckoned|fancy|imagine|feel|assume` +
		`|expect|gather|swear|bet|dare ?say|know that|knew that|am sure|'m sure|am certain|am told|have no doubt` +
		`|doubt not|would say|would wager|should think)|i'm (?:sure|certain|convinced|positive|quite sure|fairly sure` +
		`|pretty sure|almost sure|afraid)|i am (?:sure|certain|convinced|positive|afraid)|i'd (?:say|wager|bet|guess` +
		`|swear)|(?:it )?seems(?: to me)?|it (?:would )?(?:seem|seems|appear|appears|looks)(?: to me)?|it (?:may|might` +
		`|could) be|perhaps|maybe|possibly|probably|presumably|surely|certainly|clearly|obviously|of course|no doubt` +
		`|doubtless|undoubtedly|as far as i (?:know|can tell|recall|remember)|for all i know|if (?:i recall(?: correctly` +
		`| rightly)?|i remember(?: correctly| rightly)?|memory serves(?: me)?|my memory serves(?: me)?(?: right| well)?` +
		`|i'm not mistaken|i am not mistaken|you ask me|i had to guess)|in my (?:opinion|view|experience)|to my (?:mind` +
		`|knowledge)|by my reckoning|to be honest|truth be told|to tell (?:you )?the truth|the truth is|the fact is` +
		`|everyone knows|everybody knows|as everyone knows|as you (?:know|may know|surely know)|you (?:know|may know` +
		`|might know|surely know|must know|do know|should know)|(?:you )?remember|(?:let me|i can|i could|i may|i must` +
		`|i should|i will|i'll|i have to) (?:tell you|say|assure you|remind you|warn you|add|admit|confess|mention)` +
		`|i (?:assure|warn|remind|tell|promise) you|rest assured|mark my words|believe me|trust me|mind you|(?:did` +
		`|do) you (?:know|remember|realise|realize|hear)|have you (?:heard|not heard)|haven't you heard|who (?:does not` +
		`|doesn't|would not|wouldn't|could|can) (?:know|deny|forget|remember)|(?:is|isn't) it (?:not )?(?:true|so|clear` +
		`|obvious|well known|strange|odd|sad)|can you believe|would you believe|could it be|might it be|what if` +
		`|suppose)(?:\s*[,:–—-]+\s*(?:that\s+)?|\s+(?:that\s+|how\s+)?)`)},
}

// attribution is "Alice says the mill burned" and "Alice wrote that the mill burned";
// what follows "wrote" at once is what she wrote: "Alice writes the crew's programs".
var attribution = regexp.MustCompile(`^((?:the |The |my |My |old |Old )?[\p{L}][\p{L}'’.-]*(?: (?:the ` +
	`|of )?[\p{L}][\p{L}'’.-]*){0,4}?) (?:once |also |himself |herself |always |still )*(?:(?:says|said|told me` +
	`|told us|tells me|tells us|claims|claimed|swears|swore|insists|insisted|believes|believed|reckons|reckoned|thinks` +
	`|thought)(?:\s*[,:–—-]+\s*|\s+that\s+|\s+)|(?:wrote|writes|reports|reported|records|recorded|mentions` +
	`|mentioned|notes|noted)(?:\s*[,:–—-]+\s*|\s+that\s+))`)

// dropHedges takes hedges, hearsay and attribution off the front of what is
// asserted. They stay in the claim's stretch.
func (cl *clause) dropHedges() {
	for again, n := true, 0; again && len(cl.words) > 1 && n < maxLeads; n++ {
		again = false
		if n := cl.phraseAt(0, cl.c.Hedges); n > 0 && n < len(cl.words) {
			cl.start, cl.hedged, again = cl.words[n].Start, true, true
			cl.refresh()
			continue
		}
		rest := text.Plain(cl.s[cl.start:cl.end])
		if len(rest) != cl.end-cl.start {
			rest = cl.s[cl.start:cl.end]
		}
		trimmed := strings.TrimLeft(rest, " \t\n\"'“‘(")
		skip := len(rest) - len(trimmed)
		if m := plainLeads.FindStringIndex(trimmed); m != nil && cl.takeFrame(skip+m[1]) {
			again, cl.outright = true, true
			continue
		}
		for _, f := range frames {
			if m := f.re.FindStringIndex(trimmed); m != nil && cl.takeFrame(skip+m[1]) {
				cl.hedged, again = true, true
				if cl.frame != FrameHearsay {
					cl.frame = f.frame
				}
				break
			}
		}
		if !again && cl.frame != FrameAttribution {
			again = cl.takeAttribution(trimmed, skip)
		}
	}
	cl.dropHedgeTail()
}

// takeFrame moves the start past a frame, if enough is left to be a claim.
func (cl *clause) takeFrame(n int) bool {
	if len(text.WordSpans(cl.s[cl.start+n:cl.end])) < 2 {
		return false
	}
	cl.start += n
	cl.refresh()
	return true
}

// takeAttribution reads "Alice wrote that", of somebody other than the speaker
// and the player.
func (cl *clause) takeAttribution(trimmed string, skip int) bool {
	m := attribution.FindStringSubmatchIndex(trimmed)
	if m == nil {
		return false
	}
	who := trimmed[m[2]:m[3]]
	first, _, _ := strings.Cut(strings.ToLower(who), " ")
	if notWriters[first] || !cl.names(who) || !cl.takeFrame(skip+m[1]) {
		return false
	}
	cl.frame, cl.by, cl.hedged = FrameAttribution, strings.TrimSpace(who), true
	return true
}

// names says whether a text is nothing but the name of somebody else, or a common
// noun with its article: "Zero winks grimly and says" is told of the NPC, not by
// anybody.
func (cl *clause) names(who string) bool {
	words := strings.Fields(who)
	if own := text.Words(cl.c.NPCName); len(own) > 0 &&
		strings.EqualFold(strings.Join(text.Words(who), " "), strings.Join(own, " ")) ||
		strings.EqualFold(who, cl.c.NPCHandle) {
		return false
	}
	for i, w := range words {
		low := strings.ToLower(text.Bare(w))
		switch {
		case low == "and" || low == "or" || low == "then" || low == "while" || low == "with" ||
			strings.HasSuffix(low, "ly") && i > 0:
			return false
		case i > 0 && cl.isName(words[0]) && !cl.isName(w) && low != "of" && low != "the":
			return false
		}
	}
	return true
}

// isName says whether a word is written as a name or is a part of a known one.
func (cl *clause) isName(w string) bool {
	if r := []rune(w); len(r) > 0 && unicode.IsUpper(r[0]) {
		switch w {
		case "The", "My", "Old":
			return false
		}
		return true
	}
	for _, name := range append([]string{cl.c.NPCName, cl.c.NPCHandle}, cl.c.Names...) {
		if slices.Contains(text.Words(name), strings.ToLower(w)) {
			return true
		}
	}
	return false
}

var notWriters = text.Set(`as so i we you it this that these those there nobody nothing what who which if when`)

var hedgeTail = regexp.MustCompile(`(?i),?\s*(?:,\s*|-\s*)((?:or so )?(?:i think|i believe|i suppose|i reckon` +
	`|i guess|i suspect|i hear|i'm told|i am told|they say|folk say|people say|it is said|it's said|it seems` +
	`|as far as i know|if i recall(?: correctly)?|if memory serves|if you ask me|i'd say|i'd wager|no doubt|perhaps` +
	`|maybe|probably|supposedly|allegedly|apparently|so they say|or so they say|or so i hear|or so i've heard` +
	`|so i hear|so i've heard))\s*[.!…]*\s*$`)

// dropHedgeTail takes a hedge off the end of what is asserted.
func (cl *clause) dropHedgeTail() {
	rest := text.Plain(cl.s[cl.start:cl.end])
	if len(rest) != cl.end-cl.start {
		return
	}
	for i := len(cl.words); i > 1; i-- {
		if n := len(cl.words) - i; n > 0 && strings.Contains(cl.gap(i-1), ",") && cl.phraseAt(i, cl.c.Hedges) == n {
			cl.tail = append([]Claim{none(cl.s, cl.words[i].Start, cl.end)}, cl.tail...)
			cl.end, cl.hedged = cl.words[i].Start, true
			cl.refresh()
			return
		}
	}
	m := hedgeTail.FindStringSubmatchIndex(rest)
	if m == nil || len(text.WordSpans(rest[:m[0]])) < 2 {
		return
	}
	at := cl.start + m[2]
	cl.tail = append([]Claim{none(cl.s, at, cl.end)}, cl.tail...)
	if low := strings.ToLower(rest[m[2]:m[3]]); strings.Contains(low, "say") || strings.Contains(low, "said") ||
		strings.Contains(low, "hear") || strings.Contains(low, "told") {
		cl.frame = FrameHearsay
	} else if cl.frame == FramePlain {
		cl.frame = FrameOpinion
	}
	cl.end, cl.hedged = at, true
	cl.refresh()
}
