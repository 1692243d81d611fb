package llmtest

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wording is a phrase and the phrases that mean the same wherever it stands.
type wording struct {
	from *regexp.Regexp
	to   []string
}

// wordings are pairs that can be put for each other in any sentence of the kind
// that lore holds. What is nearly the same but not quite is left out.
var wordings = func() []wording {
	var out []wording
	for _, line := range list(synonyms) {
		from, to, ok := strings.Cut(line, " = ")
		if !ok {
			panic("synonyms: no = in " + line)
		}
		out = append(out, wording{regexp.MustCompile(`(?i)\b` + from + `\b`), strings.Split(to, " / ")})
	}
	return out
}()

const synonyms = `
nobody = no one | no one = nobody | everyone = everybody | everybody = everyone | someone = somebody | ` +
	`somebody = someone | began = started
begins = starts | begun = started | nearly = almost | almost = nearly | often = frequently | large = big | ` +
	`big = large | huge = enormous
tiny = very small | bought = purchased | buys = purchases | built = constructed | builds = constructs | ` +
	`near the = close to the
beneath = under / underneath | under the = beneath the / underneath the | beside = next to | ` +
	`allowed to = permitted to | might = may | died = passed away
is called = goes by the name of / is known as | are called = are known as | was called = was known as | ` +
	`is said to = is reputed to
are said to = are reputed to | was said to = was reputed to | at once = immediately / straight away | ` +
	`immediately = at once | entire = whole
because of = on account of / owing to | during = in the course of | every day = each day | ` +
	`every morning = each morning | every night = each night
every week = each week | every year = each year | each year = every year | each day = every day | ` +
	`every month = each month | every spring = each spring
every autumn = each autumn | every evening = each evening | twice = two times | twelve ([a-z]+s) = a dozen $1 | ` +
	`a fortnight = two weeks
two weeks = a fortnight | mended = repaired | repaired = mended | mends = repairs | repairs = mends | ` +
	`hid = concealed | hidden = concealed
lives in = resides in / dwells in | lives at = resides at | live in = dwell in | lived in = resided in / dwelt in | ` +
	`wrote down = noted down
made off with = stole | boy = lad | forest = woodland | ship = vessel | ships = vessels | kind of = sort of | ` +
	`kinds of = sorts of
ill = sick | in order to = so as to | mostly = for the most part | usually = as a rule | always = at all times | ` +
	`above the = over the
spoke to = talked to | speaks to = talks to | spoke with = talked with | forbids = does not permit | ` +
	`forbidden to = not permitted to | closed = shut
difficult = hard | sure = certain | quickly = swiftly | slowly = at a slow pace | quietly = without much noise | ` +
	`stay = remain | stays = remains
stayed = remained | remained = stayed | returns = comes back | returned = came back | came back = returned | ` +
	`comes back = returns | went back = returned
about ([a-z]+ (?:men|women|people|miles|days|years|weeks|feet|yards|paces)) = roughly $1 / around $1 | ` +
	`inside the = within the | upon = on
toward = towards | however = all the same | therefore = for that reason | is married to = is the spouse of
has to = must | have to = must | in the middle of = at the centre of | at night = by night | a few = a handful of | ` +
	`sells = has for sale
long ago = many years back | the whole = the entire | happened = took place | happens = takes place | ` +
	`took place = happened | started = began
is made of = consists of | was made of = consisted of | belongs to = is the property of | ` +
	`belonged to = was the property of | contains = holds
may have been = might have been | the whole ([a-z]+) = the entire $1 | in the year (\d+) = in $1 | ` +
	`at first = to begin with | in the end = finally
all year = the whole year round | at dawn = at daybreak | at dusk = at nightfall | in secret = secretly | ` +
	`secretly = in secret
from time to time = now and then | now and then = from time to time | a great many = very many | ` +
	`very large = huge | very big = huge
for ever = for all time | as well as = and also | is full of = is filled with | was full of = was filled with | ` +
	`is afraid of = is scared of
was afraid of = was scared of | is able to = can | was able to = could | does not know = has no idea | ` +
	`did not know = had no idea
is not allowed to = may not | the night before = the previous night | the day before = the previous day | ` +
	`the next day = the following day
the next morning = the following morning | the year before = the previous year | for free = without charge | ` +
	`on purpose = deliberately
by mistake = in error | I must = I have to | (he|she|it) must = $1 has to | (they|we|you) must = $1 have to
I can = I am able to | (he|she|it) can = $1 is able to | (they|we|you) can = $1 are able to | ` +
	`I will = I am going to | (he|she|it) will = $1 is going to | (they|we|you) will = $1 are going to
was founded = was established | founded = established | want to = wish to / would like to | wants to = wishes to | ` +
	`wanted to = wished to | means to = intends to | meant to = intended to | would rather = would sooner
begged = implored | can read = knows how to read | the people of = the folk of | fall due = are payable | ` +
	`falls due = is payable | at least (\d+|[a-z]+) ([a-z]+s) = no fewer than $1 $2 | since (\d{4}) = from $1 onwards
in (\d{4}) = in the year $1 | in (January|February|March|April|May|June|July|August|September|October|November` +
	`|December) (\d{4}) = in $1 of the year $2 | for the (second|third) time = a $1 time | ` +
	`(an? [a-z-]+(?: [a-z-]+)?) called = $1 named / $1 by the name of
(two|three|four|five|six|seven|eight|nine|ten|twenty|\d+) ([a-z]+s) a (day|night|week|month|year) = $1 $2 per $3 | ` +
	`by itself = on its own | as soon as = the moment | after dark = once it is dark | ` +
	`instead of = in place of / rather than | round the = around the
below the = beneath the | and then = and after that | soon = before long | tonight = this night | rich = wealthy | ` +
	`said that = stated that | says that = states that | looks for = searches for | looked for = searched for | ` +
	`looking for = searching for | waits for = awaits | waited for = awaited
waiting for = awaiting | left for = set out for | arrived in = reached | arrived at = reached | ` +
	`gave up = abandoned | looks after = takes care of | looked after = took care of | brought up = raised | ` +
	`bring up = raise | pulled down = demolished | has no ([a-z]+) = does not have any $1
had no ([a-z]+) = did not have any $1 | have no ([a-z]+) = do not have any $1 | there is no = there isn't any | ` +
	`there are no = there aren't any | a (boy|girl|man|woman|child) of (thirteen|fourteen|fifteen|sixteen|seventeen` +
	`|eighteen|nineteen|twenty|\d+) = a $2-year-old $1 | years ago = years back
three ([a-z]+s) = 3 $1 | four ([a-z]+s) = 4 $1 | five ([a-z]+s) = 5 $1 | six ([a-z]+s) = 6 $1 | ` +
	`seven ([a-z]+s) = 7 $1 | eight ([a-z]+s) = 8 $1 | nine ([a-z]+s) = 9 $1 | ten ([a-z]+s) = 10 $1
twenty ([a-z]+s) = 20 $1 | thirty ([a-z]+s) = 30 $1 | forty ([a-z]+s) = 40 $1 | fifty ([a-z]+s) = 50 $1 | ` +
	`sixty ([a-z]+s) = 60 $1 | a hundred = one hundred | takes part in = joins in | took part in = joined in | ` +
	`every (\p{Ll}+) = each $1
believes that = is of the opinion that | is afraid that = fears that | holds back = keeps back | ` +
	`is bigger than = is larger than | threw away = discarded | throws away = discards`

// contractions, both ways.
var contractions = []wording{
	short(`did not`, "didn't"), short(`does not`, "doesn't"), short(`do not`, "don't"), short(`is not`, "isn't"),
	short(`are not`, "aren't"),
	short(`was not`, "wasn't"), short(`were not`, "weren't"), short(`will not`, "won't"), short(`would not`, "wouldn't"),
	short(`could not`, "couldn't"),
	short(`has not`, "hasn't"), short(`have not`, "haven't"), short(`had not`, "hadn't"), short(`it is`, "it's"),
	short(`I am`, "I'm"), short(`I will`, "I'll"),
	short(`cannot`, "can't"), short(`there is`, "there's"), short(`they are`, "they're"), short(`we are`, "we're"),
	short(`you are`, "you're"),
	short(`didn['’]t`, "did not"), short(`doesn['’]t`, "does not"), short(`don['’]t`, "do not"),
	short(`isn['’]t`, "is not"), short(`wasn['’]t`, "was not"),
	short(`weren['’]t`, "were not"), short(`won['’]t`, "will not"), short(`can['’]t`, "cannot"),
	short(`couldn['’]t`, "could not"), short(`wouldn['’]t`, "would not"),
	short(`it['’]s (a|an|the|not|in|on|at|no)`, "it is $1"), short(`I['’]m`, "I am"), short(`I['’]ve`, "I have"),
	short(`I['’]ll`, "I will"),
}

func short(from, to string) wording {
	return wording{regexp.MustCompile(`(?i)\b` + from + `\b`), []string{to}}
}

// unsafe wordings are those that only hold before a certain kind of word; they are
// left alone there.
var unsafe = regexp.MustCompile(`(?i)\b(?:only child|under oath|under (?:his|her|their|the) (?:rule|name|command` +
	`|law|contract|terms|orders|charter|care|protection)|may (?:\d|day|fair)|stay with|near(?:est|er|by)|sure (?:of` +
	`|that)|ill (?:will|luck|omen|fortune)|enough to|above all|on the whole|the whole of|the entire of|at large` +
	`|all over|shut up|not only|no one else|fast asleep|and twelve [a-z]+|(?:hundred|thousand)(?: and)? (?:two|three` +
	`|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty) [a-z]+|twenty-[a-z]+|every (?:one` +
	`|other|now|time|single|inch|bit|last)|that same|got (?:up|off|out|to)|as soon|too soon|soon(?:er)? (?:as|or` +
	`|after)|never again|in (?:\d{4}),|each other|must (?:not|never|have)|can (?:not|never|have)|will (?:not|never` +
	`|have|be))\b`)

// reword puts up to n wordings in the place of others, outside of quotations and of
// names.
func reword(s string, pool []wording, n int, dice *rand.Rand) string {
	for _, i := range dice.Perm(len(pool)) {
		if n == 0 {
			break
		}
		w := pool[i]
		at := w.from.FindStringSubmatchIndex(s)
		if at == nil || insideName(s, at[0], at[1]) || quotedAt(s, at[0]) || clashes(s, at[0], at[1]) {
			continue
		}
		to := string(w.from.ExpandString(nil, pick(dice, w.to), s, at))
		if r, _ := utf8.DecodeRuneInString(s[at[0]:]); unicode.IsUpper(r) {
			to = capital(to)
		}
		s = articled(s[:at[0]], to) + to + s[at[1]:]
		n--
	}
	return s
}

// clashes says whether a phrase is a part of one that must stay.
func clashes(s string, start, end int) bool {
	for _, at := range unsafe.FindAllStringIndex(s, -1) {
		if at[0] < end && start < at[1] {
			return true
		}
	}
	return false
}

// insideName says whether the words here are, or belong to, a name.
func insideName(s string, start, end int) bool {
	if r, _ := utf8.DecodeRuneInString(s[start:]); unicode.IsUpper(r) && start > 0 {
		return true
	}
	before, after := strings.TrimRight(s[:start], " "), strings.TrimLeft(s[end:], " ")
	next, _ := utf8.DecodeRuneInString(after)
	if start == 0 || !unicode.IsUpper(next) {
		return strings.HasSuffix(before, "-") || strings.HasPrefix(s[end:], "-") || strings.HasPrefix(s[end:], "'") ||
			strings.HasPrefix(s[end:], "’")
	}
	last := before[strings.LastIndexByte(before, ' ')+1:]
	r, _ := utf8.DecodeRuneInString(last)
	return unicode.IsUpper(r) && len(last) > 1 // "Salt near Ness" is no name, but it costs nothing to leave it
}

func quotedAt(s string, at int) bool {
	return strings.Count(s[:at], "“") > strings.Count(s[:at], "”") || strings.Count(s[:at], `"`)%2 == 1
}

// articled mends the article before a word that was put in.
func articled(before, word string) string {
	vowel := strings.ContainsRune("aeiouAEIOU", rune(word[0]))
	switch {
	case vowel && endsWord(before, "a "):
		return strings.TrimSuffix(before, " ") + "n "
	case !vowel && endsWord(before, "an "):
		return strings.TrimSuffix(before, "n ") + " "
	}
	return before
}

func endsWord(s, word string) bool {
	rest, ok := strings.CutSuffix(strings.ToLower(s), word)
	return ok && (rest == "" || strings.HasSuffix(rest, " "))
}
