package entail

import (
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// figureForm is a number in the one form in which digits and words compare, and
// over how many words it goes. "One" is mostly no number.
func (s *sentence) figureForm(i int) (string, int) {
	w := s.at(i)
	if v, ordinal, ok := digits(w); ok {
		return figureOf(v, ordinal), 1
	}
	v, n := s.spelled(i)
	if n == 0 || n == 1 && (w == "one" || scales[w] > 0) {
		return "", 0
	}
	for k := i; k < i+n-1; k++ {
		if s.at(k+1) == "and" && k+2 == i+n { // "twelve and" is not done
			return figureOf(v, false), n - 1
		}
	}
	return figureOf(v, false), n
}

func figureOf(v float64, ordinal bool) string {
	out := "#" + strconv.FormatFloat(v, 'f', -1, 64)
	if ordinal {
		out += "."
	}
	return out
}

// fronted are words that begin a clause which says the same behind the main one.
var fronted = wordSet(`because when whenever after before since until while although though if unless once as`)

// turned is a sentence whose first clause hangs on the second, with that clause
// last: “because I am afraid, I have not asked” as “I have not asked, because I am
// afraid”, with the comma and without.
func (s *sentence) turned() []sentence {
	if len(s.words) < 6 || !fronted[s.at(0)] {
		return nil
	}
	for i := 2; i+2 < len(s.words); i++ {
		if s.words[i].gap != "," || !s.startsClause(i+1) {
			continue
		}
		var out []sentence
		for _, comma := range []string{",", ""} {
			t := sentence{lower: s.lower, question: s.question, quoted: s.quoted, text: s.text, start: s.start}
			t.words = append(slices.Clone(s.words[i+1:]), s.words[:i+1]...)
			t.words[len(s.words)-i-2].gap = comma
			t.words[len(t.words)-1].gap = ""
			out = append(out, t)
		}
		return out
	}
	return nil
}

// asides stand between commas and say nothing of the matter.
var asides = func() [][]string {
	var out [][]string
	for _, a := range []string{"you see", "you know", "mind you", "mind", "i tell you", "i can tell you", "that i can tell you", "i'll tell you", "let me tell you",
		"as i know it", "so much i know", "you should know", "you must know", "to answer you", "since you ask", "if you must know", "if you ask", "of course",
		"truth be told", "to tell the truth", "to be sure", "friend", "stranger", "sir", "my friend", "as you know", "as you may hear from me", "believe me", "i assure you"} {
		out = append(out, text.Words(a))
	}
	return out
}()

// withoutAsides drops what stands between two commas, or behind the last, and says
// nothing.
func (s *sentence) withoutAsides() (sentence, bool) {
	out, changed := *s, false
	for i := 0; i+1 < len(out.words); i++ {
		if out.words[i].gap != "," {
			continue
		}
		for _, a := range asides {
			end := i + len(a)
			if end >= len(out.words) || !out.hasWords(i+1, a) || end < len(out.words)-1 && out.words[end].gap != "," {
				continue
			}
			words := slices.Clone(out.words[:i+1])
			words[i].gap = ""
			out.words, changed = append(words, out.words[end+1:]...), true
			break
		}
	}
	return out, changed && strings.TrimSpace(out.text) != ""
}
