package entail

import (
	"slices"
	"strings"
)

// heads are the beginnings of a premise's sentence that say the same without the
// rest: what is cut off adds to them and cannot change them. A rest may take back,
// bound or doubt what stands before it, so it is left off only where it plainly
// goes on: after a comma with a relative clause, a participle or another item, or
// after an "and" that joins no names, figures or limits.
func (s *sentence) heads() []sentence {
	var out []sentence
	for i := 3; i+1 < len(s.words); i++ {
		rest := s.cut(i+1, len(s.words))
		if s.endsHead(i) && !rest.bounds() {
			out = append(out, s.cut(0, i+1))
		}
	}
	return out
}

// endsHead says whether the words up to i may stand without the rest.
func (s *sentence) endsHead(i int) bool {
	next := s.at(i + 1)
	switch s.words[i].gap {
	case ",", ";":
		return next == "and" || continues[next] || strings.HasSuffix(next, "ing") && len(next) > 5
	case "":
		return next == "and" && s.joinsFreely(i)
	}
	return false
}

// joinsFreely says whether the "and" behind word i may be left off with what it
// adds: "free and open" is free, "only knights and citizens" are not only knights,
// and "five gold and two silver" is not five gold.
func (s *sentence) joinsFreely(i int) bool {
	if isNumberWord(s.at(i+2)) || startsDigit(s.at(i+2)) || s.upper(i+2) {
		return false
	}
	for k := 0; k <= i; k++ {
		w := s.at(k)
		if exhaustive[w] || universals[w] || partials[w] || i-k < 3 && (isNumberWord(w) || startsDigit(w)) {
			return false
		}
	}
	return true
}

func (s *sentence) upper(i int) bool { return i < len(s.words) && s.words[i].upper }

// bounds says whether words at the end of a sentence may change what stands before
// them.
func (s *sentence) bounds() bool {
	for i := range s.words {
		w := s.words[i].low
		if negations[w] || hasNot(w) || conditions[w] && !continues[w] && !plain[w] || attitudes[w] || retractions[w] || hedging[w] || w == "or" || w == "but" || w == "instead" {
			return true
		}
	}
	low := strings.ToLower(s.text)
	return slices.ContainsFunc(retractionPhrases, func(r string) bool { return strings.Contains(low, r) })
}

var (
	continues  = wordSet(`which who whose where`)
	plain      = wordSet(`that as than like before after because since so what how`)
	exhaustive = wordSet(`only just both between either neither half exactly alone`)
)
