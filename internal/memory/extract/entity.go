package extract

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// entity is somebody or something that was spoken of.
type entity struct {
	shown    string // as the player would name it once more: "the ferret", "my uncle", "Ansgar"
	sex      sex
	plural   bool
	kin      string // the word, of a relative
	named    bool
	of       string // the pronoun of the one it belongs to: "he" of "his horse"
	sentence int    // counted from the message's first; before it below zero
	at       int    // where its words begin in the message
	acts     bool   // it is the subject of a clause, or the object of a verb that takes a person
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
	maleWords   = text.Set(text.Men)
	femaleWords = text.Set(text.Women + `ship boat`)
	personWords = text.Set(text.Anybody + `twin sibling kid companion comrade foe mentor lieutenant commander driver
		healer tailor tinker steward clerk chaplain professor boyfriend girlfriend ex pilot envoy lodger landlord tenant`)
	animalWords = text.Set(`dog cat horse mare pony mule donkey cow goat sheep pig goose hen cock hound hawk wolf
		ferret snake lizard parrot bird rabbit fox bear fish eel rat mouse ox bull calf lamb kitten puppy`)
	maleTitles   = text.Set(`mr sir lord father brother uncle king prince master grandpa dad`)
	femaleTitles = text.Set(`mrs miss ms lady dame mother sister aunt queen princess grandma mum`)
	titles       = text.Set(`mr mrs miss ms sir lord lady dame father mother brother sister uncle aunt king queen
		doctor dr captain sergeant lieutenant commander master old pilot professor saint`)
	owners = map[string]string{"her": "she", "his": "he", "its": "it", "their": "they"}
	owned  = text.Set(`have keep own get raise breed carry wear`)
)

// spokenOf are those whom the player's message before this one and this one speak of, in
// the order of the words.
func (f *frame) spokenOf() {
	f.entities = nil
	if p := f.context.Previous; p != nil && !jests(p.Text) {
		m := readMessage(p.Text)
		for i := range m.sentences {
			f.meet(&m, i, i-len(m.sentences), f.spanIn(p, &m, m.sentences[i]))
		}
	}
	for i, s := range f.said.sentences {
		f.meet(&f.said, i, i, f.span(SpeakerPlayer, strings.TrimSpace(f.said.original[s.start:s.end])))
	}
}

// meet notes whom and what a sentence speaks of. A "he" speaks once more of all whom it may mean.
func (f *frame) meet(m *message, i, number int, span schema.MemorySpan) {
	s := m.sentences[i]
	if s.kind == jokes || s.kind == addressesMachine {
		return
	}
	g := *f
	g.said = *m
	ts := g.afterOpening(tokens(m.text, s.start, s.end))
	for i, last := 0, -1; i < len(ts); {
		if again := nominatives[ts[i].low]; again != "" {
			for _, e := range f.candidatesFor(again, number, ts[i].start) {
				e.sentence, e.at = number, ts[i].start
				f.entities = append(f.entities, e)
			}
		}
		e, next, ok := g.entityAt(ts, i)
		if !ok || f.isListener(e.shown) {
			i++
			continue
		}
		e.sentence, e.at, e.span = number, ts[i].start, span
		e.acts = i == 0 || conjunctions[ts[i-1].low] || ts[i].gap || e.kin != "" || e.named && takesPerson[lemma[ts[i-1].low]]
		if last >= 0 && isCopula(ts[last:i]) {
			f.entities[len(f.entities)-1].alsoCalled(e)
		} else {
			f.entities = append(f.entities, e)
		}
		i, last = next, next
	}
}

var (
	nominatives = map[string]string{"he": "he", "him": "he", "she": "she"}
	takesPerson = text.Set(`meet marry kill`)
)

// isCopula says whether words between two nouns say that both are one: "is", "is called".
func isCopula(ts []token) bool {
	for _, t := range ts {
		if lemma[t.low] != "be" && t.low != "called" && t.low != "named" && !adverbs[t.low] || t.gap {
			return false
		}
	}
	return len(ts) > 0 && ts[0].low != "not"
}

// alsoCalled takes up what else an entity is said to be.
func (e *entity) alsoCalled(other entity) {
	if other.named && !e.named {
		e.shown, e.named = other.shown, true
	}
	if other.kin != "" {
		e.kin = other.kin
	}
	if e.sex == lifeless || e.sex == person0 && other.sex != lifeless {
		e.sex = other.sex
	}
}

// isListener says whether a name is that of the NPC that is spoken to.
func (f *frame) isListener(name string) bool {
	id, known := f.context.Names.Resolve(name)
	return known && id == memory.NPCPrefix+f.npc
}

// entityAt reads a name or a noun with its article that begins at i.
func (f *frame) entityAt(ts []token, i int) (entity, int, bool) {
	if j := properEnd(ts, i); j > i {
		name := f.words(ts[i:j])
		e := entity{shown: text.Bare(name), sex: person0, named: true}
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
	if w == "my" || w == "our" {
		if e.kin = head; kin[head] == "" {
			e.kin = ""
		} else if e.sex == lifeless {
			e.sex = person0
		}
	}
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
	e.shown = lead + text.Bare(e.shown)
	if name := properEnd(ts, j); name > j && !ts[j].gap { // "my brother Tom"
		e.shown, e.named, j = text.Bare(f.words(ts[j:name])), true, name
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

// candidatesFor are those whom a pronoun at a place of a sentence may mean: of the same
// sentence, else of those before it. Whom it may mean just as well is one more.
func (f *frame) candidatesFor(pronoun string, number, at int) []entity {
	for _, from := range []int{number, number - nearestSentences} {
		var fit []entity
		best := 1
		for i := len(f.entities) - 1; i >= 0; i-- {
			e := &f.entities[i]
			if e.sentence < from || e.sentence > number || e.sentence == number && e.at >= at {
				continue
			}
			how := e.fits(pronoun)
			if how > best {
				best, fit = how, nil
			}
			if how == best && !slices.ContainsFunc(fit, func(o entity) bool { return f.sameOne(e, &o) }) {
				fit = append(fit, *e)
			}
		}
		if len(fit) > 0 {
			return fit
		}
	}
	return nil
}

func (f *frame) sameOne(a, b *entity) bool {
	return strings.EqualFold(a.shown, b.shown) || f.idOf(a.shown) == f.idOf(b.shown)
}

// personAt is the one person of whom a clause with "he" or "she" for its subject tells.
func (f *frame) personAt(pronoun token) (id, shown string, span schema.MemorySpan, ok bool) {
	number := slices.IndexFunc(f.said.sentences, func(s sentence) bool { return pronoun.start < s.end })
	fit := f.candidatesFor(pronoun.low, number, pronoun.start)
	if pronoun.low == "they" || len(fit) != 1 || fit[0].fits(pronoun.low) < 2 || !fit[0].acts {
		return "", "", schema.MemorySpan{}, false
	}
	e := fit[0]
	switch {
	case e.named:
		id, shown = f.idOf(e.shown), e.shown
	case e.kin != "":
		id, shown = f.relativeID(subject{kin: e.kin})
	default:
		return "", "", schema.MemorySpan{}, false
	}
	return id, shown, f.wordsFor(&e, number, pronoun.start), true
}

// wordsFor are the words that name an entity for which a pronoun of a sentence stands.
func (f *frame) wordsFor(e *entity, number, at int) schema.MemorySpan {
	if e.sentence != number {
		return e.span
	}
	return f.span(SpeakerPlayer, strings.TrimSpace(f.said.original[f.said.sentences[number].start:at]))
}

// expletives follow an "it" that stands for nothing.
var expletives = text.Set(`rain snow seem time late early cold hot warm dark true clear hard easy said well like all
	who that what how why because not monday tuesday wednesday thursday friday saturday sunday summer winter spring
	autumn`)

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
	fit := r.candidatesFor(w, number, ts[0].start)
	if len(fit) != 1 {
		behind = r.sentenceBefore(number)
		return words, behind, w == "they" && r.beginsSentence(number, start) || len(behind) > 0 && (len(fit) > 1 || w == "it")
	}
	e := fit[0]
	rest := r.said.original[ts[0].end:end]
	if len(ts) > 1 && ts[1].start == ts[0].start { // "she's"
		rest = " " + ts[1].low + rest
	}
	return strings.TrimSpace(e.shown + rest), []schema.MemorySpan{r.wordsFor(&e, number, ts[0].start)}, true
}

// beginsSentence says whether a place is where a sentence begins.
func (r *reading) beginsSentence(number, at int) bool {
	return strings.TrimSpace(r.said.text[r.said.sentences[number].start:at]) == ""
}

// sentenceBefore are the words before a sentence whose "he" stays open: with them it can
// be understood.
func (r *reading) sentenceBefore(number int) []schema.MemorySpan {
	for _, e := range slices.Backward(r.entities) {
		if number == 0 && e.sentence < 0 {
			return []schema.MemorySpan{e.span} // of the message before
		}
	}
	if number == 0 || r.said.sentences[number-1].kind != asserts {
		return nil
	}
	s := r.said.sentences[number-1]
	return []schema.MemorySpan{r.span(SpeakerPlayer, strings.TrimSpace(r.said.original[s.start:s.end]))}
}
