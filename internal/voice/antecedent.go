package voice

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Who a pronoun of a backstory may mean besides the NPC: "her mother died young,
// and she …" is left alone, since only a reader can tell.

var (
	women   = text.Set(text.Women)
	men     = text.Set(text.Men)
	anybody = text.Set(text.Anybody)
)

// afterRival says whether a pronoun of the NPC's stands after a word for another
// person, so that it may mean that one.
func (t *turner) afterRival() bool {
	seen := false
	for i := range t.spans {
		if seen && t.isPronoun(i) {
			return true
		}
		seen = seen || t.rivalAt(i)
	}
	return false
}

// rivalAt says whether word i is a person other than the NPC. What the NPC is
// ("She is the best smith of the town") is no other person.
func (t *turner) rivalAt(i int) bool {
	w := strings.TrimSuffix(strings.ToLower(t.word(i)), "'s")
	other := anybody[w] || t.pronoun == She && women[w] || t.pronoun == He && men[w]
	return other && !t.tellsWhatSelfIs(i)
}

// tellsWhatSelfIs says whether a noun follows "is" or "was" of a sentence whose
// subject is the NPC.
func (t *turner) tellsWhatSelfIs(i int) bool {
	n, possessive := t.nameAt(0)
	subject := n > 0 && !possessive || strings.EqualFold(t.word(0), string(t.pronoun))
	for k := max(1, n); subject && k < i && k <= n+2; k++ {
		switch strings.ToLower(t.word(k)) {
		case "is", "was", "became":
			return i-k <= 4
		}
	}
	return false
}

func (t *turner) isPronoun(i int) bool {
	_, ok := pronounForms[t.pronoun][strings.ToLower(t.word(i))]
	return ok
}

// leansOnAnother says whether a sentence of a backstory begins with a pronoun that
// may mean somebody of the sentence before.
func leansOnAnother(sentence string, p Person) bool {
	here := newTurner(sentence, p)
	if !here.isPronoun(0) {
		return false
	}
	all := text.Sentences(p.Backstory)
	at := slices.Index(all, sentence)
	if at < 1 {
		return false
	}
	before := newTurner(all[at-1], p)
	if before.mentionsAnother(p.Name) || before.opensWithName() {
		return true
	}
	for i := range before.spans {
		if before.rivalAt(i) {
			return true
		}
	}
	return false
}

// opensWithName says whether the first word may be another's name: it is neither
// the NPC nor a word that opens sentences.
func (t *turner) opensWithName() bool {
	w := strings.ToLower(t.word(0))
	n, _ := t.nameAt(0)
	return w != "" && n == 0 && !t.isPronoun(0) && !opening[w] && !determiners[w] && !adverbs[w] && w != "there" &&
		w != "it"
}

func newTurner(sentence string, p Person) *turner {
	return &turner{s: sentence, spans: text.WordSpans(sentence), names: selfNames(p.Name), pronoun: p.Pronoun}
}
