package entail

import (
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Forms that stand for a person once a sentence is in its normal form. A space
// keeps them apart from every word.
const (
	selfForm  = "self "
	ownForm   = "self 's"
	selfSelf  = "self self"
	otherForm = "writer "
	otherOwn  = "writer 's"
	otherSelf = "writer self"
	youForm   = "reader "
	youOwn    = "reader 's"
	youSelf   = "reader self"
)

// isContracted are the words after which 's may be "is".
var isContracted = text.Set(`he she it that there here what who where this everyone everybody nobody someone somebody
	everything nothing something`)

// norm is a sentence in the form in which sentences are compared: lower case,
// contractions written out, the speaker's own person in one form, punctuation
// kept where it stands inside.
type norm []form

// form is one word, or the punctuation after one. A verb whose subject is the
// NPC keeps its base, since "I forge" and "Mira forges" say the same.
type form struct {
	surface string
	base    string
	subject subject
}

type subject byte

const (
	noSubject subject = iota
	byPronoun         // the verb agrees with "I"
	byName            // the verb agrees with the NPC's name
)

func (a form) equal(b form) bool {
	if a.subject != b.subject && a.subject != noSubject && b.subject != noSubject {
		return a.base == b.base
	}
	return a.surface == b.surface
}

func (n norm) equal(o norm) bool { return slices.EqualFunc(n, o, form.equal) }

// persons map the first and second person of one text.
type persons struct {
	own, possessive, reflexive string // the speaker
	you, yours, yourself       string // the one spoken to
	names                      [][]string
	self                       bool // names and first person both stand for the NPC
	equals                     bool // words that mean the same are one
}

// personsOf are the persons of the premise and of the hypothesis.
func personsOf(n Names) (premise, hypothesis persons) {
	mine := persons{selfForm, ownForm, selfSelf, youForm, youOwn, youSelf, nil, true, false}
	premise, hypothesis = mine, mine
	names := nameForms(n)
	premise.names, hypothesis.names = names, names
	if n.Writer != "" && !isSelf(n, n.Writer) {
		premise.own, premise.possessive, premise.reflexive = otherForm, otherOwn, otherSelf
		premise.self = false
	}
	if n.Reader != "" {
		premise.you, premise.yours, premise.yourself = "reader other ", "reader other 's", "reader other self"
		if isSelf(n, n.Reader) {
			premise.you, premise.yours, premise.yourself = selfForm, ownForm, selfSelf
		}
	}
	return premise, hypothesis
}

func isSelf(n Names, who string) bool {
	if strings.EqualFold(who, n.Self) {
		return true
	}
	return slices.ContainsFunc(n.Aliases, func(a string) bool { return strings.EqualFold(a, who) })
}

// nameForms are the NPC's names as words, longest first.
func nameForms(n Names) [][]string {
	var out [][]string
	for _, name := range append([]string{n.Self}, n.Aliases...) {
		if w := text.Words(text.Plain(name)); len(w) > 0 {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(b) - len(a) })
	return out
}

// normalise puts words of a sentence in their normal form.
func (s *sentence) normalise(p persons) norm {
	var out norm
	if s.lead != "" {
		out = append(out, form{surface: s.lead})
	}
	next, clause := noSubject, noSubject // whom the next verb, and one coordinated with it, agrees with
	for i := 0; i < len(s.words); i++ {
		if n, possessive := p.nameAt(s, i); n > 0 && !s.countsAt(i) { // before figures: an NPC may be called Zero
			out = append(out, form{surface: p.formOf(possessive)})
			i += n - 1
			next = noSubject
			if !possessive {
				next, clause = byName, byName
			}
		} else if figure, n := s.figureForm(i); n > 0 && !p.standsFor(s, i) {
			out = append(out, form{surface: figure})
			i += n - 1
			next = noSubject
		} else {
			var n int
			out, n, next, clause = p.appendWord(out, s, i, next, clause)
			i += n - 1
		}
		if s.words[i].gap != "" {
			out = append(out, form{surface: s.words[i].gap})
			next = noSubject
		}
	}
	return out
}

// countsAt says whether a word at the front that may be a name is read as a figure: "Seven
// died", but not "Zero trusts nobody".
func (s *sentence) countsAt(i int) bool {
	_, n := s.figureForm(i)
	next := s.at(i + 1)
	verb := strings.HasSuffix(next, "s") && !strings.HasSuffix(next, "ss") && !noVerb[next] && s.words[i].gap == ""
	return n > 0 && (s.lower || s.words[i].first && !verb)
}

var noVerb = text.Set(`always sometimes perhaps was is has as this his its ours yours theirs besides`)

// standsFor says whether a figure at word i is part of a phrase that another stands for:
// "two times".
func (p persons) standsFor(s *sentence, i int) bool {
	if !p.equals {
		return false
	}
	_, n := s.equalAt(i)
	return n > 1
}

// appendWord appends one word that is no name of the NPC, or several that stand for one.
func (p persons) appendWord(out norm, s *sentence, i int, next, clause subject) (norm, int, subject, subject) {
	parts, n, first := p.parts(s, i)
	if first {
		next, clause = byPronoun, byPronoun
		out = append(out, form{surface: parts[0]})
		parts = parts[1:]
	}
	for k, w := range parts {
		f := form{surface: w}
		switch {
		case first || k > 0:
		case next != noSubject && adverbs[w]:
			out = append(out, f)
			continue
		case next == noSubject && clause != noSubject && coordinated(s, i):
			next = clause
		}
		if next != noSubject {
			f.base, f.subject = baseVerb(w), next
			next = noSubject
		}
		out = append(out, f)
	}
	return out, n, next, clause
}

// nameAt matches one of the NPC's names, unless it is part of a larger name.
func (p persons) nameAt(s *sentence, i int) (n int, possessive bool) {
	if !s.words[i].upper && !s.lower {
		return 0, false
	}
	for _, name := range p.names {
		if n, possessive = matchName(s, i, name); n > 0 && !inLargerName(s, i, n) {
			return n, possessive
		}
	}
	return 0, false
}

func matchName(s *sentence, i int, name []string) (n int, possessive bool) {
	for k, want := range name {
		w := s.at(i + k)
		last := k == len(name)-1
		if k > 0 && s.words[i+k-1].gap != "" {
			return 0, false
		}
		if last && w == want+"'s" {
			return len(name), true
		}
		if w != want {
			return 0, false
		}
	}
	return len(name), false
}

// inLargerName keeps "Mira's Forge" and "Old Mira Vane" whole.
func inLargerName(s *sentence, i, n int) bool {
	next := i + n
	if next < len(s.words) && s.words[next].upper && s.words[next-1].gap == "" && s.words[next].raw != "I" {
		return true
	}
	prev := i - 1
	return prev > 0 && s.words[prev].upper && s.words[prev].gap == "" && s.words[prev].raw != "I"
}

func (p persons) formOf(possessive bool) string {
	if possessive {
		return ownForm
	}
	return selfForm
}

// parts are the words of one word, contractions written out, or of a phrase in the words
// that stand for it, over how many words they go, and whether the first of them is the
// NPC as a subject.
func (p persons) parts(s *sentence, i int) ([]string, int, bool) {
	if p.equals {
		if words, n := s.equalAt(i); n > 0 {
			return words, n, false
		}
	}
	low := s.words[i].low
	parts := []string{low}
	if full, ok := text.Contracted(low); ok {
		parts = strings.Fields(full)
	} else if bare, ok := strings.CutSuffix(low, "'s"); ok && isContracted[bare] && !pastForm(s.at(i+1)) {
		parts = []string{bare, "is"}
	}
	first := parts[0] == "i" && p.self
	if form, ok := p.pronoun(parts[0]); ok {
		parts[0] = form
	}
	return parts, 1, first
}

func (p persons) pronoun(low string) (string, bool) {
	switch low {
	case "i", "me":
		return p.own, true
	case "my", "mine":
		return p.possessive, true
	case "myself":
		return p.reflexive, true
	case "you":
		return p.you, true
	case "your", "yours":
		return p.yours, true
	case "yourself", "yourselves":
		return p.yourself, true
	}
	return "", false
}

func pastForm(w string) bool {
	return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "en") || w != "" && text.Stem(w) != w &&
		!strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ing") && !strings.HasSuffix(w, "y")
}

var (
	adverbs = text.Set(text.Adverbs + `not`)
	objects = text.Set(`the a an this that these those my your his her their our its them it him me us some any every
		each all to for with by from of at in on whom what whether how why`)
)

// coordinated tells "and sells them" from "nails and hinges".
func coordinated(s *sentence, i int) bool {
	switch s.at(i - 1) {
	case "and", "or", "but", "then", "who":
	default:
		return false
	}
	w := s.at(i)
	if asking[w] && (s.at(i+1) == "who" || s.at(i+1) == "when" || s.at(i+1) == "where") {
		return true // "decides who may join", and not "dogs who guard"
	}
	return w == "is" || w == "has" || w == "does" || !strings.HasSuffix(w, "s") || objects[s.at(i+1)] && s.at(i+1) != "of"
}

var asking = text.Set(`decide decides know knows ask asks say says tell tells learn learns remember remembers choose
	chooses`)

// baseVerb is a verb without the person it agrees with.
func baseVerb(w string) string {
	switch w {
	case "is", "am":
		return "be"
	case "was", "were":
		return "was"
	case "does":
		return "do"
	}
	if w == "" || !unicode.IsLetter(rune(w[0])) {
		return w
	}
	return text.WithoutPerson(w)
}
