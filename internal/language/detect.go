// Package language says in which language a text is written, which languages the
// grounding of a sentence is proved in, and what may be released in the others.
// It is rules over scripts and function words, holds no state, translates
// nothing, and is no guard against a model: a text in a proved language is judged
// like any other.
package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// What a guess needs to be sure: this much weight of words, this many times that
// of English or of any other language, and this share of all words.
const (
	sureWeight  = 2.0
	sureEnglish = 1.0 // English that is no English costs an answer, which its verification would refuse anyway
	overEnglish = 2.0
	overOthers  = 1.25
	sureShare   = 0.25
)

// maxRead bounds what of a text is looked at.
const maxRead = 4 << 10

// Detect guesses the language of a text. sure says that a reader would be
// surprised by any other; names, numbers and single words are never sure.
// Languages are given by their code; Unknown and sure together mean that it is
// none of the languages known here.
func Detect(s string) (lang string, sure bool) {
	if len(s) > maxRead {
		s = strings.ToValidUTF8(s[:maxRead], "")
	}
	if lang := foreignScript(s); lang != "" {
		return lang, true
	}
	if idioms[text.Fold(s)] {
		return Unknown, false
	}
	scores, words := weigh(s)
	best := Unknown
	for lang, score := range scores {
		if score > scores[best] || score == scores[best] && prefer(lang, best) {
			best = lang
		}
	}
	if strange := strangeWords(s); strange >= 2 && strange*6 >= words {
		return Unknown, float64(strange) > scores[best]
	}
	return best, words > 1 && surely(best, scores, words)
}

// surely says whether the best language leads by enough.
func surely(best string, scores map[string]float64, words int) bool {
	need := sureWeight
	if best == "en" {
		need = sureEnglish
	}
	score := scores[best]
	if score < need || score < sureShare*float64(words) || best != "en" && score < overEnglish*scores["en"] {
		return false
	}
	for lang, other := range scores {
		if lang != best && score < overOthers*other {
			return false
		}
	}
	return true
}

// prefer settles a tie, the same way each time: English first.
func prefer(lang, other string) bool {
	return lang == "en" || other == Unknown || other != "en" && lang < other
}

// weigh adds up the function words of each language, and counts all words. A word
// in capitals within a sentence is taken for a name ("Los Santos"), unless the
// whole text shouts.
func weigh(s string) (map[string]float64, int) {
	scores := map[string]float64{}
	spans := text.WordSpans(s)
	shouts := strings.ToUpper(s) == s
	counted, end := 0, 0
	for i, span := range spans {
		word := s[span.Start:span.End]
		starts := i == 0 || strings.ContainsAny(s[end:span.Start], ".?!¿¡:;\n\"“„«»(-–—")
		end = span.End
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsDigit(r) {
			continue
		}
		counted++
		if starts || shouts || !isName(word) {
			for lang, weight := range weightsOf(word) {
				scores[lang] += weight
			}
		}
		if lang := lettersOf(word); lang != "" {
			scores[lang] += 0.5
		}
	}
	if strings.ContainsAny(s, "¿¡") {
		scores["es"]++
	}
	return scores, counted
}

// isName says whether a word within a sentence is written as a name is. English
// writes its "I" so, and German the polite forms, which it can do without.
func isName(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && word != "I" && !strings.HasPrefix(word, "I'") && !strings.HasPrefix(word, "I’")
}

// weightsOf looks a word up whole, and else by what stands before its apostrophe
// ("l'auberge").
func weightsOf(word string) map[string]float64 {
	w := strings.ToLower(text.Plain(word))
	if weights, ok := wordWeights[w]; ok {
		return weights
	}
	if before, _, ok := strings.Cut(w, "'"); ok {
		return wordWeights[before+"'"]
	}
	return nil
}

// lettersOf is the language whose own letters a word shows. Names travel with their
// letters, so this alone is never enough to be sure.
func lettersOf(word string) string {
	switch {
	case strings.ContainsAny(word, "äöüßẞ"):
		return "de"
	case strings.ContainsAny(word, "ñ"):
		return "es"
	case strings.ContainsAny(word, "œêûî"):
		return "fr"
	case strings.ContainsAny(word, "ãõ"):
		return "pt"
	}
	return ""
}

// known are the letters of the languages with a list; other letters of the Latin
// script show another language.
const known = "abcdefghijklmnopqrstuvwxyzàáâãäçèéêëìíîïñòóôõöùúûüœæßÿªº"

// strangeWords counts the words with a letter of the Latin script that none of the
// languages known here writes.
func strangeWords(s string) int {
	n := 0
	for _, w := range text.Words(s) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) && !strings.ContainsRune(known, r) }) {
			n++
		}
	}
	return n
}

// scripts are those that name their language, or at least none that is written in
// Latin letters. Japanese stands before Chinese, whose letters it uses too.
var scripts = []struct {
	table *unicode.RangeTable
	lang  string
}{
	{unicode.Hiragana, "ja"}, {unicode.Katakana, "ja"}, {unicode.Hangul, "ko"}, {unicode.Han, "zh"}, {unicode.Greek, "el"},
	{unicode.Hebrew, "he"}, {unicode.Thai, "th"}, {unicode.Armenian, "hy"}, {unicode.Georgian, "ka"},
}

// foreignScript is the language of a text most of whose letters are not Latin, or
// empty.
func foreignScript(s string) string {
	latin, others := 0, 0
	first := -1
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		default:
			others++
			for i, script := range scripts {
				if unicode.Is(script.table, r) && (first < 0 || i < first) {
					first = i
				}
			}
		}
	}
	switch {
	case others < 2 || others <= latin:
		return ""
	case first < 0:
		return Unknown
	}
	return scripts[first].lang
}

// Unknown is the language of a text that is in none this package knows, or in one
// it cannot tell from others of the same script.
const Unknown = "und"

// supported are the languages whose evaluation suite passes. A language joins
// them with its suite, not before.
var supported = map[string]bool{"en": true}

// Supported says whether a locale's language is one in which what an NPC says is
// verified.
func Supported(locale string) bool { return supported[Base(locale)] }

// Base is the language of a locale: "en" of "en-GB", "en_us" and "EN".
func Base(locale string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(locale), "_", "-"), "-")
	return strings.ToLower(base)
}
