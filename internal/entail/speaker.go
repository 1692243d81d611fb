package entail

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Spoken are the two texts of a pair as a model should read them: with one
// speaker. Where the premise is somebody else's words, its "I" becomes their name,
// and the hypothesis's "I" the NPC's; what is the NPC's own stays as it is.
func (p Pair) Spoken() (premise, hypothesis string) {
	n := p.Names
	premise, hypothesis = p.Premise, p.Hypothesis
	named := false
	if n.Writer != "" && !isSelf(n, n.Writer) {
		premise, named = InThirdPerson(premise, orElse(n.Writer, "the writer")), true
	}
	if n.Reader != "" {
		reader := orElse(n.Reader, "the reader")
		premise, named = replaceWords(premise, map[string]string{"you": reader, "your": reader + "'s", "yours": reader + "'s",
			"you're": reader + " is", "you've": reader + " has", "you'll": reader + " will"}), true
	}
	if named && n.Self != "" {
		hypothesis = InThirdPerson(hypothesis, n.Self)
	}
	return premise, hypothesis
}

func orElse(name, stranger string) string {
	if name == Stranger {
		return stranger
	}
	return name
}

// thirdPerson are the verbs that change with the person.
var thirdPerson = map[string]string{"am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't",
	"go": "goes"}

// InThirdPerson names a speaker where the text says I.
func InThirdPerson(s, name string) string {
	if name == "" {
		return s
	}
	return replaceWords(s, map[string]string{"i": name, "me": name, "my": name + "'s", "mine": name + "'s", "myself": name,
		"i'm": name + " is", "i've": name + " has", "i'll": name + " will", "i'd": name + " would"})
}

// replaceWords puts words in the place of others; a verb behind the first person
// takes the third.
func replaceWords(s string, with map[string]string) string {
	var b strings.Builder
	at := 0
	spans := text.WordSpans(s)
	word := func(i int) string { return strings.ToLower(text.Plain(s[spans[i].Start:spans[i].End])) }
	for i, sp := range spans {
		form, ok := with[word(i)]
		if !ok || sp.Start < at {
			continue
		}
		b.WriteString(s[at:sp.Start])
		b.WriteString(form)
		at = sp.End
		if w := word(i); (w == "i" || w == "you") && i+1 < len(spans) {
			if verb := thirdPerson[word(i+1)]; verb != "" {
				b.WriteString(s[at:spans[i+1].Start])
				b.WriteString(verb)
				at = spans[i+1].End
			}
		}
	}
	b.WriteString(s[at:])
	return b.String()
}
