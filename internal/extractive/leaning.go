package extractive

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/text"
)

var leaning = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`he she it they his her its their this that these those there then but and so also
		both
		such however instead otherwise neither either therefore thus hence still yet him them here one another others`) {
		out[w] = true
	}
	return out
}()

// Leans says whether a sentence points back: it begins with a word that does, or
// speaks of a "him" or "them" whom it has not named.
func Leans(s string) bool {
	words := text.Words(s)
	if len(words) == 0 {
		return false
	}
	if pointsBack(s) {
		return true
	}
	if w := uncontracted(words[0]); w != words[0] { // "it's" is "it is", near enough for "he'll" too
		words = append([]string{w, "is"}, words[1:]...)
	}
	if w := words[0]; leaning[w] {
		return !(w == "there" && len(words) > 1 &&
			(words[1] == "is" || words[1] == "are" || words[1] == "was" || words[1] == "were")) &&
			!(w == "it" && len(words) > 2 && words[1] == "is" && words[2] == "said")
	}
	return false
}

// uncontracted is the pronoun of "he's" and "they'll".
func uncontracted(word string) string {
	if i := strings.IndexAny(word, "'’"); i > 0 {
		return word[:i]
	}
	return word
}

// pointsBack finds a pronoun for a person before which nobody is named, and a "them"
// before which nothing is.
func pointsBack(s string) bool {
	named, thing := false, false
	for i, span := range text.WordSpans(s) {
		w := s[span.Start:span.End]
		switch low := uncontracted(strings.ToLower(w)); {
		case low == "him" || low == "he" || low == "she":
			return !named
		case low == "them":
			return !thing
		case text.IsStop(low):
		case i == 0 || w != strings.ToLower(w) || intent.Somebody(low):
			named, thing = true, thing || i > 0
		default:
			thing = true
		}
	}
	return false
}
