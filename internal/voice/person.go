package voice

import (
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Pronoun is how a backstory speaks of its NPC.
type Pronoun string

// The pronouns that can be turned into the first person.
const (
	She  Pronoun = "she"
	He   Pronoun = "he"
	None Pronoun = ""
)

// PronounOf is the pronoun a backstory uses most; none where it is a draw, since
// then a "she" may be somebody else.
func PronounOf(backstory string) Pronoun {
	var she, he int
	for _, w := range text.Words(backstory) {
		switch w {
		case "she", "her", "hers", "herself":
			she++
		case "he", "him", "his", "himself":
			he++
		}
	}
	switch {
	case she > 0 && he == 0 || she > 2*he:
		return She
	case he > 0 && she == 0 || he > 2*she:
		return He
	}
	return None
}

// FirstPerson turns a sentence about the NPC into the NPC's own: the name, and
// in a backstory the pronoun, become I, me and my, and the verbs agree. It
// reports false where nothing was turned, or where only a reader could tell
// whether the NPC is meant.
func FirstPerson(sentence string, p Person, backstory bool) (string, bool) {
	names := selfNames(p.Name)
	if !backstory && (!namesSelf(sentence, names) || hasPronounOf(sentence, p.Pronoun) || inApposition(sentence, names)) {
		return sentence, false
	}
	t := newTurner(sentence, p)
	if t.unsure() {
		return sentence, false
	}
	if !backstory {
		t.pronoun = None
		return t.turn()
	}
	if p.Pronoun == None && t.strayPronoun() {
		return sentence, false
	}
	if leansOnAnother(sentence, p) || t.afterRival() {
		return sentence, false
	}
	if t.mentionsAnother(p.Name) {
		t.subjectOnly = true
		if t.pronounsAfterFirst() > 0 {
			return sentence, false
		}
	}
	return t.turn()
}

// unsure says whether a sentence is one that turning would bend: a question, one
// that has an "I" already, or one that quotes another's words about the NPC.
func (t *turner) unsure() bool {
	if text.IsQuestion(t.s) || usesFirstPerson(t.s) {
		return true
	}
	if !strings.ContainsAny(t.s, "\"“”") {
		return false
	}
	for i := range t.spans {
		if n, _ := t.nameAt(i); n > 0 || t.isPronoun(i) {
			return true
		}
	}
	return false
}

// hasPronounOf says whether a sentence that names the NPC may go on to mean it by
// a pronoun, which only a reader can tell: such a sentence is left as it stands.
func hasPronounOf(sentence string, p Pronoun) bool {
	for _, w := range text.Words(sentence) {
		if _, ok := pronounForms[p][w]; ok {
			return true
		}
	}
	return false
}

type turner struct {
	s           string
	spans       []text.Span
	names       [][]string
	pronoun     Pronoun
	subjectOnly bool // another person is named: only a pronoun at the front is surely the NPC
	out         strings.Builder
	at          int
	changed     bool
	agree       bool // the next verb has "I" for its subject
	subject     bool // the sentence's subject is "I", so a coordinated verb agrees too
}

func (t *turner) word(i int) string {
	if i < 0 || i >= len(t.spans) {
		return ""
	}
	return strings.ReplaceAll(t.s[t.spans[i].Start:t.spans[i].End], "’", "'")
}

// mentionsAnother says whether the sentence may name somebody beside the NPC; a
// name after a preposition of place is taken for a place.
func (t *turner) mentionsAnother(name string) bool {
	for i := range t.spans {
		w := t.word(i)
		if i > 0 && unicode.IsUpper(first(w)) && w != "I" && !ofPlaces[strings.ToLower(t.word(i-1))] &&
			!strings.Contains(name, strings.TrimSuffix(w, "'s")) {
			return true
		}
	}
	return false
}

// pronounsAfterFirst counts the pronouns that may mean the NPC or the other.
func (t *turner) pronounsAfterFirst() int {
	n := 0
	for i := 1; i < len(t.spans); i++ {
		if _, ok := pronounForms[t.pronoun][strings.ToLower(t.word(i))]; ok {
			n++
		}
	}
	return n
}

func (t *turner) turn() (string, bool) {
	for i := 0; i < len(t.spans); i++ {
		switch n, possessive := t.nameAt(i); {
		case n > 0 && t.inLargerName(i, n):
			i += n - 1
		case n > 0 && t.listed(i, i+n-1):
			return t.s, false
		case n > 0:
			t.replace(i, i+n-1, t.formFor(i, i+n-1, possessive))
			i += n - 1
		case t.ownAt(i):
			t.replace(i, i, "my")
		case t.pronounAt(i):
			t.replacePronoun(i)
		default:
			t.agreeVerb(i)
		}
	}
	t.out.WriteString(t.s[t.at:])
	return fixStart(t.out.String()), t.changed
}

// ownAt says whether word i is the "her" of "her own" in a sentence whose subject
// is the NPC: whose else would it be.
func (t *turner) ownAt(i int) bool {
	w := strings.ToLower(t.word(i))
	return t.subject && (w == "her" || w == "his" || w == "their") && strings.EqualFold(t.word(i+1), "own") &&
		!t.anotherBefore(i)
}

// anotherBefore says whether somebody besides the NPC is named before word i.
func (t *turner) anotherBefore(i int) bool {
	for k := 1; k < i; k++ {
		if n, _ := t.nameAt(k); n == 0 && unicode.IsUpper(first(t.word(k))) && !t.inOwnName(k) || t.rivalAt(k) {
			return true
		}
	}
	return false
}

// inOwnName says whether word k is a later word of the NPC's name.
func (t *turner) inOwnName(k int) bool {
	for i := max(0, k-3); i < k; i++ {
		if n, _ := t.nameAt(i); n > k-i {
			return true
		}
	}
	return false
}

// strayPronoun says whether a "he" or "she" stands in the sentence that may mean
// the NPC, whose pronoun is not known.
func (t *turner) strayPronoun() bool {
	for i := range t.spans {
		for _, forms := range pronounForms {
			if _, ok := forms[strings.ToLower(t.word(i))]; ok && !strings.EqualFold(t.word(i+1), "own") {
				return true
			}
		}
	}
	return false
}

// formFor is I, me or my, by what stands before and after.
func (t *turner) formFor(i, last int, possessive bool) string {
	if possessive {
		return "my"
	}
	if i > 0 && (prepositions[strings.ToLower(t.word(i-1))] || t.isObject(i, last)) {
		return "me"
	}
	t.agree, t.subject = true, t.subject || i == 0
	return "I"
}

// isObject says whether a name that is not at the front ends its clause or is
// followed by something that cannot follow a subject.
func (t *turner) isObject(i, last int) bool {
	next := strings.ToLower(t.word(last + 1))
	if next == "" || strings.ContainsAny(t.s[t.spans[last].End:t.spans[last+1].Start], ".,;:!?") {
		return true
	}
	return prepositions[next] || determiners[next] || next == "and" && i > 0 && !conjunctions[strings.ToLower(t.word(i-1))]
}

func (t *turner) pronounAt(i int) bool {
	return t.pronoun != None && !(t.subjectOnly && i > 0) && t.isPronoun(i)
}

var pronounForms = map[Pronoun]map[string]string{
	She: {"she": "I", "her": "my", "hers": "mine", "herself": "myself", "she's": "I'm", "she'd": "I'd", "she'll": "I'll"},
	He:  {"he": "I", "him": "me", "his": "my", "himself": "myself", "he's": "I'm", "he'd": "I'd", "he'll": "I'll"},
}

func (t *turner) replacePronoun(i int) {
	form := pronounForms[t.pronoun][strings.ToLower(t.word(i))]
	switch {
	case strings.EqualFold(t.word(i), "her") && t.endsPhrase(i):
		form = "me"
	case form == "I'm" && participles[strings.ToLower(t.word(i+1))]:
		form = "I've" // "he's been"
	}
	t.replace(i, i, form)
	if form == "I" {
		t.agree, t.subject = true, true
	}
}

// endsPhrase says whether nothing that "her" could own follows.
func (t *turner) endsPhrase(i int) bool {
	next := strings.ToLower(t.word(i + 1))
	return next == "" || prepositions[next] || determiners[next] || conjunctions[next] ||
		strings.ContainsAny(t.s[t.spans[i].End:t.spans[i+1].Start], ".,;:!?")
}

func (t *turner) replace(first, last int, form string) {
	t.out.WriteString(t.s[t.at:t.spans[first].Start])
	t.out.WriteString(form)
	t.at = t.spans[last].End
	t.changed = true
}

// agreeVerb makes the verb after "I", and one coordinated with it, agree.
func (t *turner) agreeVerb(i int) {
	w := strings.ToLower(t.word(i))
	switch {
	case t.agree && adverbs[w]:
		return
	case t.agree:
		t.agree = false
	case t.subject && i > 0 && coordinates(strings.ToLower(t.word(i-1))) && t.looksLikeVerb(i):
	default:
		return
	}
	if to := firstPersonVerb(w); to != w {
		t.out.WriteString(t.s[t.at:t.spans[i].Start])
		t.out.WriteString(to)
		t.at = t.spans[i].End
	}
}

func coordinates(w string) bool { return w == "and" || w == "or" || w == "but" || w == "then" }

// looksLikeVerb tells "and sells them" from "nails and hinges".
func (t *turner) looksLikeVerb(i int) bool {
	w := strings.ToLower(t.word(i))
	if unicode.IsUpper(first(t.word(i))) || t.anotherSubject(i) {
		return false
	}
	if w == "is" || w == "has" || w == "does" {
		return true
	}
	next := strings.ToLower(t.word(i + 1))
	return strings.HasSuffix(w, "s") && (determiners[next] || objects[next] || prepositions[next] && next != "of")
}

// anotherSubject says whether something since the front may be the subject of verb
// i: "a horse that is lame and has bad teeth", "Osric sells them and keeps bees".
func (t *turner) anotherSubject(i int) bool {
	for k := 1; k < i; k++ {
		w := t.word(k)
		if n, _ := t.nameAt(k); n > 0 {
			continue
		}
		switch strings.ToLower(w) {
		case "that", "who", "which", "whose", "where":
			return true
		}
		if strings.Contains(t.after(k-1), ";") {
			return true
		}
	}
	return false
}

func firstPersonVerb(w string) string {
	switch w {
	case "is":
		return "am"
	case "does":
		return "do"
	case "isn't":
		return "am not"
	case "hasn't":
		return "haven't"
	case "doesn't":
		return "don't"
	}
	return text.WithoutPerson(w)
}

var (
	prepositions = text.Set(text.Prepositions + `to than`)
	determiners  = text.Set(text.Determiners + text.Quantifiers)
	ofPlaces     = text.Set(`in at near from of on the`)
	conjunctions = text.Set(text.Conjunctions)
	participles  = text.Set(`been had got gone done made taken seen lived kept worked become known lost left`)
	adverbs      = text.Set(text.Adverbs)
	objects      = text.Set(`them it him her me you us himself herself nothing everything anything whatever what who
		whoever only`)
)

func fixStart(s string) string {
	for _, w := range []string{"my", "me", "mine", "myself"} {
		if strings.HasPrefix(s, w+" ") {
			return capital(w) + s[len(w):]
		}
	}
	return s
}
