package entail

import (
	"slices"
	"strings"
)

// equals are words and phrases that mean the same wherever both can stand, the one that
// stands for all of them first. Behind ">" are the words of which one must follow, behind
// "<" those that must not: "they started to sing" and "they started at the noise" differ.
// What means the same in most sentences only ("founded", "established"; "big", "large")
// is a model's to judge.
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
	beside = next to > my our his her their its your
	around = round > the my our his her their its a an
	starts = begins > to with
	start = begin > to with
	will = is going to = are going to = am going to > cost be have pay get see need take make give come
	lad = boy
	lass = girl
	twice = two times = 2 times
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
			out[words[0]] = append(out[words[0]], equal{words, strings.Fields(phrases[0]), wordSet(then), wordSet(not)})
		}
	}
	return out
}

// equalAt is the phrase at word i in the words that stand for it, and over how many it goes.
func (s *sentence) equalAt(i int) ([]string, int) {
	if n := s.yearLead(i); n > 0 {
		return nil, n
	}
	switch {
	case s.at(i) == "shut" && isOrHas[s.at(i-1)]: // "the gates shut at dusk" is not "the gates closed at dusk"
		return []string{"closed"}, 1
	case s.at(i) == "established" && (s.at(i-1) == "was" || s.at(i-1) == "were"):
		return []string{"founded"}, 1
	case remains[s.at(i)] != "" && staysIn[s.at(i+1)] && !s.amount(i): // "three barrels remain" are left
		return []string{remains[s.at(i)]}, 1
	case s.at(i) == "per" && s.priced(i): // "two dollars per month"; "paid per sack" is not "paid a sack"
		return []string{"a"}, 1
	}
	var best equal
	for _, e := range equals[s.at(i)] {
		if len(e.words) > len(best.words) && s.unbroken(i, len(e.words)) && s.hasWords(i, e.words) && !s.partOfName(i, len(e.words)) {
			next := s.at(i + len(e.words))
			if (len(e.then) == 0 || e.then[next] && s.words[i+len(e.words)-1].gap == "") && !e.notThen[next] {
				best = e
			}
		}
	}
	return best.stands, len(best.words)
}

var (
	remains = map[string]string{"remain": "stay", "remains": "stays", "remained": "stayed"}
	staysIn = wordSet(`in within inside`)
	amounts = wordSet(`nothing none little few some many much more most all any one half rest a an no who only alone`)
)

// amount says whether how much or how many there is of something stands before word i. The
// figure behind a name is a part of it: "ShadowWatch 2.0".
func (s *sentence) amount(i int) bool {
	for k := range i {
		_, _, digit := digits(s.at(k))
		_, spelled := s.spelled(k)
		if amounts[s.at(k)] || (digit || spelled > 0) && (k == 0 || !s.words[k-1].upper) {
			return true
		}
	}
	return i == 0
}

var isOrHas = wordSet(`is are was were be been being am has have had isn't aren't wasn't weren't hasn't haven't i've they've we've i'm he's she's they're`)

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
	times     = wordSet(`once twice thrice`)
	reckoned  = wordSet(`minute hour day night week month year head mile flask sack loaf cup bottle barrel person pound`)
	afterUnit = wordSet(`for with and on at while`)
)

// yearLead is over how many words "of the year" or "the year" goes where a year follows that
// is one without it: behind a month or a season, or behind "in" with four figures. "By the end
// of the year 300 soldiers had fled" holds none, and "by 1800" may be an hour.
func (s *sentence) yearLead(i int) int {
	before := s.at(i - 1)
	dated := months[before] || seasons[before] != ""
	for _, lead := range [][]string{{"of", "the", "year"}, {"the", "year"}} {
		year := i + len(lead)
		if !s.hasWords(i, lead) || !s.unbroken(max(0, i-1), len(lead)+2) || !isYear(s.at(year)) || !dated && (before != "in" && before != "since" || len(s.at(year)) < 4) {
			continue
		}
		if year == len(s.words)-1 || s.words[year].gap != "" || afterYear[s.at(year+1)] {
			return len(lead)
		}
	}
	return 0
}

var afterYear = wordSet(`in on at by from to with after before when until and was is were are had has have did the i he she it we they`)

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

// timed is a sentence of one clause that begins with when it happens, or in which named place, with that last:
// “in the spring of 1402, the mill burned” as “the mill burned in the spring of 1402”. What
// happens must be something that happens then: "I remember the fire in 1402" is of no memory
// in that year, and "Wren misses the market in Saltmere" of no place where she is.
func (s *sentence) timed() (sentence, bool) {
	n, place := s.timePhrase(), false
	if n == 0 {
		n, place = s.placeName(), true
	}
	if n == 0 || n+2 > len(s.words) || s.words[n-1].gap != "," && (s.words[n-1].gap != "" || !s.startsClause(n)) {
		return *s, false
	}
	main, sub := s.cut(n, len(s.words)), s.cut(0, n)
	often := s.at(0) == "every" || s.at(0) == "each" // "it does not run every day" is not "every day it does not"
	if !main.happens(place) || (often || place) && (main.denies() || main.has(universals)) {
		return *s, false
	}
	if made := main.written(); !made.standsBefore(&sub) {
		return *s, false
	}
	t := sentence{lower: s.lower, question: s.question, quoted: s.quoted, text: s.text, start: s.start}
	t.words = append(slices.Clone(s.words[n:]), s.words[:n]...)
	t.words[len(t.words)-1].gap = ""
	return t, true
}

// happens says whether a clause is a subject, one verb of what is so at a time (or of what a
// thing is, in a place), and one thing behind it: where there may be a second verb, as in "I
// sold the sword he made", when and where may belong to that one.
func (s *sentence) happens(place bool) bool {
	verbs := happening
	if place {
		verbs = copulas
	}
	isVerb := func(w word) bool { return verbs[w.low] || !place && w.low == "wrote" }
	at := slices.IndexFunc(s.words, isVerb)
	if at < 1 || !s.oneSubject(at) {
		return false
	}
	behind := s.words[at+1:]
	if place && s.at(at) != "stands" && s.at(at) != "lies" && s.at(at+1) != "a" && s.at(at+1) != "an" && s.at(at+1) != "the" || len(behind) > 8 {
		return false
	}
	things := 0
	for k, w := range behind {
		switch before := s.at(at + k); {
		case happening[w.low] || copulas[w.low] || isOrHas[w.low] || objectOf[w.low] || sayers[w.low] || strings.HasSuffix(w.low, "ed"):
			return false
		case determiners[w.low] && !placing[before]:
			things++
		case w.upper && k+1 < len(behind) && !behind[k+1].upper && !placing[behind[k+1].low]:
			return false // "the sword Osric forged"
		}
	}
	return things < 2
}

// oneSubject says whether what stands before the verb at a word is a pronoun, a name, or a
// noun with its article, and an auxiliary at most: "I forgave the man killed" has another verb.
func (s *sentence) oneSubject(verb int) bool {
	if isOrHas[s.at(verb-1)] {
		verb--
	}
	switch {
	case sayers[s.at(0)]:
		return verb == 1
	case determiners[s.at(0)] && !s.upper(1):
		return verb == 2 || verb == 3
	}
	_, spelled := s.spelled(0)
	if _, _, digit := digits(s.at(0)); digit || spelled == 1 {
		return verb == 2
	}
	for k := range verb {
		if w := s.words[k]; !w.upper && w.low != "of" && w.low != "the" {
			return false
		}
	}
	return true
}

// written is a clause in which "wrote" has a thing and no clause behind it, as one of making.
func (s *sentence) written() *sentence {
	at := slices.IndexFunc(s.words, func(w word) bool { return w.low == "wrote" })
	if at < 0 {
		return s
	}
	out := *s
	out.words = slices.Clone(s.words)
	out.words[at].low = "made"
	return &out
}

// placeName is over how many words a named place goes at the front: “in Port Lantern,”.
func (s *sentence) placeName() int {
	if s.at(0) != "in" && s.at(0) != "at" || s.lower {
		return 0
	}
	for i := 1; i < min(len(s.words), 5) && s.words[i].upper; i++ {
		if s.words[i].gap != "" {
			if s.words[i].gap == "," {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

var (
	copulas   = wordSet(`is are was were stands lies`)
	placing   = wordSet(`in on at near by with over under`)
	sayers    = wordSet(`i he she it we they you`)
	happening = wordSet(`burned burnt fell came went died born founded established built rebuilt constructed opened closed began started sank rose arrived
		left returned moved married won lost met fought made cast overturned grew stopped ended lived worked killed bought sold stole found opens closes
		begins starts comes go goes come sleep sleeps walk walks rings ring meets meet passed joined drowned flooded froze crashed vanished disappeared`)
	objectOf = wordSet(`for of from about to against`)
)

// timePhrase is how many words at the front say when, and nothing else.
func (s *sentence) timePhrase() int {
	if !timeLeads[s.at(0)] {
		return 0
	}
	end := 0
	for i := 1; i < len(s.words); i++ {
		if s.words[i-1].gap != "" && s.words[i-1].gap != "-" {
			break
		}
		w := s.at(i)
		_, ordinal, digit := digits(w)
		_, spelled := s.spelled(i)
		switch {
		case timeHeads[w] || months[w] || weekdays[w] != "" || seasons[w] != "" || isYear(w):
			end = i + 1
		case !timeFill[w] && !ordinal && !digit && spelled == 0 && ordinals[w] == 0:
			return end
		}
	}
	return end
}

var (
	timeLeads = wordSet(`in on at since before after until till by during every each last next this`)
	timeHeads = wordSet(`night morning evening afternoon noon midnight dawn daybreak dusk sunset sunrise day week month year`)
	timeFill  = wordSet(`the of a early late in on first next last same following previous eve`)
)

// apart says whether a clause with a comma, an "and" and a subject of its own before it is
// said by itself: where nothing at the front holds for all, nothing is told, thought or
// supposed in front, and nothing is limited.
func (s *sentence) apart() bool {
	if s.framed(0) && contractions[s.at(0)] == "" || s.quotes() || s.has(tales) || s.question || s.has(unreal) || s.retracts() {
		return false
	}
	for i := range s.words {
		if gap := s.words[i].gap; gap == ";" && s.startsClause(i+1) || gap == "," && s.at(i+1) == "and" && s.startsClause(i+2) {
			return !attitudes[s.at(len(s.words)-1)] // ", Yrsa says"
		}
		if attitudes[s.at(i)] || governs[s.at(i)] {
			return false
		}
	}
	return true
}

// governs are more words that a clause without "that" may hang on.
var governs = wordSet(`sure certain convinced afraid aware worry worries worried word talk idea charge chance chances likely bet bets pray prays trust trusts
	admit admits admitted agree agrees agreed complain complains complained state states stated teach teaches taught feign feigned prove proves proved
	learn learns learned learnt discover discovers discovered find finds notice noticed`)

// unreal words make what they stand with less than said.
var unreal = wordSet(`if either unless whether until till lest suppose supposing provided providing assuming before whenever only except according
	perhaps maybe possibly probably supposedly allegedly reportedly apparently would could might should`)
