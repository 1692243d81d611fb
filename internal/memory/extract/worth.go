package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// dictating says whether a message tells the NPC what to remember or to believe, or speaks
// to the machine: then nothing is read out of it that no rule knows.
func (f *frame) dictating() bool {
	low := strings.ReplaceAll(strings.ToLower(text.Plain(f.said.original)), "\u2019", "'")
	low = courtesies.ReplaceAllString(low, "")
	if words := strings.Fields(low); dictated.MatchString(low) || len(low) < 3*len(words) && len(words) > 8 {
		return true // or spelt letter by letter
	}
	return slices.ContainsFunc(f.said.sentences, func(s sentence) bool {
		return s.kind == addressesMachine || s.kind == dictates
	})
}

var courtesies = regexp.MustCompile(`\bif (?:you|i|memory) (?:recall|remember|serves)\b`)

var dictated = regexp.MustCompile(`(?:^|[.!?:,;"\n]\s*|\b(?:you|you'll|you will|you must|you should|to|and|then` +
	`|kindly|please|now|for|that) )(?:remember(?:ing)?|recall|recollect|record|believe|forget|forgot|file|memori[sz]e)\b` +
	`|\b(?:players?|npcs?|instructions?|game master|verifier|simulation|admin)\b|\[|\]|>|&#|^\s*\w+:\s`)

// conditional says whether a sentence states something under a condition: "I'll dye it
// unless Mum finds the box". What is only imagined, or would have been, is not stated.
func conditional(s string) bool {
	low := strings.ToLower(strings.ReplaceAll(s, "\u2019", "'"))
	return onCondition.MatchString(low) && !imagined.MatchString(low)
}

var (
	onCondition = regexp.MustCompile(`\b(?:if|unless|provided that|in case)\b`)
	imagined    = regexp.MustCompile(`\b(?:suppose|supposing|imagine|assuming|pretend|as though|as if|let'?s say` +
		`|let us say` +
		`|say i|hypothetically|in theory|what if|were i|had i|i wish|would that|if only|would|could have|might have` +
		`|should have|were|who says|even if|if you believe|i'd|he'd|she'd|they'd|we'd|you'd)\b`)
)

// asksFor says whether a sentence that is put as "do not" asks for something, and is no
// question: "Don't tell my mother."
func (f *frame) asksFor(s sentence) bool {
	words := f.said.text[s.start:s.end]
	return s.kind == asks && !strings.Contains(words, "?") && forbids.MatchString(words) && requests(words)
}

var forbids = regexp.MustCompile(`(?i)^\s*(?:please,? )?(?:don(?:'|\x{2019})?t|do not|never)\b`)

// requests says whether a command asks for something of the player's own, and not that
// the NPC believe, say or be something.
func requests(s string) bool {
	low := strings.ToLower(strings.ReplaceAll(s, "\u2019", "'"))
	return errand.MatchString(low) && !narrating.MatchString(low) && len(text.ContentSet(low)) >= 2
}

var (
	errand = regexp.MustCompile(`^[\s,]*(?:please,? |pls )?(?:(?:don'?t|do not|never) )?(?:keep|put (?:me|us)|hold` +
		`|look after|lend` +
		`|tell (?:my|our|them|him|her)|help|water|feed|wait|save|leave|fetch|teach|meet|ring|mind|mark me)\b`)
	narrating = regexp.MustCompile(`\b(?:everyone|everybody|anyone|people|npcs?|system|rules?|secret|password` +
		`|instructions?` +
		`|prompt|truth|story|joke|(?:tell|show|teach) (?:me|us))\b`)
)

// worthReading says whether a stretch tells of something that a person might come back
// to: two words at least that say something, three where it is no whole sentence, and no
// small talk. alone says that the rules have read nothing of the message.
func worthReading(ts []token, words string, whole, alone bool) bool {
	words = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(words)), "\u2019", "'")
	first := ts[0]
	if performs.MatchString(words) || !whole && commandLike(ts) {
		return false
	}
	need := 2
	if smallTalk.MatchString(words) && !telling.MatchString(words) {
		need = 4
	}
	n, grammar, all, maybe := 0, 0, 0, false
	rest := strings.Replace(words, strings.ToLower(hedgeIn(words)), " ", 1)
	for _, t := range tokens(rest, 0, len(rest)) {
		all++
		switch {
		case text.IsStop(t.low) || lemma[t.low] == "be":
			grammar++
		case !adverbs[t.low] && !feelings[t.low] && !phatic[t.low]:
			n++
		}
		maybe = maybe || t.low == "would" || t.low == "could" || t.low == "might" || t.low == "will"
	}
	own := first.low == "i" || first.low == "we" || first.low == "my"
	switch {
	case whole && alone && need == 2 && own && len(ts) > 2 && !maybe:
		return n >= 1 // "I didn't desert."
	case whole || articles[first.low] || own || first.low == "a" || pastForms[first.low] || ingForm(first.low) ||
		strings.HasSuffix(first.low, "ed") || first.low == "dunno":
		return n >= need && grammar > 0
	}
	return n >= max(need, 3) && 5*grammar >= all
}

// commandLike says whether words that are no whole statement begin as a command does, with
// a verb right before its object: "Sharpen this blade".
func commandLike(ts []token) bool {
	first := ts[0].low
	return len(ts) > 1 && !ts[1].gap && !pastForms[first] && !ingForm(first) && !strings.HasSuffix(first, "ed") &&
		subjectWords[first] == nobody && !prepositions[first] &&
		!adverbs[first] && !conjunctions[first] && !auxiliaries[first] && !subordinates[first] && first != "dunno" &&
		takesObject(ts[1].low)
}

var (
	// telling are beginnings that small talk has too, and that here may tell something
	telling = regexp.MustCompile(`^(?:it|that|this|there|which)\b`)
	objects = text.Set(`a an my me us him it your yourself`)
	// performs are words that do what they say: "I, Ansel, give all my goods"
	performs = regexp.MustCompile(`\bi, [a-z]+,`)
	phatic   = text.Set(`morning evening afternoon weather nice see day tomorrow today bye goodbye name business
		welcome pleasure please thank thanks hello greetings course luck care cheers congratulations say says told tell
		lol haha omg wow promise nothing question`)
)
