package entail

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// heads are the beginnings of a premise's sentence that say the same without the
// rest: what is cut off adds to them and cannot change them. A rest may take back,
// bound or doubt what stands before it, so it is left off only where it plainly
// goes on: with a relative clause behind a noun, a participle that adds, or a
// second verb of the same subject. Two things joined are never parted: "the cure is
// honey and wine" is not "the cure is honey".
func (s *sentence) heads() []sentence {
	if len(s.words) > maxParted || s.quotes() || s.has(tales) {
		return nil
	}
	var out []sentence
	for i := 3; i+1 < len(s.words); i++ {
		if !s.endsHead(i) {
			continue
		}
		head, rest := s.cut(0, i+1), s.cut(i+1, len(s.words))
		if !head.confines() && !head.bounds() && !rest.bounds() && !rest.has(changing) {
			out = append(out, head)
		}
	}
	return out
}

// maxParted is over how many words a sentence is taken as a whole alone: every way
// of parting it is read anew.
const maxParted = 100

// endsHead says whether the words up to i may stand without the rest.
func (s *sentence) endsHead(i int) bool {
	next := s.at(i + 1)
	switch s.words[i].gap {
	case ",":
		return next == "and" && s.addsVerb(i) || additive[next] || s.namesThing(i) &&
			(next == "who" || next == "which" && s.startsClause(i+2))
	case "":
		return next == "and" && s.addsVerb(i)
	}
	return false
}

// addsVerb says whether the "and" behind word i joins a verb with an object of its
// own, as in "and sold it": a subject may do the one without the other. A word in
// -s may be a plural, "honey and herbs the witch grows", so what is said to be, to
// cost or to need something is not parted by it, unless that is a plain state.
func (s *sentence) addsVerb(i int) bool {
	verb := s.at(i + 2)
	if s.upper(i+2) || !verbObjects[s.at(i+3)] {
		return false
	}
	if pastVerbs[verb] || strings.HasSuffix(verb, "ed") && len(verb) > 4 {
		return true
	}
	present := strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "ss") && len(verb) > 3
	head := s.cut(0, i+1)
	return present && (states[s.at(i)] || !head.has(predicating))
}

// namesThing says whether word i is a noun that a relative clause may speak of, and
// not the end of what is said of another: "the men are cursed, who broke it".
func (s *sentence) namesThing(i int) bool {
	if s.words[i].upper && !s.words[i].first {
		return true
	}
	for _, k := range []int{i - 1, i - 2} {
		if w := s.at(k); determiners[w] || strings.HasSuffix(w, "'s") {
			return !predicating[s.at(i-1)]
		}
	}
	return false
}

// confines says whether a beginning speaks of all, of some or of a number that what
// follows may belong to.
func (s *sentence) confines() bool {
	for k := range s.words {
		w := s.at(k)
		if exhaustive[w] || universals[w] || partials[w] || len(s.words)-k < 4 && (isNumberWord(w) || startsDigit(w)) {
			return true
		}
	}
	return false
}

func (s *sentence) upper(i int) bool { return i < len(s.words) && s.words[i].upper }

// bounds says whether words of a sentence may change what stands beside them.
func (s *sentence) bounds() bool {
	for i := range s.words {
		w := s.words[i].low
		if negations[w] || hasNot(w) || conditions[w] && !continues[w] && !plain[w] || attitudes[w] || retractions[w] ||
			hedging[w] || w == "or" || w == "but" || w == "instead" {
			return true
		}
	}
	low := strings.ToLower(s.text)
	return slices.ContainsFunc(retractionPhrases, func(r string) bool { return strings.Contains(low, r) })
}

// quotes says whether quotation marks part a sentence: what is quoted is
// somebody's, and its clauses are not the text's own.
func (s *sentence) quotes() bool {
	inner := strings.Trim(s.text, `"`)
	return strings.Contains(inner, `"`) || singleQuote(inner, 0) >= 0
}

var (
	continues  = text.Set(`which who`)
	plain      = text.Set(`that as than like before after because since so what how`)
	exhaustive = text.Set(`only just both between either neither half exactly alone`)

	// additive are the participles that say what else was so, and no condition:
	// "keeping to the path" and "starting tomorrow" are none of them.
	additive = text.Set(`ranging killing wounding burning drowning destroying`)

	// predicating verbs say what a thing is or takes, of which a part is not the whole.
	predicating = text.Set(`is are was were be been am it's he's she's that's cost costs need needs needed take takes
		took require requires weigh weighs weighed measure measures contain contains means called named made lasts lasted
		pay pays paid owe owes owed`)
	states = text.Set(`free open shut closed locked dead alive safe empty`)

	determiners = text.Set(text.Determiners)
	verbObjects = text.Set(text.Determiners + `it him them me us you`)
	pastVerbs   = text.Set(`sold bought took gave kept built brought found lost left made went came saw won fought
		broke stole drank ate wrote sent held cut hid threw caught led met fell slew`)

	// changing words say that what was told is over or in dispute.
	changing = text.Set(`ended ends stopped stops ceased repealed revoked cancelled changed changes lapsed expired
		formerly over disputed disputes dispute contested contests questioned questions invented invents exaggerated
		recanted recants withdrew withdrawn mocked mocks laughed laughs doubtful debatable questionable wrong false
		mistake rubbish half made once`)

	// tales are what is told, and nobody vouches for.
	tales = text.Set(`story stories tale tales song songs legend legends myth myths gossip hearsay fable fables ballad
		ballads prophecy prophecies rumour rumours rumor rumors saga sagas joke jokes poem superstition version versions
		play`)
)
