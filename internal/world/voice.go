package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
)

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
