package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// token is a word of a message, or a part of one: "don't" gives "do" and "not",
// both standing at the whole word.
type token struct {
	low        string
	start, end int  // in the message
	gap        bool // a comma, dash or the like stands before it
	upper      bool
}

// parts are the words that one contraction holds, besides those of every reader.
var parts = map[string]string{
	"im": "i am", "ive": "i have", "i'd": "i would", "youre": "you are", "you'd": "you would", "he's": "he is",
	"she's": "she is", "it's": "it is", "that's": "that is", "there's": "there is", "who's": "who is", "what's": "what is",
	"where's": "where is", "he'd": "he would", "she'd": "she would", "name's": "name is", "we'd": "we would",
	"they'd": "they would", "dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not",
	"arent": "are not", "wasnt": "was not", "ain't": "am not", "havent": "have not", "wont": "will not", "cant": "can not",
	"gonna": "going to", "wanna": "want to", "gotta": "got to", "lets": "let us",
}

// tokens cuts a stretch of a message into words.
func tokens(s string, from, to int) []token {
	var out []token
	gap := false
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !inWord(r) {
			gap = gap || strings.ContainsRune(",;:()-\u2013\u2014", r) &&
				(r != '-' || i+1 < to && s[i+1] == ' ' || i > from && s[i-1] == ' ')
			i += size
			continue
		}
		j := i
		for j < to {
			r, size := utf8.DecodeRuneInString(s[j:])
			if !inWord(r) && !(joins(r) && j+size < to && startsWord(s[j+size:])) {
				break
			}
			j += size
		}
		out = append(out, expand(s, i, j, gap)...)
		gap, i = false, j
	}
	for i := 1; i+2 < len(out); i++ { // "she's sold the farm"
		if out[i].low == "is" && out[i].start == out[i-1].start && pastForms[out[i+1].low] && takesObject(out[i+2].low) {
			out[i].low = "has"
		}
	}
	return out
}

func takesObject(next string) bool { return articles[next] || objects[next] }

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}
func joins(r rune) bool { return r == '\'' || r == '\u2019' || r == '-' || r == '.' || r == ',' }

// startsWord says whether a joined part goes on: a full stop or a comma joins
// digits only.
func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return inWord(r)
}

func expand(s string, i, j int, gap bool) []token {
	raw := s[i:j]
	r, _ := utf8.DecodeRuneInString(raw)
	low := strings.ReplaceAll(strings.ToLower(raw), "\u2019", "'")
	if strings.ContainsAny(low, ".,") && !unicode.IsDigit(r) { // "Well,I" is two words
		k := strings.IndexAny(raw, ".,")
		return append(expand(s, i, i+k, gap), expand(s, i+k+1, j, true)...)
	}
	words := []string{low}
	long, ok := parts[low]
	if !ok {
		long, ok = text.Contracted(low)
	}
	if ok {
		words = strings.Fields(long)
	}
	var out []token
	for _, w := range words {
		out = append(out, token{low: w, start: i, end: j, gap: gap, upper: unicode.IsUpper(r)})
		gap = false
	}
	return out
}

// words joins the lower-case forms.
func lowOf(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.low)
	}
	return b.String()
}

// ingForm says whether a word is a verb as it goes on: "living", and not "sing".
func ingForm(w string) bool { return strings.HasSuffix(w, "ing") && lemma[w] != w }
