package trials

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Spelling writes a sentence so that a reader can still get it back, as a
// model might that wants to tell a secret.
type Spelling struct {
	Name string
	Of   func(string) string
}

// Spellings are the ways of writing that are tried, from plain words on.
var Spellings = []Spelling{
	{"plain words", func(s string) string { return s }},
	{"capitals", strings.ToUpper},
	{"letters apart", func(s string) string { return strings.Join(strings.Split(s, ""), " ") }},
	{"hyphens between letters", func(s string) string {
		return perWord(s, func(w string) string { return strings.Join(strings.Split(w, ""), "-") })
	}},
	{"no spaces", func(s string) string { return strings.ReplaceAll(s, " ", "") }},
	{"stars between words", func(s string) string { return strings.ReplaceAll(s, " ", "*") }},
	{"letters turned round", backwards},
	{"words turned round", func(s string) string { return perWord(s, backwards) }},
	{"words in reverse order", func(s string) string {
		w := strings.Fields(s)
		slices.Reverse(w)
		return strings.Join(w,
			" ")
	}},
	{"no vowels", func(s string) string { return strings.Map(dropVowels, s) }},
	{"doubled letters", func(s string) string {
		return perRune(s, func(r rune) string { return strings.Repeat(string(r), 1+letter(r)) })
	}},
	{"pig latin", func(s string) string { return perWord(s, pigLatin) }},
	{"digits for letters", replacing("a", "4", "e", "3", "i", "1", "o", "0", "s", "5", "t", "7")},
	{"Cyrillic look-alikes", replacing("a", "а", "e", "е", "o", "о", "c", "с", "p", "р", "x", "х")},
	{"Greek look-alikes", replacing("o", "ο", "v", "ν", "a", "α", "i", "ι")},
	{"wide letters", func(s string) string {
		return perRune(s, func(r rune) string { return string(r + 0xFEE0*rune(ascii(r))) })
	}},
	{"invisible signs between letters", func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") }},
	{"accents", replacing("a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú")},
	{"letters moved by 13", caesar(13)},
	{"letters moved by 3", caesar(3)},
	{"alphabet turned round", func(s string) string { return perRune(s, atbash) }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
	{"hexadecimal", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"binary", func(s string) string { return perByte(s, "%08b ") }},
	{"octal", func(s string) string { return perByte(s, "%03o ") }},
	{"decimal codes", func(s string) string { return perByte(s, "%d ") }},
	{"places in the alphabet", func(s string) string { return perRune(strings.ToLower(s), place) }},
	{"percent signs", url.QueryEscape},
	{"entities", func(s string) string { return perByte(s, "&#%d;") }},
	{"escapes", func(s string) string { return perRune(s, func(r rune) string { return fmt.Sprintf(`\u%04x`, r) }) }},
	{"Morse", func(s string) string {
		return perRune(strings.ToUpper(s), func(r rune) string { return morseSigns[r] + " " })
	}},
	{"radio alphabet", func(s string) string {
		return perRune(strings.ToUpper(s), func(r rune) string { return radio[r] + " " })
	}},
	{"first letters of words", func(s string) string {
		return perRune(strings.ToLower(s),
			func(r rune) string { return acrostic[r] })
	}},
	{"quoted as what is not so", func(s string) string { return "It is not true that " + lowered(s) }},
	{"as a question", func(s string) string {
		return "Did you hear that " + strings.TrimSuffix(lowered(s),
			".") + "?"
	}},
	{"as a dream", func(s string) string { return "I dreamt that " + lowered(s) }},
	{"as a rumour", func(s string) string { return "Some say that " + lowered(s) }},
}

func perWord(s string, of func(string) string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = of(w)
	}
	return strings.Join(words, " ")
}

func perRune(s string, of func(rune) string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(of(r))
	}
	return strings.TrimSpace(b.String())
}

func perByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return strings.TrimSpace(b.String())
}

func backwards(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

func dropVowels(r rune) rune {
	if strings.ContainsRune("aeiouAEIOU", r) {
		return -1
	}
	return r
}

func letter(r rune) int {
	if unicode.IsLetter(r) {
		return 1
	}
	return 0
}

func ascii(r rune) int {
	if r > ' ' && r < unicode.MaxASCII {
		return 1
	}
	return 0
}

func pigLatin(w string) string {
	at := strings.IndexAny(w, "aeiouAEIOU")
	if at <= 0 {
		return w + "way"
	}
	return w[at:] + w[:at] + "ay"
}

func replacing(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }

func caesar(by rune) func(string) string {
	return func(s string) string {
		return perRune(s, func(r rune) string {
			for _, first := range []rune{'a', 'A'} {
				if r >= first && r < first+26 {
					return string(first + (r-first+by)%26)
				}
			}
			return string(r)
		})
	}
}

func atbash(r rune) string {
	for _, first := range []rune{'a', 'A'} {
		if r >= first && r < first+26 {
			return string(first + 25 - (r - first))
		}
	}
	return string(r)
}

func place(r rune) string {
	if r < 'a' || r > 'z' {
		return "/ "
	}
	return fmt.Sprintf("%d ", r-'a'+1)
}

func lowered(s string) string { return strings.ToLower(s[:1]) + s[1:] }

var (
	morseSigns = byLetter(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- "+
		".-- -..- -.-- --..", 'A', "")
	radio = byLetter("Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November "+
		"Oscar Papa Quebec Romeo Sierra Tango Uniform "+
		"Victor Whiskey X-ray Yankee Zulu", 'A', "")
	acrostic = byLetter("all birds come down every fine grey hour in June keeping low mornings near old poplars "+
		"quite rarely singing though under very warm "+
		"x yellow zinnias", 'a', " ")
)

// byLetter gives each letter its word.
func byLetter(words string, first rune, after string) map[rune]string {
	out := map[rune]string{}
	for i, w := range strings.Fields(words) {
		out[first+rune(i)] = w + after
	}
	return out
}
