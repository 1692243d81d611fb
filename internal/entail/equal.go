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
	usually = as a rule
	mostly = for the most part
	secretly = in secret
	deliberately = on purpose = intentionally
	forever = for ever = for all time
	from time to time = now and then = every now and then = every so often
	because of = on account of = owing to
	during = in the course of
	in order to = so as to
	beneath = underneath
	beneath = under > the my our his her their its
	instead of = in place of
	founded = established > in on by
	beside = next to > the my our his her their its your this that
	within = inside > the my our his her their its your this that
	whole = entire
	at dawn = at daybreak
	allowed = permitted
	afraid of = scared of = frightened of
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
	started = began > to with in on when after before
	starts = begins > to with in on when after before
	start = begin > to with in on when after before
	stayed = remained > in at on within inside beneath under with there here behind
	stays = remains > in at on within inside beneath under with there here behind
	stay = remain > in at on within inside beneath under with there here behind
	returned = came back > in at on to from when after before with
	returns = comes back > in at on to from when after before every each by tomorrow
	return = come back > in at on to from when after before every each by tomorrow
	lived = dwelt = resided > in at on near by with beside
	lives = dwells = resides > in at on near by with beside
	live = dwell = reside > in at on near by with beside
	happened = took place > in at on when after before during
	happens = takes place > in at on when after before during every each
	the next = the following > day morning evening night week month year spring summer autumn winter
	telephone = phone
	folk = people > of in from who here there
	lad = boy
	lass = girl
	around = round
	twice = two times = 2 times
	a = per > day night week month year hour head mile flask sack loaf cup bottle barrel person crown gram
	at night = by night
	called = by the name of
	is called = goes by the name of
	are called = go by the name of
	wants to = wishes to
	want to = wish to
	wanted to = wished to
	will = is going to = are going to = am going to < the a an my our his her their its your
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
	if s.at(i) == "shut" && isOrHas[s.at(i-1)] { // "the gates shut at dusk" is not "the gates closed at dusk"
		return []string{"closed"}, 1
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

var isOrHas = wordSet(`is are was were be been being has have had isn't aren't wasn't weren't i've they've we've`)

// yearLead is over how many words "of the year" or "the year" goes where a year follows,
// which says as much by itself: "in June of the year 1996".
func (s *sentence) yearLead(i int) int {
	for _, lead := range [][]string{{"of", "the", "year"}, {"the", "year"}} {
		if s.hasWords(i, lead) && s.unbroken(i, len(lead)+1) && isYear(s.at(i+len(lead))) {
			return len(lead)
		}
	}
	return 0
}

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

// timed is a sentence of one clause that begins with when it happens, or in which named
// place, with that last: “in the spring of 1402, the mill burned” as “the mill burned in
// the spring of 1402”.
func (s *sentence) timed() (sentence, bool) {
	n := s.timePhrase()
	if n == 0 {
		n = s.placeName()
	}
	if n == 0 || n+2 > len(s.words) || s.words[n-1].gap != "," && (s.words[n-1].gap != "" || !s.startsClause(n)) {
		return *s, false
	}
	main, sub := s.cut(n, len(s.words)), s.cut(0, n)
	if !main.standsBefore(&sub) {
		return *s, false
	}
	t := sentence{lower: s.lower, question: s.question, quoted: s.quoted, text: s.text, start: s.start}
	t.words = append(slices.Clone(s.words[n:]), s.words[:n]...)
	t.words[len(t.words)-1].gap = ""
	return t, true
}

// placeName is over how many words a named place goes at the front: “in Port Lantern,”.
func (s *sentence) placeName() int {
	if !placeLeads[s.at(0)] || s.lower {
		return 0
	}
	for i := 1; i < len(s.words) && i <= 5; i++ {
		if !s.words[i].upper && s.at(i) != "the" {
			return 0
		}
		if s.words[i].gap == "," && s.words[i].upper {
			return i + 1
		}
		if s.words[i].gap != "" {
			return 0
		}
	}
	return 0
}

var placeLeads = wordSet(`in at on near`)

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

// repeats says whether behind word i, an "and" or the end of a clause that a semicolon
// joins, the pronoun stands again that the sentence begins with: “I found him and I
// carried him home” is “I found him and carried him home”.
func (s *sentence) repeats(i int) bool {
	again := s.at(i + 1)
	if i+2 >= len(s.words) || s.words[i+1].gap != "" || !sayers[again] || s.at(i) != "and" && s.words[i].gap != ";" {
		return false
	}
	first := s.at(0)
	return first == again || strings.HasPrefix(contractions[first], again+" ")
}

var sayers = wordSet(`i he she it we they`)
