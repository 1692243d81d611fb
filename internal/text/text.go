// Package text cuts prose into sentences and words and reduces both to forms
// that can be compared: folded text, stems, content words. It is the one place
// where the project decides what a word and a sentence are. It knows nothing of
// evidence, claims or worlds.
package text

import (
	"strings"
	"sync"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/kljensen/snowball/english"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Words are the words of s in order, lower case, without punctuation. A word may
// hold an apostrophe ("don't") or a hyphen's parts as two words.
func Words(s string) []string {
	var out []string
	for _, span := range WordSpans(s) {
		out = append(out, strings.ToLower(straighten(s[span.Start:span.End])))
	}
	return out
}

// Span is a half-open range of bytes.
type Span struct{ Start, End int }

// WordSpans are the places of the words of s (UAX #29), punctuation and white
// space left out. Callers share the slice and leave it as it is.
func WordSpans(s string) []Span {
	return wordMemo.get(s, wordSpans)
}

func wordSpans(s string) []Span {
	var out []Span
	it := words.FromString(s)
	for it.Next() {
		if strings.IndexFunc(it.Value(), isWordRune) >= 0 {
			out = append(out, Span{it.Start(), it.End()})
		}
	}
	return out
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// straighten turns typographic quotes and dashes into their plain forms.
func straighten(s string) string {
	if isPlain(s) {
		return s
	}
	return plainQuotes.Replace(s)
}

// isPlain says whether a text is ASCII without a backquote, so that no form of it
// differs from another: most texts are, and the tables are slow.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == '`' {
			return false
		}
	}
	return true
}

var plainQuotes = strings.NewReplacer(
	"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u02bc", "'", "`", "'",
	"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u00ab", `"`, "\u00bb", `"`,
	"\u2013", "-", "\u2014", "-", "\u2212", "-", "\u2026", "...", "\u00a0", " ",
)

// Fold is the normal form in which texts are compared word for word: NFKC, lower
// case, plain quotes and dashes, white space collapsed, quotation marks and end
// punctuation dropped.
func Fold(s string) string {
	s = strings.ToLower(Plain(s))
	s = strings.Join(strings.Fields(s), " ")
	return strings.Trim(s, `.!?,;:"' `)
}

// Plain is s with one form for each quotation mark, dash and space, NFKC, and
// without characters that show nothing. Letters keep their case, lines their
// breaks.
func Plain(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(dropInvisible, straighten(norm.NFKC.String(s)))
}

// dropInvisible removes characters that show nothing, with which a text can be
// made to look equal and compare unequal.
func dropInvisible(r rune) rune {
	if unicode.Is(unicode.Cf, r) || r == '\ufeff' {
		return -1
	}
	return r
}

// Unaccent drops combining marks: "Théo" compares as "Theo".
func Unaccent(s string) string {
	if isPlain(s) {
		return s
	}
	out, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), s)
	if err != nil {
		return s
	}
	return out
}

var stems sync.Map // word → stem; bounded by maxStems
var stemCount int
var stemLock sync.Mutex

const maxStems = 100_000

// Stem is the Porter2 stem of a lower-case English word, possessive dropped.
func Stem(word string) string {
	if v, ok := stems.Load(word); ok {
		return v.(string)
	}
	w := strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'")
	s := w
	if irregular, ok := irregulars[w]; ok {
		s = irregular
	} else if len(w) <= 64 {
		s = english.Stem(w, true)
	}
	stemLock.Lock()
	defer stemLock.Unlock()
	if stemCount < maxStems {
		stemCount++
		stems.Store(word, s)
	}
	return s
}

// Stems are the stems of the words of s, stop words included.
func Stems(s string) []string {
	ws := Words(s)
	for i, w := range ws {
		ws[i] = Stem(w)
	}
	return ws
}

// ContentWords are the stems of the words of s that are not stop words.
func ContentWords(s string) []string {
	var out []string
	for _, w := range Words(s) {
		if !IsStop(w) {
			out = append(out, Stem(w))
		}
	}
	return out
}

// Within says whether a set holds all of a part.
func Within(part, set map[string]bool) bool {
	for w := range part {
		if !set[w] {
			return false
		}
	}
	return true
}

// ContentSet is ContentWords as a set.
func ContentSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range ContentWords(s) {
		set[w] = true
	}
	return set
}

// WithoutArticle is folded text without an English article at its beginning.
func WithoutArticle(s string) string {
	for _, a := range []string{"the ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(s, a); ok {
			return rest
		}
	}
	return s
}
