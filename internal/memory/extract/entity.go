package extract

import (
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// entity is somebody or something that was spoken of.
type entity struct {
	shown    string // as the player would name it once more: "the ferret", "my uncle", "Ansgar"
	sex      sex
	plural   bool
	of       string // the pronoun of the one it belongs to: "he" of "his horse"
	sentence int    // counted from the message's first; before it below zero
	subject  bool   // of its sentence
	span     schema.MemorySpan
}

// sex is what pronouns may stand for an entity.
type sex int

const (
	lifeless sex = iota // it
	person0             // he or she
	male
	female
	animal // he, she or it
)

var (
	maleWords = set(`brother father dad da papa son husband uncle nephew grandfather grandpa grandad boy lad man gentleman
		lord king prince duke baron count monk friar bishop knight widower groom fellow bloke sergeant`)
	femaleWords = set(`sister mother mum mom ma mam mama daughter wife aunt niece grandmother grandma gran granny nan girl
		lass woman lady queen princess duchess baroness countess nun widow bride midwife ship boat`)
	personWords = set(`twin sibling child kid baby cousin friend companion comrade partner enemy rival foe master teacher
		mentor apprentice pupil neighbour neighbor officer captain lieutenant commander guard soldier driver doctor healer
		smith miller baker tailor tinker innkeeper steward clerk reeve priest chaplain professor boss boyfriend girlfriend
		ex trader merchant thief pilot envoy lodger landlord tenant`)
	animalWords = set(`dog cat horse mare pony mule donkey cow goat sheep pig goose hen cock hound hawk wolf ferret snake
		lizard parrot bird rabbit fox bear fish eel rat mouse ox bull calf lamb kitten puppy`)
	maleTitles   = set(`mr sir lord father brother uncle king prince master grandpa dad`)
	femaleTitles = set(`mrs miss ms lady dame mother sister aunt queen princess grandma mum`)
	titles       = set(`mr mrs miss ms sir lord lady dame father mother brother sister uncle aunt king queen doctor dr
		captain
		sergeant lieutenant commander master old pilot professor saint`)
	owners = map[string]string{"her": "she", "his": "he", "its": "it", "their": "they"}
	owned  = set(`have keep own get raise breed carry wear`)
)

// meet notes whom and what a sentence speaks of, in the order of the words.
func (r *reading) meet(m *message, number int, span schema.MemorySpan) {
	s := m.sentences[number+pastOf(number, m)]
	if s.kind == jokes || s.kind == addressesMachine {
		return
	}
	g := *r.frame
	g.said = *m
	ts := g.afterOpening(tokens(m.text, s.start, s.end))
	for i := 0; i < len(ts); {
		e, next, ok := g.entityAt(ts, i)
		if !ok {
			i++
			continue
		}
		e.sentence, e.span, e.subject = number, span, i == 0 || conjunctions[ts[i-1].low]
		r.entities = append(r.entities, e)
		i = next
	}
}

func pastOf(number int, m *message) int {
	if number < 0 {
		return len(m.sentences)
	}
	return 0
}

// entityAt reads a name or a noun with its article that begins at i.
func (f *frame) entityAt(ts []token, i int) (entity, int, bool) {
	if j := properEnd(ts, i); j > i {
		name := f.words(ts[i:j])
		e := entity{shown: strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "\u2019s"), sex: person0}
		switch {
		case maleTitles[ts[i].low]:
			e.sex = male
		case femaleTitles[ts[i].low]:
			e.sex = female
		case i > 0 && prepositions[ts[i-1].low] && ts[i-1].low != "with" && ts[i-1].low != "by":
			e.sex = lifeless // "at Tarrant"
		}
		return e, j, true
	}
	w := ts[i].low
	if !articles[w] && w != "my" && w != "a" && w != "an" && w != "two" && w != "three" && w != "four" {
		return entity{}, i, false
	}
	j := i + 1
	for j < len(ts) && j < i+5 && !ts[j].gap && inNoun(ts, i, j) {
		j++
	}
	if j == i+1 {
		return entity{}, i, false
	}
	head := strings.TrimSuffix(ts[j-1].low, "'s")
	e := entity{shown: f.words(ts[i+1 : j]), sex: sexOf(head)}
	e.plural = strings.HasSuffix(head, "s") && !strings.HasSuffix(head, "ss") || w == "these" || w == "those" ||
		head == "people" || head == "children" || head == "men" || head == "women"
	e.of = owners[w]
	lead := "the "
	switch {
	case w == "my" || w == "our":
		lead = w + " "
	case w == "two" || w == "three" || w == "four":
		lead = "the " + w + " "
	case (w == "a" || w == "an") && i > 1 && owned[lemma[ts[i-1].low]] && (ts[i-2].low == "i" || ts[i-2].low == "we" ||
		ts[i-2].low == "have"):
		lead = "my "
	}
	e.shown = lead + strings.TrimSuffix(strings.TrimSuffix(e.shown, "'s"), "\u2019s")
	if name := properEnd(ts, j); name > j && !ts[j].gap { // "my brother Tom"
		e.shown, j = f.words(ts[j:name]), name
	}
	return e, j, true
}

// properEnd is the end of a name with its title that begins at i. A capital at the
// beginning of a sentence is a name only where a verb follows.
func properEnd(ts []token, i int) int {
	j := i
	for j < len(ts) && j < i+3 && ts[j].upper && !notNames[ts[j].low] && !auxiliaries[ts[j].low] &&
		!conjunctions[ts[j].low] && !articles[ts[j].low] && (j == i || !ts[j].gap) && !prepositions[ts[j].low] {
		j++
	}
	switch {
	case j == i || titles[ts[j-1].low]:
		return i
	case i == 0 && j == 1 && !verbish(ts, j):
		return i
	}
	return j
}

// inNoun says whether a word may go on a noun that began with an article at i.
func inNoun(ts []token, i, j int) bool {
	w := ts[j].low
	if prepositions[w] || auxiliaries[w] || conjunctions[w] || subjectWords[w] != nobody || adverbs[w] ||
		subordinates[w] || ts[j].upper || articles[w] {
		return false
	}
	if j == i+1 {
		return true
	}
	verb := lemma[w] != "" && (pastForms[w] || strings.HasSuffix(w, "s")) || strings.HasSuffix(w, "ed") ||
		strings.HasSuffix(w, "s") && i == 0 && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "'s")
	return !verb && !(strings.HasSuffix(ts[j-1].low, "'s") && ts[j-1].start == ts[j].start)
}

func sexOf(head string) sex {
	one := strings.TrimSuffix(head, "s")
	switch {
	case maleWords[head] || maleWords[one]:
		return male
	case femaleWords[head] || femaleWords[one]:
		return female
	case personWords[head] || personWords[one]:
		return person0
	case animalWords[head] || animalWords[one]:
		return animal
	}
	return lifeless
}

// fits says how well a pronoun may stand for an entity: 2 well, 1 where nothing tells
// that it is a person, 0 not.
func (e *entity) fits(pronoun string) int {
	if pronoun == e.of {
		return 0 // "her horse": she is another
	}
	if pronoun == "they" {
		if e.plural {
			return 2
		}
		return 0
	}
	if e.plural {
		return 0
	}
	switch {
	case pronoun == "it" && (e.sex == lifeless || e.sex == animal),
		pronoun == "he" && e.sex == male, pronoun == "she" && e.sex == female,
		pronoun != "it" && (e.sex == person0 || e.sex == animal):
		return 2
	case pronoun != "it" && e.sex == lifeless:
		return 1
	}
	return 0
}

// nearestSentences is how far back an antecedent may stand.
const nearestSentences = 2

// antecedentOf is who or what a pronoun of a sentence means: of the nearest sentence that
// speaks of any, its subject; without one the only that fits. Two that fit leave it open.
func (r *reading) antecedentOf(pronoun string, number int) (e *entity, several bool) {
	for back := number - 1; back >= number-nearestSentences; back-- {
		var fit []*entity
		best := 1
		for i := range r.entities {
			e := &r.entities[i]
			if e.sentence != back {
				continue
			}
			switch how := e.fits(pronoun); {
			case how > best:
				best, fit = how, []*entity{e}
			case how == best:
				fit = append(fit, e)
			}
		}
		switch {
		case len(fit) == 0:
			continue
		case len(fit) == 1 || fit[0].subject && pronoun != "it" || fit[0].shown == fit[len(fit)-1].shown:
			return fit[0], false
		}
		return nil, true
	}
	return nil, false
}

// expletives follow an "it" that stands for nothing.
var expletives = set(`rain snow seem time late early cold hot warm dark true clear hard easy said well like all who that
	what how why because not monday tuesday wednesday thursday friday saturday sunday summer winter spring autumn`)

// resolved is a stretch with the one who is meant put for its leading "he", "she", "it"
// or "they", and the words that name that one. Where several may be meant it stays, with
// the sentence before; where nobody is known it is false.
func (r *reading) resolved(ts []token, number, start, end int) (claim string, behind []schema.MemorySpan, ok bool) {
	words := strings.TrimSpace(r.said.original[start:end])
	w := ts[0].low
	if w != "he" && w != "she" && w != "it" && w != "they" {
		return words, nil, true
	}
	next := 1
	for next < len(ts) && (lemma[ts[next].low] == "be" || adverbs[ts[next].low]) {
		next++
	}
	if w == "it" && next < len(ts) && (expletives[ts[next].low] || expletives[lemma[ts[next].low]]) {
		return words, nil, true
	}
	e, several := r.antecedentOf(w, number)
	if e == nil {
		behind = r.sentenceBefore(number)
		return words, behind, w == "they" && r.beginsSentence(number, start) || len(behind) > 0 && (several || w == "it")
	}
	rest := r.said.original[ts[0].end:end]
	if len(ts) > 1 && ts[1].start == ts[0].start { // "she's"
		rest = " " + ts[1].low + rest
	}
	return strings.TrimSpace(e.shown + rest), []schema.MemorySpan{e.span}, true
}

// beginsSentence says whether a place is where a sentence begins.
func (r *reading) beginsSentence(number, at int) bool {
	return strings.TrimSpace(r.said.text[r.said.sentences[number].start:at]) == ""
}

// sentenceBefore are the words before a sentence whose "he" stays open: with them it can
// be understood.
func (r *reading) sentenceBefore(number int) []schema.MemorySpan {
	if number == 0 && len(r.entities) > 0 {
		return []schema.MemorySpan{r.entities[len(r.entities)-1].span} // of the message before
	}
	if number == 0 || r.said.sentences[number-1].kind != asserts {
		return nil
	}
	s := r.said.sentences[number-1]
	return []schema.MemorySpan{r.span(SpeakerPlayer, strings.TrimSpace(r.said.original[s.start:s.end]))}
}
