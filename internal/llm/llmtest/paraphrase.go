package llmtest

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Paraphrase says a sentence in other words that mean the same: another order of
// its parts, another voice of its verb, other words in its places. Where no rule
// fits it puts the sentence behind words that only introduce it.
func Paraphrase(sentence string, dice *rand.Rand) string {
	if frame, inner, quoted := cutQuotation(sentence); quoted {
		return reported(frame, inner, dice)
	}
	told := ""
	body := sentence
	if at := hearsay.FindStringIndex(sentence); at != nil {
		told, body = pick(dice, rumours), sentence[at[1]:]
	}
	out := rearranged(body, dice)
	moved := out != body
	out = reword(out, contractions, 1, dice)
	out = reword(out, wordings, 2, dice)
	switch {
	case told != "":
		return strings.Replace(told, "{s}", unended(lowerFirst(out)), 1)
	case !moved && text.Fold(out) == text.Fold(sentence):
		if way, ok := interrupted(out, dice); ok {
			return way
		}
		return strings.Replace(pick(dice, plainly), "{s}", unended(lowerFirst(out)), 1) + mark(sentence)
	}
	return out
}

// subject is who or what a sentence is about, before a verb that can only be one.
var subject = regexp.MustCompile(`^((?:The|My|Our|Every|No|A|An) (?:[\p{L}’'-]+ ){0,2}[\p{Ll}-]+` +
	`|\p{Lu}[\p{Ll}’'-]+(?: (?:of )?\p{Lu}[\p{Ll}’'-]+){0,3}) ((?:` + moreVerbs + `|are|were|have|never|shall|can` +
	`|must|will|may|might|costs?|asked|wants?|goes|does|did|says|walked|moved|opened|closed|fought|drew|put|met|saw` +
	`|heard|shut|grows?|[\p{Ll}]{3,}ed) .*)$|^(I) (\p{Ll}.*)$`)

// asides stand behind the subject and add nothing.
var asides = list(`as I know it | so much I know | that I can tell you | to answer you | you should know | ` +
	`since you ask | as you may hear from me`)

// interrupted puts an aside behind the subject.
func interrupted(s string, dice *rand.Rand) (string, bool) {
	m := subject.FindStringSubmatch(strings.TrimSuffix(s, "."))
	if m != nil && m[3] != "" {
		m[1], m[2] = m[3], m[4]
	}
	if m == nil || clausal(m[1]) || strings.ContainsAny(s, "“\"?") || m[1] != "I" && common(m[1]) ||
		!strings.HasSuffix(s, ".") {
		return "", false
	}
	return m[1] + ", " + pick(dice, asides) + ", " + m[2] + ".", true
}

// mark is how a sentence ends.
func mark(sentence string) string {
	if text.IsQuestion(sentence) {
		return "?"
	}
	return "."
}

// rumours introduce hearsay and say that it is no more.
var rumours = list(`
People tell it, and I can't vouch for it: {s}. | That's only a rumour, mind: {s}. | ` +
	`I know it only by hearsay: {s}. | What is said, and I wouldn't swear to it: {s}. | I've only heard this told: {s}.`)

// plainly introduces a sentence and adds nothing to it.
var plainly = list(`
What I can tell you is this: {s} | This much I know: {s} | I can tell you that {s} | It is like this: {s} | ` +
	`As I know it, {s} | So it is: {s} | The matter stands like this: {s} | You should know that {s}`)

var quotation = regexp.MustCompile(`^(.{1,60}?) (wrote|said|says): “(.*)”\.?$`)

func cutQuotation(s string) (who, inner string, ok bool) {
	m := quotation.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	return m[1] + "|" + m[2], m[3], true
}

// reports introduce the words of another; the words themselves stay.
var reports = map[string][]string{
	"wrote": list(`{w} put it in writing: “{q}” | These are {w}'s written words: “{q}” | ` +
		`“{q}” That is what {w} wrote. | From {w}'s own pen: “{q}”`),
	"said": list(`{w} put it like this: “{q}” | “{q}” Those were {w}'s words. | ` +
		`In {w}'s own words: “{q}” | “{q}” That is what {w} said.`),
	"says": list(`{w} has it like this: “{q}” | “{q}” That is what {w} says. | {w} reads: “{q}”`),
}

func reported(frame, inner string, dice *rand.Rand) string {
	who, verb, _ := strings.Cut(frame, "|")
	out := pick(dice, reports[verb])
	if !strings.HasPrefix(out, "{w}") {
		who = lowerFirst(who)
	}
	return strings.NewReplacer("{w}", who, "{q}", inner).Replace(out)
}

// rewrite is one way to build a sentence anew; it reports false where it does not
// fit.
type rewrite func(s string) (string, bool)

// rearranged applies one rewrite that fits.
func rearranged(s string, dice *rand.Rand) string {
	if strings.ContainsAny(s, "“”\"?!;:()") || !strings.HasSuffix(s, ".") {
		return s
	}
	for _, i := range dice.Perm(len(rewrites)) {
		if out, ok := rewrites[i](strings.TrimSuffix(s, ".")); ok {
			return capital(out) + "."
		}
	}
	return s
}

var rewrites = []rewrite{fronted, unfronted, toActive, toPassive, thereWas, thereAre, ofToPossessive, because, although,
	whenFirst, whenLast,
	coordinated, cleft, called2, bothJoined, fromTo, allowed, apposed,
	twice, placed, exist, priced, aged, equal2, bornIn, neverHas, given}

// when is a phrase of time that can stand at either end of a clause.
const when = `(?:in|since|before|after|until|by|during|around|about|late in|early in) (?:the (?:spring|summer` +
	`|autumn|winter|year|month|night|morning|evening|days?|war|flood|frost|famine` +
	`|drought)(?: of [\p{Lu}\d][\p{L}\d]*(?: [\p{Lu}\d][\p{L}\d]*)?)?|(?:(?:early|late) )?(?:January|February|March` +
	`|April|May|June|July|August|September|October|November|December)(?: \d{3,4})?|(?:early |late )?(?:spring|summer` +
	`|autumn|winter)(?: \d{3,4})?|\d{3,4})|on the (?:night|morning|evening|day` +
	`|eve) of (?:the )?[\p{L}\d]+(?: [\p{Lu}\d][\p{L}\d]*){0,2}|at (?:dawn|dusk|night|noon|midnight|sunset|sunrise)` +
	`|(?:every|each|last) (?:day|night|morning|evening|week|month|year|spring|summer|autumn|winter|(?:Mon|Tues|Wednes` +
	`|Thurs|Fri|Satur|Sun)day)`

var (
	trailing = regexp.MustCompile(`^(.{8,160}?) (` + when + `)$`)
	leading  = regexp.MustCompile(`^(` + when + `),? (.{8,160})$`)
	// bound is a word by which a phrase at the end may belong to a part of the
	// sentence only.
	bound = regexp.MustCompile(`(?i)\b(?:who|which|that|when|where|while|whoever|whatever|because|if|and|but|or|nor` +
		`|than|as|so|said|says|since|before|after|until|born|between|from|except|not|never|no|nobody|none|only)\b|,`)
)

// fronted moves a phrase of time from the end to the front.
func fronted(s string) (string, bool) {
	m := trailing.FindStringSubmatch(s)
	if m == nil || bound.MatchString(m[1]) || !front(s) || hour.MatchString(m[1]) {
		return "", false
	}
	return m[2] + ", " + lowerFirst(m[1]), true
}

// unfronted moves it from the front to the end.
func unfronted(s string) (string, bool) {
	m := leading.FindStringSubmatch(lowerFirst(s))
	if m == nil || bound.MatchString(m[2]) {
		return "", false
	}
	return m[2] + " " + m[1], true
}

// hour is a time of day, to which "in the evening" belongs.
var hour = regexp.MustCompile(`(?:at|past|to|until|from) (?:[\p{Ll}-]+|\d+)$`)

// front says whether the first word of a sentence can leave the front: a common word
// that is then written small, or a name. Of a single word with a capital nobody can
// tell which it is, but for those that end like the plural of a thing.
func front(s string) bool {
	first, more, _ := strings.Cut(s, " ")
	if first == "I" || lowerFirst(s) != s {
		return true
	}
	second, _, _ := strings.Cut(more, " ")
	return second != "" && unicode.IsUpper(rune(second[0])) || strings.HasSuffix(first, "'s") || verbAfterName[second]
}

// verbAfterName are verbs that a name is often the doer of.
var verbAfterName = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("is was has came went lives lived married died bought sold wrote told keeps " +
		"kept sits owns knows knew said gave took held built made founded became talks sleeps carries stole wants asked") {
		out[w] = true
	}
	return out
}()

// cleft says what happened behind the time when it happened.
func cleft(s string) (string, bool) {
	m := inYear.FindStringSubmatch(s)
	if m == nil || bound.MatchString(m[1]) || clausal(m[1]) || !front(s) {
		return "", false
	}
	return "It was " + m[2] + " that " + lowerFirst(m[1]), true
}

var inYear = regexp.MustCompile(`^(.{8,160}?) (in (?:the (?:spring|summer|autumn|winter) of )?\d{4})$`)

// verbs are those that are turned between the voices: past, participle.
var verbs = func() map[string][2]string {
	out := map[string][2]string{}
	for _, line := range strings.Fields(`built/built made/made took/taken wrote/written stole/stolen burned/burned
		found/found bought/bought sold/sold kept/kept broke/broken
		cut/cut dug/dug led/led paid/paid painted/painted carved/carved founded/founded forged/forged mended/mended
		repaired/repaired raised/raised hid/hidden
		lost/lost carried/carried destroyed/destroyed killed/killed closed/closed opened/opened planted/planted
		brought/brought taught/taught drew/drawn flooded/flooded
		signed/signed hired/hired owned/owned robbed/robbed saved/saved rebuilt/rebuilt wove/woven won/won caught/caught
		baked/baked brewed/brewed ran/run
		discovered/discovered ordered/ordered guarded/guarded sank/sunk left/left`) {
		past, participle, _ := strings.Cut(line, "/")
		out[participle], out[past+" "] = [2]string{past, participle}, [2]string{past, participle}
	}
	return out
}()

const (
	nounPhrase = `(?:(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Ou]ur|[Tt]heir)(?: [\p{Ll}-]+){1,3}` +
		`|\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+){0,2})`
	rest = `((?: (?:in|on|at|near|during|after|before) [^,;]{2,60})?)`
)

var (
	passive = regexp.MustCompile(`^(` + nounPhrase + `) (?:was|were) (\p{Ll}+) by (` + nounPhrase + `)` + rest + `$`)
	active  = regexp.MustCompile(`^(` + nounPhrase + `) (\p{Ll}+) ((?:the|a|an|his|her|my|their)(?: [\p{Ll}-]+){1,2})` +
		rest + `$`)
)

// toActive turns "The mill was built by Wat" round.
func toActive(s string) (string, bool) {
	m := passive.FindStringSubmatch(s)
	if m == nil || verbs[m[2]][1] != m[2] || clausal(m[1]+" "+m[3]+m[4]) || !doer(m[3]) {
		return "", false
	}
	return m[3] + " " + verbs[m[2]][0] + " " + lowerFirst(m[1]) + m[4], true
}

// doer says whether what stands behind "by" is somebody, not where or when.
func doer(s string) bool {
	if unicode.IsUpper([]rune(s)[0]) && !common(strings.Fields(s)[0]) {
		return !noDoer.MatchString(s)
	}
	return people.MatchString(s)
}

var (
	noDoer = regexp.MustCompile(`(?i)(?:bridge|river|gate|lake|road|lane|street|square|quay|hill|wood|day|mas|tide` +
		`|mere|mill|tower|january|february|march|april|may|june|july|august|september|october|november|december|spring` +
		`|summer|autumn|winter|night|noon|dawn|dusk)$`)
	people = regexp.MustCompile(`(?i) (?:smith|miller|council|king|queen|duke|duchess|bishop|guild|reeve|warden|watch` +
		`|mayor|captain|priest|monks?|ferryman|founders|men|women|children|town|police|crew|company|court|widow|father` +
		`|mother|brother|sister|son|daughter|uncle|aunt|master|baker|farmer|fishermen|soldiers?|thieves|thief|raiders` +
		`|wolves)$`)
)

// toPassive turns "Wat built the mill" round.
func toPassive(s string) (string, bool) {
	m := active.FindStringSubmatch(s)
	if m == nil || m[1] != "I" && common(m[1]) || verbs[m[2]+" "][0] != m[2] || clausal(m[1]+" "+m[3]+m[4]) {
		return "", false
	}
	be := "was"
	if head := m[3][strings.LastIndexByte(m[3], ' ')+1:]; plural(head) {
		be = "were"
	}
	if strings.HasPrefix(m[3], "his ") || strings.HasPrefix(m[3], "her ") || strings.HasPrefix(m[3], "their ") {
		return "", false // whose it is would no longer be clear
	}
	return m[3] + " " + be + " " + verbs[m[2]+" "][1] + " by " + lowerFirst(m[1]) + m[4], true
}

func plural(noun string) bool {
	switch noun {
	case "men", "women", "children", "people", "sheep", "geese", "mice", "oxen", "folk":
		return true
	}
	return strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss") && !strings.HasSuffix(noun, "us")
}

// clausal says whether a stretch holds more than a noun phrase.
func clausal(s string) bool {
	for _, w := range text.Words(s) {
		switch w {
		case "who", "which", "that", "when", "and", "or", "but", "to", "because", "while", "if", "by", "not", "never", "was",
			"were", "is", "had", "has", "have", "are":
			return true
		}
	}
	return false
}
