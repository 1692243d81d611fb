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
// reports false where nothing was turned.
func FirstPerson(sentence string, p Person, backstory bool) (string, bool) {
	names := selfNames(p.Name)
	if !backstory && !namesSelf(sentence, names) {
		return sentence, false
	}
	if !backstory && (hasPronounOf(sentence, p.Pronoun) || inApposition(sentence, names)) {
		return sentence, false
	}
	t := turner{s: sentence, spans: text.WordSpans(sentence), names: names}
	if backstory {
		t.pronoun = p.Pronoun
		if t.mentionsAnother(p.Name) {
			t.subjectOnly = true
			if t.pronounsAfterFirst() > 0 {
				return sentence, false
			}
		}
	}
	return t.turn()
}

// namesSelf is a cheap look before the words are told apart.
func namesSelf(sentence string, names [][]string) bool {
	for _, n := range names {
		if len(n) > 0 && strings.Contains(sentence, n[0]) {
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

// inApposition says whether a name stands beside a description: "the reeve Aldith
// Marrow", "Aldith Marrow, clerk of the chancery,".
func inApposition(sentence string, names [][]string) bool {
	for _, n := range names {
		at := strings.Index(sentence, strings.Join(n, " "))
		if at < 0 {
			continue
		}
		before := strings.Fields(sentence[:at])
		if k := len(before); k >= 2 && determiners[strings.ToLower(before[k-2])] && !prepositions[before[k-1]] {
			return true
		}
		after := sentence[at+len(strings.Join(n, " ")):]
		return strings.HasPrefix(after, ", ") && at == 0
	}
	return false
}

// selfNames are the full name and, where it is a given name, its first word.
func selfNames(name string) [][]string {
	words := strings.Fields(name)
	out := [][]string{words}
	if len(words) > 1 && !titles[strings.ToLower(words[0])] {
		out = append(out, words[:1])
	}
	return out
}

var titles = map[string]bool{"the": true, "a": true, "an": true, "old": true, "young": true, "lord": true, "lady": true,
	"sir": true, "dame": true, "brother": true, "sister": true, "father": true, "mother": true, "captain": true,
	"sergeant": true, "doctor": true, "dr": true, "mr": true, "mrs": true, "ms": true, "king": true, "queen": true,
	"master": true, "mistress": true, "reeve": true, "private": true, "gate": true, "city": true, "guard": true}

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
		if i > 0 && unicode.IsUpper(rune(w[0])) && w != "I" && !ofPlaces[strings.ToLower(t.word(i-1))] && !strings.Contains(name, strings.TrimSuffix(w, "'s")) {
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
		case n > 0:
			t.replace(i, i+n-1, t.formFor(i, i+n-1, possessive))
			i += n - 1
		case t.pronounAt(i):
			t.replacePronoun(i)
		default:
			t.agreeVerb(i)
		}
	}
	t.out.WriteString(t.s[t.at:])
	return fixStart(t.out.String()), t.changed
}

// nameAt matches one of the NPC's names at word i, and says whether it is
// possessive.
func (t *turner) nameAt(i int) (n int, possessive bool) {
	for _, name := range t.names {
		ok := len(name) > 0
		poss := false
		for k, want := range name {
			w := t.word(i + k)
			if k == len(name)-1 && strings.TrimSuffix(w, "'s") != w {
				w, poss = strings.TrimSuffix(w, "'s"), true
			}
			if w != want {
				ok = false
				break
			}
		}
		if ok {
			return len(name), poss
		}
	}
	return 0, false
}

// inLargerName keeps "Mira's Forge" of a sign and "Mira the smith" whole: the
// name touches another capitalised word or an epithet.
func (t *turner) inLargerName(i, n int) bool {
	next, end := t.word(i+n), t.spans[i+n-1].End
	if next != "" && t.spans[i+n].Start == end+1 && (unicode.IsUpper(rune(next[0])) && next != "I" || next == "the") {
		return true
	}
	if i == 0 {
		return false
	}
	prev := t.word(i - 1)
	return i > 1 && unicode.IsUpper(rune(prev[0])) && t.spans[i-1].End+1 == t.spans[i].Start && prev != "I"
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
	if t.pronoun == None || t.subjectOnly && i > 0 {
		return false
	}
	_, ok := pronounForms[t.pronoun][strings.ToLower(t.word(i))]
	return ok
}

var pronounForms = map[Pronoun]map[string]string{
	She: {"she": "I", "her": "my", "hers": "mine", "herself": "myself", "she's": "I'm", "she'd": "I'd", "she'll": "I'll"},
	He:  {"he": "I", "him": "me", "his": "my", "himself": "myself", "he's": "I'm", "he'd": "I'd", "he'll": "I'll"},
}

func (t *turner) replacePronoun(i int) {
	form := pronounForms[t.pronoun][strings.ToLower(t.word(i))]
	if strings.EqualFold(t.word(i), "her") && t.endsPhrase(i) {
		form = "me"
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
	if w == "is" || w == "has" || w == "does" {
		return true
	}
	next := strings.ToLower(t.word(i + 1))
	return strings.HasSuffix(w, "s") && (determiners[next] || objects[next] || prepositions[next] && next != "of")
}

func firstPersonVerb(w string) string {
	switch w {
	case "is":
		return "am"
	case "has":
		return "have"
	case "does":
		return "do"
	case "goes":
		return "go"
	case "isn't":
		return "am not"
	case "hasn't":
		return "haven't"
	case "doesn't":
		return "don't"
	case "was", "this", "his", "its", "us", "yes", "always", "perhaps", "sometimes", "as", "thus":
		return w
	}
	switch {
	case len(w) < 4 || !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss"):
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "oes"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

func list(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

var (
	prepositions = list(`to for with by from of at in on about against between near behind before after under over into without like than toward towards beside upon`)
	determiners  = list(`the a an this that these those my your his their our its some any no every each all`)
	ofPlaces     = list(`in at near from of on the`)
	conjunctions = list(`and or but because when while if since though although so that who which where until as`)
	adverbs      = list(`still also never always often only rarely sometimes usually now once just even long seldom already mostly`)
	objects      = list(`them it him her me you us himself herself nothing everything anything whatever what who whoever only`)
)

func fixStart(s string) string {
	for _, w := range []string{"my", "me", "mine", "myself"} {
		if strings.HasPrefix(s, w+" ") {
			return capital(w) + s[len(w):]
		}
	}
	return s
}
