package memory

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Asked is what a message asks of the shared past.
type Asked struct {
	About bool            // it asks for it at all
	Told  bool            // it asks what was said or done between the two, whatever it was
	Self  bool            // it asks of the player itself: "where do I live?", not "where does my brother live?"
	ByNPC bool            // it asks what the NPC said, did or promised
	Only  bool            // nothing but the shared past answers it, no lore
	Words map[string]bool // all words of the message, lower case
	Topic map[string]bool // stems of what it is about
	Pred  string          // the only predicate that answers it, where there is one
	By    string          // whose words it asks for, where that is a third: "what did Mira tell you of me?"
	Seen  bool            // it is a question about the world, which only what the NPC saw happen answers
	At    time.Time       // of which time; zero: now
}

var (
	telling = regexp.MustCompile(` (?:what|which|anything|everything|that|all|if|whether)(?: \w+){0,3} (?:did|have|had` +
		`|do) (?:i|we) (?:ever |already |just |once |first )?(?:tell|told|say|said|mention|mentioned|promise|promised|ask` +
		`|asked|give|gave|given|bring|brought|show|showed|shown|do|did|done|confess|swear|swore|talk|talked|speak) ` +
		`| (?:what|which|that|how|when|where|who|why|if) i (?:ever |already |just |once |first )?(?:told|said|mentioned` +
		`|promised|asked|gave|brought|showed|did|swore|confessed) ` +
		`| (?:did|have|had) (?:i|we) (?:ever |not |already )?(?:tell|told|say|said|mention|mentioned|promise|promised` +
		`|give|given|show|shown|meet|met) ` +
		`| (?:do|did|will|can) you (?:still |even |perhaps )?(?:remember|recall) (?:me|my|us|our|that (?:i|we|my)` +
		`|what (?:i|we|my)|who (?:i|my)|when (?:i|we)|where (?:i|we|my)|how (?:i|we|my)|which|why (?:i|we)|if (?:i|we)` +
		`|anything|the) ` +
		`| you (?:still )?(?:remember|recall|know) (?:anything )?(?:about|of) (?:me|us|my) | ` +
		`what (?:do|did) you (?:still )?(?:remember|recall)(?: about| of)? (?:me|us|my|our) ` +
		`| (?:remind me|tell me again|tell me) (?:of )?(?:what|where|who|how|when|which) (?:i|my) | last time (?:we|i) | ` +
		`when we (?:last|first) `)
	byNPC = regexp.MustCompile(` (?:did|have|had) you (?:ever |already |just |once |not )?(?:tell|told|say|said` +
		`|promise|promised|offer|offered|give|given|gave|swear|sworn|show|shown) (?:\w+ ){0,3}?(?:me|us|my) | ` +
		`you (?:told|promised|gave|offered|swore|said to) me | your promise `)
	ofSelf = regexp.MustCompile(` (?:who|whom|whose|where|when|what|which|why)(?: [\w']+){0,4} (?:am|was|do|did` +
		`|have|had|don't|didn't|can't|won't|shall) i | how (?:old|tall|long|(?:many|much)(?: \w+){0,4}) (?:am|was|do|did` +
		`|have|had) i | (?:do|did|am|was|have) i (?:have|live|like|hate|come|work|own|know|fear|love|from|born|said) | ` +
		`tell me (?:who|where|what) i `)
	ofMine = regexp.MustCompile(` (?:who|where|when|what|which|why|how|whose)(?: \w+){0,2} (?:is|are|was|were|does` +
		`|do|did|has|have|had|will|ought)(?: \w+)? (?:my|our) | (?:is|are|was|were|does|do|did|has|have) (?:my|our) | ` +
		`what (?:\w+ )?of my | (?:my|our) (?:\w+ )?(?:name|trade|home|brother|sister|father|mother|wife|husband|son` +
		`|daughter|dog|horse|ship|job|work|age|birthday|favourite|favorite)s?(?: \w+)* (?:is|was|called|from|live|lives)? `)
	// a question that speaks of the player's own in any place: "who drilled the hole in my coin?"
	anyMine = regexp.MustCompile(`^ ?(?:who|whom|whose|which|what|when|in which|how (?:many|much|long|old|far)) .*` +
		` (?:my|mine|our|ours|me|us|i) `)
	errands = regexp.MustCompile(` (?:where|how|what|when|who|which|why)(?: \w+){0,3} (?:can|could|should|must|may` +
		`|might|shall|will|would|need) i | (?:do|did|am|have|must|should) i (?:need|have to|get|find|go|start|pay|look` +
		`|reach|cross|buy|sell|ask|talk|speak to|supposed|allowed|meant|to|in trouble|right|wrong|enter|open|use|take` +
		`|owe you) `)
	// "which food do I hate?": an answer need not say food
	sortOf = regexp.MustCompile(` (?:which|what) (\w+) (?:am|was|do|did|have|had|don't|didn't|can't) i `)
	bygone = regexp.MustCompile(` (?:did|was|had|have|didn't) i `)
	own    = regexp.MustCompile(` am i | (?:do|don't|can't) i (?:live|work|come|like|love|hate|dislike|fear|own|owe` +
		`|have|eat|drink|pray|trust|stand|want|seek|keep|serve|study|worship|believe|dwell|hail|belong) `)
	byThird = regexp.MustCompile(` who (?:told|promised|gave|sold|taught|lent|owes) (?:me|you) | ` +
		`what (?:did|does|has) \w+ (?:tell|told|say|said|promise|promised|give|given)(?: me| you| us)?(?: of| about` +
		`| to)? (?:me|us|my) | what (?:did|does) \w+ (?:tell|say) (?:me|of) `)
	whoseTale = regexp.MustCompile(` what (?:did|does|has) (\w+) (?:tell|told|say|said) (?:me|you|us) (?:of` +
		`|about) (?:me|us|my) `)
	skill = regexp.MustCompile(` (?:what|which|how|whom) (?:\w+ )?(?:can|can't|cannot) i (?:not )?\w+ | can't i | ` +
		`can i (?:swim|read|write|ride|sing|shoot|fight|cook|sew|sail|dance|play|speak) `)
)

// toAnother is a wish that somebody else be told, for which the NPC must remember it
// itself: "tell Osric where I come from".
var toAnother = regexp.MustCompile(` (?:tell|let) (?:\w+ ){1,2}?(?:know )?(what|where|who|how|when|which|of` +
	`|about) (i|my) `)

// ReadAsked says what a message asks of the shared past. now is the game's time, against
// which "last spring" counts.
func ReadAsked(message string, now time.Time) Asked {
	words := text.Words(strings.ReplaceAll(strings.ToLower(message), "\u2019", "'"))
	a := Asked{Words: map[string]bool{}, Topic: map[string]bool{}}
	for i, w := range words {
		if full, ok := spelled[w]; ok {
			words[i] = full
		}
	}
	words = strings.Fields(strings.Join(words, " "))
	joined := toAnother.ReplaceAllString(" "+strings.Join(words, " ")+" ", " tell me $1 $2 ")
	words = strings.Fields(joined)
	a.At = pastTime(joined, now)
	a.ByNPC = byNPC.MatchString(joined)
	a.Told = telling.MatchString(joined) || a.ByNPC
	third := byThird.MatchString(joined)
	self, mine := ofSelf.MatchString(joined), ofMine.MatchString(joined) || anyMine.MatchString(joined)
	asks := text.IsQuestion(message) || strings.Contains(joined, " remember ") || strings.Contains(joined, " tell me ") ||
		strings.Contains(joined, " remind me ")
	just := a.Told && strings.Contains(joined, " just ") // the conversation itself knows
	errand := errands.MatchString(joined) && !bygone.MatchString(joined)
	able := skill.MatchString(joined) // a memory may answer, and where none does it is an errand
	a.About = asks && !just && (a.Told || third || able || (self || mine) && !errand)
	a.Only = a.About && (a.Told && !strings.Contains(joined, " remember the ") || self && !errand &&
		(bygone.MatchString(joined) || own.MatchString(joined)))
	a.Self = (self || able) && !strings.Contains(joined, " my ") && !strings.Contains(joined, " our ")
	if strings.Contains(joined, " my name ") || strings.HasSuffix(joined, " who am i ") {
		a.Pred = "name"
	}
	if m := whoseTale.FindStringSubmatch(joined); m != nil {
		a.By = m[1]
	}
	category := ""
	if m := sortOf.FindStringSubmatch(joined); m != nil && !a.Told {
		category = m[1]
	}
	for _, w := range words {
		a.Words[w] = true
		w = strings.TrimSuffix(w, "'s")
		if !text.IsStop(w) && w != category && !framing[w] && !timeWords[w] && (a.At.IsZero() || !digits.MatchString(w)) {
			a.Topic[text.Stem(w)] = true
		}
	}
	return a
}

// Witnessed is the same message as a question about the world, which only what the
// NPC saw happen may answer. It says false where too little is asked to know what
// answers it.
func (a Asked) Witnessed() (Asked, bool) {
	const least = 2 // "who burned it?" might be asked of anything
	return Asked{Words: a.Words, Topic: a.Topic, At: a.At, Seen: true}, len(a.Topic) >= least
}

// Of says whether words hold all that is asked about.
func (a Asked) Of(words string) bool {
	have := text.ContentSet(words)
	for stem := range a.Topic {
		if !have[stem] {
			return false
		}
	}
	return len(a.Topic) > 0
}

var digits = regexp.MustCompile(`^\d+$`)

// spelled are contractions that stand for two words.
var spelled = map[string]string{"what's": "what is", "where's": "where is", "who's": "who is", "when's": "when is",
	"how's": "how is",
	"i'm":   "i am", "i've": "i have", "i'd": "i had", "whats": "what is", "wheres": "where is", "whos": "who is",
	"u": "you", "ur": "your"}

// framing are words that ask for a telling and say nothing of what it is about.
var framing = text.Set(`tell told say said mention mentioned remember recall know knew remind again already ever
	still just last first time once talk talked speak spoke spoken anything everything something thing things exactly
	please mira friend smith today yesterday earlier before ago again back then also hear heard forget forgot forgotten
	mean meant right yes no well conversation meet met now nowadays record kind sort part true really many much whom
	whose which`)

var timeWords = text.Set(strings.ReplaceAll(text.Months, "|", " ") +
	` one two three four five six seven eight nine ten past spring summer autumn fall winter
	year years month months week weeks day days yesterday ago last back then`)

var (
	lastSeason = regexp.MustCompile(` (?:last|this past|the past) (spring|summer|autumn|fall|winter) `)
	lastSpan   = regexp.MustCompile(` last (year|month|week) `)
	agoSpan    = regexp.MustCompile(` (a|an|` + text.NumberWords + `|\d{1,3}) (year|month|week|day)s? ago `)
	inMonth    = regexp.MustCompile(` (?:in|during|back in) (` + text.Months + `)(?: of)?(?: (\d{3,4}))? `)
	inYear     = regexp.MustCompile(` (?:in|during|back in) (?:the year )?(\d{3,4}) `)
	inSeason   = regexp.MustCompile(` (?:in|during|back in)(?: the)? (spring|summer|autumn|fall|winter)` +
		` (?:of )?(\d{3,4}) `)
	yesterday = regexp.MustCompile(` yesterday `)
)

// Month is the month of a name in any case, or 0.
func Month(name string) time.Month {
	return time.Month(1 + slices.Index(strings.Split(text.Months, "|"), strings.ToLower(name)))
}

// seasons by their last month, northern and in the usual calendar. A time that is
// asked about stands for its end: what was known by then.
var seasons = map[string]time.Month{"spring": time.May, "summer": time.August, "autumn": time.November,
	"fall": time.November, "winter": time.February}

const lastDay = 28 // of any month

// pastTime is the time that a message asks about where it does not ask about now.
func pastTime(joined string, now time.Time) time.Time {
	if now.IsZero() || recalls.MatchString(joined) {
		return time.Time{}
	}
	if m := lastSeason.FindStringSubmatch(joined); m != nil {
		at := time.Date(now.Year(), seasons[m[1]], lastDay, 12, 0, 0, 0, now.Location())
		for !at.Before(now) { // that season is not over yet
			at = at.AddDate(-1, 0, 0)
		}
		return at
	}
	if m := lastSpan.FindStringSubmatch(joined); m != nil {
		return Shift(now, "a", m[1], true)
	}
	if m := agoSpan.FindStringSubmatch(joined); m != nil {
		return Shift(now, m[1], m[2], true)
	}
	if at := named(joined, now); !at.IsZero() {
		return at
	}
	if yesterday.MatchString(joined) {
		return Shift(now, "a", "day", true)
	}
	return time.Time{}
}

// named is the end of a month, season or year that a message names.
func named(joined string, now time.Time) time.Time {
	end := func(year string, month time.Month) time.Time {
		y, err := strconv.Atoi(year)
		if err != nil {
			y = now.Year()
		}
		at := time.Date(y, month, lastDay, 12, 0, 0, 0, now.Location())
		if err != nil && at.After(now) {
			at = at.AddDate(-1, 0, 0)
		}
		return at
	}
	if m := inMonth.FindStringSubmatch(joined); m != nil {
		return end(m[2], Month(m[1]))
	}
	if m := inSeason.FindStringSubmatch(joined); m != nil {
		return end(m[2], seasons[m[1]])
	}
	if m := inYear.FindStringSubmatch(joined); m != nil {
		return end(m[1], time.December)
	}
	return time.Time{}
}

// recalls: "what did I tell you last week?" asks for what was said then, and not
// for what held.
var recalls = regexp.MustCompile(` (?:tell|told|say|said|mention|mentioned|promise|promised) `)

// Shift is a time so many units from another, or before it; zero where it lies beyond reason.
func Shift(from time.Time, count, unit string, ago bool) time.Time {
	v, ok := text.Number(count)
	if count == "a" || count == "an" {
		v, ok = 1, true
	}
	if !ok || v > 10_000 {
		return time.Time{}
	}
	n := int(v)
	if ago {
		n = -n
	}
	switch strings.TrimSuffix(unit, "s") {
	case "year":
		return from.AddDate(n, 0, 0)
	case "month":
		return from.AddDate(0, n, 0)
	case "fortnight":
		return from.AddDate(0, 0, 14*n)
	case "week":
		return from.AddDate(0, 0, 7*n)
	}
	return from.AddDate(0, 0, n)
}
