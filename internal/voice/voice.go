// Package voice says a verbatim sentence of evidence the way one NPC would: in
// its own first person, as another's words in quotation marks, as hearsay. Every
// rendering is a deterministic function of the evidence and the NPC, so the
// reviewer makes the same renderings from the evidence itself and trusts none
// that the speaker made. The package chooses nothing and invents nothing.
package voice

import (
	"maps"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// Person is the NPC who speaks, as far as wording goes.
type Person struct {
	Handle    string
	Name      string
	Pronoun   Pronoun
	Backstory string                     // by which a pronoun of one of its sentences is understood
	NameOf    func(handle string) string // display name of an author; nil or "" leaves it as written
	Replace   map[string]string
	Lowercase bool
}

// Rendering is one way to say a sentence of a block.
type Rendering struct {
	Text string
	How  string // plain, first-person, quoted, hearsay
}

// hearsay introduces what the NPC has only heard.
var hearsay = []string{
	"I have only heard it told: ",
	"It is no more than a rumour: ",
	"Folk say this, though I cannot swear to it: ",
}

// Renderings are the ways this NPC may say one sentence of a block. The first is
// the one to prefer; there are none where no faithful wording is known.
func Renderings(e protocol.Evidence, sentence string, p Person) []Rendering {
	plain, ok := ownWords(e, sentence, p)
	if !ok {
		return nil
	}
	if e.Belief != "rumour" {
		return plain
	}
	var out []Rendering
	for _, r := range plain {
		if r.How == "first-person" && len(plain) > 1 {
			continue // nobody has only heard it told what he did himself
		}
		for _, frame := range hearsay {
			out = append(out, Rendering{Text: frame + r.Text, How: "hearsay"})
		}
	}
	return out
}

// ownWords words a sentence for the NPC: as it stands, in the first person where
// it speaks of the NPC by name, or quoted where it is another's first person.
func ownWords(e protocol.Evidence, sentence string, p Person) ([]Rendering, bool) {
	writer := Writer(e, p)
	if insideQuotation(e.Text, sentence) && !(writer == "" && allQuoted(e.Text)) {
		return nil, false // somebody's words, cut off from whose they are
	}
	if writer == "" || writer == p.Name {
		if addressed[strings.ToLower(e.Type)] && addresses(sentence) { // to whom it was sent, not to the player
			return []Rendering{{Text: attribution(e, "I") + quote(sentence), How: "quoted"}}, true
		}
		ways := turned(e, sentence, p)
		return ways, len(ways) > 0
	}
	if usesFirstPerson(sentence) || (e.Private || addressed[strings.ToLower(e.Type)]) && addresses(sentence) {
		return []Rendering{{Text: attribution(e, writer) + quote(sentence), How: "quoted"}}, true
	}
	return append(turned(e, sentence, p),
		Rendering{Text: attribution(e, writer) + quote(sentence), How: "quoted"}), true
}

// turned is the sentence in the NPC's first person where it speaks of the NPC in
// the third, and as it stands.
func turned(e protocol.Evidence, sentence string, p Person) []Rendering {
	if e.Type == protocol.TypeGoal || e.Type == protocol.TypePersonality {
		return ofItself(e, sentence, p)
	}
	plain := Rendering{Text: sentence, How: "plain"}
	first, ok := FirstPerson(sentence, p, e.Type == "backstory")
	switch {
	case !ok && e.Type == "backstory" && newTurner(sentence, p).isPronoun(0):
		return nil // "She died young." said by the NPC: nobody could tell of whom
	case !ok:
		return []Rendering{plain}
	}
	if e.Type == "backstory" {
		return []Rendering{{Text: first, How: "first-person"}}
	}
	return []Rendering{{Text: first, How: "first-person"}, plain}
}

// Writer is the display name of who wrote or said a block; empty where the
// document is the NPC's own or names nobody.
func Writer(e protocol.Evidence, p Person) string {
	who := e.Speaker
	if who == "" {
		who = e.Author
	}
	switch strings.ToLower(who) {
	case "", strings.ToLower(p.Handle), strings.ToLower(p.Name):
		if e.Private || who != "" || e.Type == "backstory" {
			return ""
		}
	}
	if p.NameOf != nil && who != "" {
		if name := p.NameOf(who); name != "" {
			return name
		}
	}
	if who == "" || isNobody(who) {
		return "the " + noun(e.Type)
	}
	return who
}

func isNobody(who string) bool {
	switch strings.ToLower(who) {
	case "unknown", "anonymous", "anon", "nobody", "system", "none", "n/a", "?":
		return true
	}
	return false
}

// noun is how a type of document is spoken of.
func noun(kind string) string {
	kind = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(kind, "_", " "), "-", " "))
	if kind == "" {
		return "note"
	}
	return kind
}

// attribution introduces another's words.
func attribution(e protocol.Evidence, writer string) string {
	switch {
	case strings.HasPrefix(writer, "the "):
		return capital(writer) + " says: "
	case spoken[strings.ToLower(e.Type)]:
		return writer + " said: "
	}
	return writer + " wrote: "
}

var spoken = text.Set(`log irc chat transcript testimony speech`)

func quote(sentence string) string {
	return "“" + strings.NewReplacer("“", "‘", "”", "’", `"`, "'").Replace(sentence) + "”"
}

var firstPerson = text.Set(`i me my mine myself we us our ours ourselves i'm i've i'll i'd we're we've we'll we'd`)

// addressed are types of document whose "you" is whoever they were sent to, and
// not the player.
var addressed = text.Set(`letter mail email e-mail message chat irc log transcript testimony`)

// insideQuotation says whether a sentence is a part of a quotation that began
// before it or ends after it, so that by itself it does not say whose words it is.
func insideQuotation(block, sentence string) bool {
	if !strings.ContainsAny(block, "\"“”") {
		return false
	}
	at := strings.Index(block, sentence)
	if at < 0 {
		return false
	}
	before, after := block[:at], block[at+len(sentence):]
	// A mark that only closes, with none open before it in the block, closes what
	// the whole passage is.
	closer := strings.Count(before, `"`)%2 == 0 && strings.Count(sentence, `"`) == 1 && strings.HasSuffix(sentence, `"`)
	if !closer && strings.Count(sentence, `"`)%2 == 1 || strings.Count(sentence, "“") != strings.Count(sentence, "”") {
		return true
	}
	open := strings.Count(before, `"`)%2 == 1 || strings.Count(before, "“") > strings.Count(before, "”")
	closes := strings.IndexAny(after, "“”")
	return open || closes >= 0 && strings.HasPrefix(after[closes:], "”")
}

// allQuoted says whether a block is one quotation from end to end, as a note is that
// holds what its NPC says.
func allQuoted(block string) bool {
	block = strings.TrimSpace(block)
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}} {
		inner, opens := strings.CutPrefix(block, marks[0])
		inner, closes := strings.CutSuffix(inner, marks[1])
		if opens && closes && !strings.ContainsAny(inner, "\"“”") {
			return true
		}
	}
	return false
}

// addresses says whether a sentence speaks to somebody.
func addresses(sentence string) bool {
	for _, w := range text.Words(sentence) {
		switch w {
		case "you", "your", "yours", "yourself", "you're", "you've", "you'll", "you'd":
			return true
		}
	}
	return false
}

// usesFirstPerson says whether a sentence speaks as its writer.
func usesFirstPerson(sentence string) bool {
	for _, w := range text.Words(sentence) {
		if firstPerson[w] {
			return true
		}
	}
	return false
}

// Same says whether a sentence is one of the block's renderings, end to end, and
// which. An opener or hedge of the NPC's own may stand before it.
func Same(said string, e protocol.Evidence, p Person, lead []string) (sentence, how string, ok bool) {
	said = WithoutLead(said, lead)
	want := text.Fold(said)
	if want == "" {
		return "", "", false
	}
	for _, s := range text.Sentences(e.Text) {
		for _, r := range Renderings(e, s, p) {
			if text.Fold(r.Text) == want && sameMood(said, r.Text) {
				return s, r.How, true
			}
		}
	}
	return "", "", false
}

// sameMood says whether what a comparison folds away leaves the meaning: a question
// asserts nothing, and what stands in quotation marks is somebody's words.
func sameMood(said, rendered string) bool {
	asks := func(s string) bool { return strings.Contains(s, "?") }
	quotes := func(s string) bool { return strings.ContainsAny(s, "\"“”") }
	return asks(said) == asks(rendered) && (quotes(said) || !quotes(rendered))
}

// WithoutLead drops one listed opener or hedge from the front of a sentence.
func WithoutLead(s string, lead []string) string {
	for _, l := range lead {
		l = strings.TrimSpace(l)
		if l == "" || len(s) <= len(l) || !strings.EqualFold(s[:len(l)], l) {
			continue
		}
		if rest := strings.TrimLeft(s[len(l):], " ,:;—-…"); rest != "" {
			return rest
		}
	}
	return s
}

// Release is the form a player reads: replacements, then lower case. It is
// applied after the review; the review record's hash is of this form.
func Release(s string, p Person) string {
	for _, from := range slices.Sorted(maps.Keys(p.Replace)) {
		s = replaceWord(s, from, p.Replace[from])
	}
	if p.Lowercase {
		s = strings.ToLower(s)
	}
	return s
}

// replaceWord replaces whole words only, whatever their case at the front.
func replaceWord(s, from, to string) string {
	if from == "" {
		return s
	}
	var b strings.Builder
	at := 0
	words := text.WordSpans(s)
	n := len(text.WordSpans(from))
	for i := 0; n > 0 && i+n <= len(words); i++ {
		start, end := words[i].Start, words[i+n-1].End
		if start < at || !strings.EqualFold(s[start:end], from) {
			continue
		}
		b.WriteString(s[at:start])
		b.WriteString(matchCase(s[start:end], to))
		at = end
	}
	b.WriteString(s[at:])
	return b.String()
}

func matchCase(was, to string) string {
	if was != "" && was[:1] == strings.ToUpper(was[:1]) && was[:1] != strings.ToLower(was[:1]) {
		return capital(to)
	}
	return to
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Quotes says whether a released sentence holds a sentence of a text word for
// word, whatever stands around it.
func Quotes(released, evidence string) bool {
	said := text.Fold(released)
	for _, s := range text.Sentences(evidence) {
		if f := text.Fold(s); f != "" && strings.Contains(said, f) {
			return true
		}
	}
	return false
}
