package entail

import (
	"slices"
	"strings"
)

// timed is a sentence of one clause that begins with when it happens, or in which named
// place, with that last: “in the spring of 1402, the mill burned” as “the mill burned in the spring of
// 1402”. What
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
	return s.withLast(n), true
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
	if place && s.at(at) != "stands" && s.at(at) != "lies" && s.at(at+1) != "a" && s.at(at+1) != "an" &&
		s.at(at+1) != "the" || len(behind) > 8 {
		return false
	}
	things := 0
	for k, w := range behind {
		switch before := s.at(at + k); {
		case happening[w.low] || copulas[w.low] || isOrHas[w.low] || objectOf[w.low] || sayers[w.low] ||
			strings.HasSuffix(w.low, "ed"):
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
	happening = wordSet(`burned burnt fell came went died born founded established built rebuilt constructed opened closed
		began started sank rose arrived
		left returned moved married won lost met fought made cast overturned grew stopped ended lived worked killed bought
		sold stole found opens closes
		begins starts comes go goes come sleep sleeps walk walks rings ring meets meet passed joined drowned flooded froze
		crashed vanished disappeared`)
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
	timeHeads = wordSet(`night morning evening afternoon noon midnight dawn daybreak dusk sunset sunrise day week month
		year`)
	timeFill = wordSet(`the of a early late in on first next last same following previous eve`)
)
