package world

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// readNPC reads the npc.yaml of a folder under npcs.
func readNPC(l *log, folder string, data []byte) *NPC {
	n := &NPC{Path: l.file, handleLine: 1, lineOf: map[string]int{}}
	f, ok := newFields(l, data)
	if !ok {
		return n
	}
	n.Handle = f.need("handle", folder)
	if n.Handle != "" {
		if err := schema.CheckToken("handle", n.Handle); err != nil {
			f.wrong("handle", "%s", strings.TrimPrefix(err.Error(), "handle: "))
		} else if n.Handle == schema.SceneNPC {
			f.wrong("handle", "is %q, which stands for scenes; give the NPC another handle", n.Handle)
		} else if n.Handle != folder {
			f.wrong("handle", "is %q in the folder %q; an NPC's folder is its handle: rename one", n.Handle, folder)
		}
	}
	n.handleLine = f.at("handle")
	for _, own := range []string{"backstory", "personality", "goals"} {
		n.lineOf[own] = f.at(own)
	}
	n.Name = f.need("name", "the name that players see")
	n.Backstory = f.need("backstory", "who this is, in a few sentences")
	n.Personality = f.need("personality", "a few words such as plain-spoken")
	n.Style, n.Region = f.text("style"), f.text("region")
	n.Factions, n.Goals = f.list("factions"), f.list("goals")
	n.Strict, n.Streaming, n.Depth = f.boolean("strict"), f.boolean("streaming"), readDepth(f)
	n.Thresholds, n.Policy = f.thresholds(), readPolicy(f)
	n.Model = readModel(f)
	n.Lines, n.LocaleLines = readLines(f)
	n.Greeting = firstLine(f, n.Lines, LineGreeting)
	n.Farewell = firstLine(f, n.Lines, LineFarewell)
	n.Voice, n.replacementLines = readVoice(f)
	n.Secrets = readSecrets(f)
	n.Actions = readActions(f)
	n.Relating, n.Bonds, n.Schedule = readRelating(f), readBonds(f), readSchedule(f)
	n.SpeaksOn = readSpeaksOn(f)
	f.warnUnknown()
	return n
}

// firstLine reads greeting or farewell, one line or several, into the lines.
func firstLine(f *fields, lines Lines, kind string) string {
	own := f.list(kind)
	if len(own) > 0 {
		lines[kind] = append(own, lines[kind]...)
	}
	if len(lines[kind]) > 0 {
		return lines[kind][0]
	}
	return ""
}

var localeForm = regexp.MustCompile(`^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$`)

// readLines reads authored lines: a list under a kind, or kinds under a locale.
func readLines(f *fields) (Lines, map[string]Lines) {
	own, locales := Lines{}, map[string]Lines{}
	sub, ok := f.mapping("lines")
	if !ok {
		return own, locales
	}
	takeKinds(sub, own)
	for _, key := range sub.keys {
		if sub.read[key] || !localeForm.MatchString(key) || mappingValues(sub.nodes[key]) == nil {
			continue
		}
		inner, ok := sub.mapping(key)
		if !ok {
			continue
		}
		locales[key] = Lines{}
		takeKinds(inner, locales[key])
		inner.warnUnknown()
	}
	sub.warnUnknown()
	return own, locales
}

func takeKinds(f *fields, into Lines) {
	for _, kind := range LineKinds {
		if lines := f.list(kind); len(lines) > 0 {
			into[kind] = lines
		}
	}
}

func readVoice(f *fields) (Voice, map[string]int) {
	lines := map[string]int{}
	sub, ok := f.mapping("voice")
	if !ok {
		return Voice{}, lines
	}
	v := Voice{Openers: sub.list("openers"), Hedges: sub.list("hedges"), Replacements: map[string]string{}}
	if b := sub.boolean("lowercase"); b != nil {
		v.Lowercase = *b
	}
	if words, ok := sub.mapping("replacements"); ok {
		for _, from := range words.keys {
			to := words.text(from)
			if what := touches(from, to); what != "" {
				f.log.refusef(words.at(from), "`%s%s` touches %s; a voice may change how a thing is said, never what: take it out",
					words.where, from, what)
				continue
			}
			v.Replacements[from] = to
			lines[from] = words.at(from)
		}
	}
	sub.warnUnknown()
	return v, lines
}

func readSecrets(f *fields) []Secret {
	var out []Secret
	for _, sub := range f.mappings("secrets") {
		s := Secret{Text: sub.need("text", "what is kept secret"), Line: sub.line}
		s.Requires, s.Condition = sub.condition("requires")
		sub.warnUnknown()
		if s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

func readActions(f *fields) []schema.ActionSpec {
	var out []schema.ActionSpec
	for _, sub := range f.mappings("actions") {
		a := schema.ActionSpec{Name: sub.need("name", "give_item")}
		if a.Name != "" {
			if err := schema.CheckToken("name", a.Name); err != nil {
				sub.wrong("name", "%s", strings.TrimPrefix(err.Error(), "name: "))
			}
		}
		if sub.has("parameters") && mappingValues(sub.nodes["parameters"]) == nil &&
			!isEmptyMapping(sub.nodes["parameters"]) {
			sub.wrong("parameters", "is %s; write a JSON Schema", kindOf(sub.nodes["parameters"]))
		}
		a.Parameters = sub.json("parameters")
		a.Requires, _ = sub.condition("requires")
		if b := sub.boolean("confirm"); b != nil {
			a.Confirm = *b
		}
		a.SpeechActs = sub.list("speech_acts")
		a.Description, a.Phrasings, a.Asks = sub.text("description"), sub.list("phrasings"), sub.list("asks")
		if called, ok := sub.mapping("words"); ok {
			a.Words = map[string][]string{}
			for _, value := range called.keys {
				a.Words[value] = called.list(value)
			}
		}
		sub.warnUnknown()
		out = append(out, a)
	}
	return out
}

// Words that carry what a sentence says rather than how: a voice must not put
// them in or take them out.
var (
	denials = text.Set(text.Denials + " " + text.NearDenials + " nope")
	modals  = text.Set(`may might must can could shall should will would ought need dare used supposed bound able
		perhaps maybe possibly probably likely certainly surely definitely allegedly reportedly supposedly
		i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd 'll 'd gonna gotta hafta oughta musta`)
	quantifiers = text.Set(`all every each any some many much few fewer fewest little less least more most several both
		half
		enough plenty lots only always often sometimes usually mostly nearly almost about around roughly once twice thrice
		everyone everybody everything everywhere anyone anybody anything someone somebody something whole entire
		another other again first last next single double dozen dozens hundreds thousands pair couple`)
	ordinals = text.Set(`second third fourth fifth sixth seventh eighth ninth tenth twentieth hundredth quarter`)
)

// touches names what a replacement touches that it may not, or is empty. Names
// of the world are looked for by touchesName, once all of it is loaded.
func touches(from, to string) string {
	if strings.ContainsFunc(from+to, unicode.IsNumber) {
		return "a number"
	}
	for _, w := range text.Words(from + " " + to) {
		switch {
		case denials[w] || text.Denies(w):
			return "a negation (" + w + ")"
		case modals[w]:
			return "a modal (" + w + ")"
		case quantifiers[w]:
			return "a quantifier (" + w + ")"
		case ordinals[w] || text.Digits(w) != "" || w == "one":
			return "a number (" + w + ")"
		}
	}
	a, b := capitals(from), capitals(to)
	for i, w := range append(a, b...) {
		first := i == 0 || i == len(a)
		if w != "" && (!first || i == len(a) && (len(a) == 0 || a[0] == "")) {
			return "a name (" + w + ")"
		}
	}
	return ""
}

// capitals are the words of s that begin with a capital, "" for each other word.
func capitals(s string) []string {
	var out []string
	for _, span := range text.WordSpans(s) {
		w := s[span.Start:span.End]
		if r := []rune(w); !unicode.IsUpper(r[0]) || w == "I" || strings.HasPrefix(w, "I'") {
			w = ""
		}
		out = append(out, w)
	}
	return out
}

// refuseNames takes out the replacements that touch a name of the world.
func (ld *loader) refuseNames() {
	var names map[string]bool
	for _, handle := range ld.world.Handles() {
		n := ld.world.NPCs[handle]
		for _, from := range slices.Sorted(maps.Keys(n.Voice.Replacements)) {
			if names == nil {
				names = ld.world.nameWords()
			}
			if name := touchesName(from+" "+n.Voice.Replacements[from], names); name != "" {
				delete(n.Voice.Replacements, from)
				ld.problems = append(ld.problems, Problem{Severity: SeverityError, File: n.Path, Line: n.replacementLines[from],
					Message: fmt.Sprintf("`voice.replacements.%s` touches a name (%s); take it out", from, name)})
			}
		}
	}
}

// touchesName is the name of the world that a replacement touches, or "".
func touchesName(s string, names map[string]bool) string {
	for _, w := range text.Words(s) {
		if names[strings.TrimSuffix(w, "'s")] {
			return w
		}
	}
	return ""
}

// nameWords are the words of the NPCs' names, and those that its documents write
// with a capital in mid-sentence and never without one.
func (w *World) nameWords() map[string]bool {
	out, small := map[string]bool{}, map[string]bool{}
	for _, d := range w.Documents {
		for _, p := range d.Passages {
			for _, s := range text.Sentences(p.Text) {
				for i, span := range text.WordSpans(s) {
					word := s[span.Start:span.End]
					lower := strings.ToLower(word)
					switch r, _ := utf8.DecodeRuneInString(word); {
					case unicode.IsLower(r):
						small[lower] = true
					case i > 0 && unicode.IsUpper(r) && lower != "i" && !strings.HasPrefix(lower, "i'"):
						out[lower] = true
					}
				}
			}
		}
	}
	for word := range small {
		delete(out, word)
	}
	for _, n := range w.NPCs {
		for _, word := range text.Words(n.Name) {
			if !text.IsStop(word) {
				out[word] = true
			}
		}
	}
	return out
}
