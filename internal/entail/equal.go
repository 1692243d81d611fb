package entail

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// equals are words and phrases that mean the same wherever both can stand, the one that
// stands for all of them first. Behind ">" are the words of which one must follow, behind
// "<" those that must not: "they started to sing" and "they started at the noise" differ.
// What means the same in most sentences only ("big", "large") is a model's to judge.
var equals = equalsOf(`
	nobody = no one
	everybody = everyone
	somebody = someone
	anybody = anyone
	until = till
	towards = toward
	among = amongst
	while = whilst
	every = each < other
	often = frequently
	nearly = almost
	enormous = huge
	quickly = swiftly
	mostly = for the most part
	secretly = in secret
	deliberately = on purpose = intentionally
	forever = for ever = for all time
	from time to time = now and then = every now and then = every so often
	because of = on account of
	during = in the course of
	in order to = so as to
	beneath = underneath
	instead of = in place of
	within = inside > the my our his her their its your this that
	whole = entire
	at dawn = at daybreak
	at dusk = at nightfall
	always = at all times
	sells = has for sale
	sell = have for sale
	allowed = permitted
	bought = purchased
	buys = purchases
	buy = purchase
	built = constructed
	mended = repaired
	mends = repairs
	mend = repair
	died = passed away
	dies = passes away
	die = pass away
	started = began > to
	returned = came back > in at on to from when after before with
	returns = comes back > in at on to from when after before every each by tomorrow
	return = come back > in at on to from when after before every each by tomorrow
	lived = dwelt = resided > in at near beside
	lives = dwells = resides > in at near beside
	live = dwell = reside > in at near beside
	happened = took place > in at on when after before during
	happens = takes place > in at on when after before during every each
	the next = the following > day morning evening night week month year spring summer autumn winter
	telephone = phone
	folk = people > of in from who here there
	beside = next to > the my our his her their its your
	around = round > the my our his her their its a an
	starts = begins > to with
	start = begin > to with
	will = is going to = are going to = am going to > cost be have pay get see need take make give come
	lad = boy
	lass = girl
	twice = two times = 2 times
	thrice = three times = 3 times
	at night = by night
	called = by the name of
	is called = goes by the name of
	are called = go by the name of
	wants to = wishes to
	want to = wish to
	wanted to = wished to
`)

// equal is one way to say something, and the one that stands for all.
type equal struct {
	words, stands []string
	then, notThen map[string]bool // words that must follow, and that must not; empty: whatever follows
}

// equalsOf reads the table by the first word of each phrase.
func equalsOf(table string) map[string][]equal {
	out := map[string][]equal{}
	for line := range strings.Lines(table) {
		line, then, _ := strings.Cut(line, ">")
		line, not, _ := strings.Cut(line, "<")
		phrases := strings.Split(line, "=")
		for _, p := range phrases[1:] {
			words := strings.Fields(p)
			out[words[0]] = append(out[words[0]], equal{words, strings.Fields(phrases[0]), text.Set(then), text.Set(not)})
		}
	}
	return out
}

// equalAt is the phrase at word i in the words that stand for it, and over how many it goes.
func (s *sentence) equalAt(i int) ([]string, int) {
	if n := s.yearLead(i); n > 0 {
		return nil, n
	}
	if !s.partOfName(i, 1) {
		if stands := s.equalWord(i); stands != "" {
			return []string{stands}, 1
		}
	}
	starts := i == 0 || s.words[i-1].gap != ""
	switch {
	case starts && s.hasWords(i, []string{"no", "one", "but"}) && s.unbroken(i, 4):
		return []string{"only"}, 3
	case starts && (s.at(i) == "nobody" || s.at(i) == "none") && s.at(i+1) == "but" && s.unbroken(i, 3):
		return []string{"only"}, 2
	}
	var best equal
	for _, e := range equals[s.at(i)] {
		if len(e.words) > len(best.words) && s.unbroken(i, len(e.words)) && s.hasWords(i, e.words) &&
			!s.partOfName(i, len(e.words)) {
			next := s.at(i + len(e.words))
			if e.words[0] == "next" && e.words[1] == "to" && s.ranks(i+len(e.words)+1) {
				continue // "next to the last" is a place in a row
			}
			if (len(e.then) == 0 || e.then[next] && s.words[i+len(e.words)-1].gap == "") && !e.notThen[next] {
				best = e
			}
		}
	}
	return best.stands, len(best.words)
}

// equalWord is what stands for the word at i where more than its neighbours must be seen.
func (s *sentence) equalWord(i int) string {
	switch w := s.at(i); {
	case w == "shut" && isOrHas[s.at(i-1)]: // "the gates shut at dusk" is not "the gates closed at dusk"
		return "closed"
	case w == "established" && (s.at(i-1) == "was" || s.at(i-1) == "were"):
		return "founded"
	case unitsShort[w] != "" && startsDigit(s.at(i-1)) && s.at(i-1) != "1" && s.words[i-1].gap == "": // "12 ft"
		return unitsShort[w]
	case w == "per" && s.priced(i): // "two dollars per month"; "paid per sack" is not "paid a sack"
		return "a"
	}
	return ""
}

var (
	// unitsShort stand for one unit alone behind figures.
	unitsShort = map[string]string{"ft": "feet", "lb": "pounds", "lbs": "pounds", "oz": "ounces", "yd": "yards",
		"yds": "yards", "hrs": "hours",
		"mins": "minutes", "secs": "seconds", "km": "kilometres", "kilometers": "kilometres", "kg": "kilograms"}
)

var isOrHas = text.Set(`is are was were be been being am has have had isn't aren't wasn't weren't hasn't haven't i've
	they've we've i'm he's she's they're`)

// priced says whether a figure and what it counts stand before a "per" at word i, or "twice",
// and behind it what it is reckoned by, and no more: "two dollars per month".
func (s *sentence) priced(i int) bool {
	if i < 1 || !s.unbroken(max(0, i-2), i+2-max(0, i-2)) || !reckoned[s.at(i+1)] {
		return false
	}
	if i+2 < len(s.words) && s.words[i+1].gap == "" && !afterUnit[s.at(i+2)] {
		return false
	}
	_, _, digit := digits(s.at(i - 2))
	_, spelled := s.spelled(i - 2)
	return times[s.at(i-1)] || i > 1 && (digit || spelled == 1)
}

var (
	times    = text.Set(`once twice thrice`)
	reckoned = text.Set(`minute hour day night week month year head mile flask sack loaf cup bottle barrel person
		pound`)
	afterUnit = text.Set(`for with and on at while`)
)

// yearLead is over how many words "of the year" or "the year" goes where a year follows that
// is one without it: behind a month or a season, or behind "in" with four figures. "By the end
// of the year 300 soldiers had fled" holds none, and "by 1800" may be an hour.
func (s *sentence) yearLead(i int) int {
	before := s.at(i - 1)
	dated := months[before] || seasons[before] != ""
	for _, lead := range [][]string{{"of", "the", "year"}, {"the", "year"}} {
		year := i + len(lead)
		if !s.hasWords(i, lead) || !s.unbroken(max(0, i-1), len(lead)+2) || !isYear(s.at(year)) || !dated &&
			(before != "in" && before != "since" || len(s.at(year)) < 4) {
			continue
		}
		if year == len(s.words)-1 || s.words[year].gap != "" || afterYear[s.at(year+1)] {
			return len(lead)
		}
	}
	return 0
}

var afterYear = text.Set(`in on at by from to with after before when until and was is were are had has have did the i
	he she it we they`)

func isYear(w string) bool {
	return len(w) >= 3 && len(w) <= 4 && !slices.ContainsFunc([]byte(w), func(b byte) bool { return b < '0' || b > '9' })
}

// partOfName says whether one of n words from i on is written as a part of a name: “the Lad”.
func (s *sentence) partOfName(i, n int) bool {
	if s.words[i].first && s.upper(i+n) && s.words[i+n-1].gap == "" {
		return true
	}
	return slices.ContainsFunc(s.words[i:i+n], func(w word) bool { return w.upper && !w.first })
}

// unbroken says whether n words from i on follow one another without a mark.
func (s *sentence) unbroken(i, n int) bool {
	if i+n > len(s.words) {
		return false
	}
	return !slices.ContainsFunc(s.words[i:i+n-1], func(w word) bool { return w.gap != "" })
}
