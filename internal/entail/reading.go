package entail

import (
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// figureForm is a number in the one form in which digits and words compare, and
// over how many words it goes. "One" is mostly no number; "0042" and "1.10" are the
// names of things as often as numbers, and "two or three hundred" is no "2 or 300".
func (s *sentence) figureForm(i int) (string, int) {
	w := s.at(i)
	if v, ordinal, ok := digits(w); ok {
		if ordinal || len(w) > 15 || w[0] == '0' && len(w) > 1 || strings.Contains(w, ".") {
			return "", 0
		}
		return figureOf(v), 1
	}
	v, n := s.spelled(i)
	if n == 0 || n == 1 && (w == "one" || scales[w] > 0) || n > 1 && sharesScale[s.at(i-1)] && isSmall(s.at(i-2)) {
		return "", 0
	}
	for k := i; k < i+n-1; k++ {
		if s.at(k+1) == "and" && k+2 == i+n { // "twelve and" is not done
			return figureOf(v), n - 1
		}
	}
	return figureOf(v), n
}

var sharesScale = text.Set(`or to and`)

func figureOf(v float64) string { return "#" + strconv.FormatFloat(v, 'f', -1, 64) }

// fronted are words that begin a clause which says the same behind the main one.
var fronted = text.Set(`because when whenever after before since until while although though if unless once as`)

// turned is a sentence whose first clause hangs on the second, with that clause
// last: “because I am afraid, I have not asked” as “I have not asked, because I am
// afraid”, with the comma and, where it cannot change what is denied, without.
func (s *sentence) turned() []sentence {
	if len(s.words) < 6 || !fronted[s.at(0)] {
		return nil
	}
	for i := 1; i+2 < len(s.words); i++ {
		switch s.words[i].gap {
		case "", "-":
			continue
		case ",":
		default:
			return nil
		}
		main, sub := s.cut(i+1, len(s.words)), s.cut(0, i+1)
		if i < 2 || !s.startsClause(i+1) || !main.standsBefore(&sub) {
			return nil
		}
		commas := []string{",", ""}
		if causes[s.at(0)] && (main.denies() || main.has(exhaustive) || main.has(universals)) {
			commas = commas[:1] // "I did not leave because I was afraid" may say that I left
		}
		var out []sentence
		for _, comma := range commas {
			t := s.withLast(i + 1)
			t.words[len(s.words)-i-2].gap = comma
			out = append(out, t)
		}
		return out
	}
	return nil
}

// withLast is a sentence with its first n words last.
func (s *sentence) withLast(n int) sentence {
	t := sentence{lower: s.lower, question: s.question, quoted: s.quoted, text: s.text, start: s.start}
	t.words = append(slices.Clone(s.words[n:]), s.words[:n]...)
	t.words[len(t.words)-1].gap = ""
	return t
}

// standsBefore says whether a clause says the same before another as behind it. It
// does not where the other could hang on a part of it alone, as on what is said, on
// one of two things joined or under an "only", and where its "he" is whoever the
// other names.
func (s *sentence) standsBefore(sub *sentence) bool {
	for i := range s.words {
		w := s.words[i]
		if w.gap != "" && w.gap != "-" || joining[w.low] || attitudes[w.low] && i+2 < len(s.words) || limiting[w.low] &&
			w.low != "without" || exhaustive[w.low] ||
			conditions[w.low] && !modal[w.low] || w.low == "to" && !verbObjects[s.at(i+1)] && !s.upper(i+1) {
			return false
		}
	}
	return !s.has(thirdPersons) || sub.has(thirdPersons)
}

var (
	causes       = text.Set(`because since as`)
	joining      = text.Set(`and or but nor then`)
	modal        = text.Set(`so would could might may should must can will shall perhaps maybe possibly probably`)
	thirdPersons = text.Set(`he him his she her hers it its they them their theirs he's she's it's they're himself
		herself itself themselves`)
)

// asides stand between commas and say nothing of the matter. What is vouched for,
// asked for or purposed by one ("as I know it", "if you ask", "to answer you") may be
// said besides by a claim, and is not left out of the evidence.
var (
	asides = wordLists("you see", "you know", "mind you", "mind", "i tell you", "i can tell you", "that i can tell you",
		"i'll tell you", "let me tell you",
		"you should know", "you must know", "if you must know", "of course", "truth be told", "friend", "stranger", "sir",
		"believe me", "i assure you")
	ownAsides = append(wordLists("as i know it", "so much i know", "to answer you", "since you ask", "to tell the truth",
		"to be sure", "as you know",
		"as you may hear from me"), asides...)
)

func wordLists(all ...string) [][]string {
	var out [][]string
	for _, a := range all {
		out = append(out, text.Words(a))
	}
	return out
}

// withoutAsides drops what stands between two commas, or behind the last, and says
// nothing.
func (s *sentence) withoutAsides(asides [][]string) (sentence, bool) {
	out, changed := *s, false
	if len(s.words) > maxParted {
		return out, false
	}
	for i := 0; i+1 < len(out.words); i++ {
		if out.words[i].gap != "," {
			continue
		}
		for _, a := range asides {
			if !out.isAside(i, a) {
				continue
			}
			words := slices.Clone(out.words[:i+1])
			words[i].gap = ""
			out.words, changed = append(words, out.words[i+1+len(a):]...), true
			break
		}
	}
	return out, changed && strings.TrimSpace(out.text) != ""
}

// isAside says whether an aside stands behind word i, and is neither a thing in a
// list ("body, mind, and soul", "longer, stranger") nor, at the end, a purpose ("he
// came, to tell the truth").
func (s *sentence) isAside(i int, a []string) bool {
	end := i + len(a)
	if end >= len(s.words) || !s.hasWords(i+1, a) {
		return false
	}
	listed := len(a) == 1 && (slices.ContainsFunc(s.words[:i], func(w word) bool { return w.gap == "," }) ||
		strings.HasSuffix(s.at(i), "er"))
	if end == len(s.words)-1 {
		return !listed && a[0] != "to"
	}
	return s.words[end].gap == "," && !listed && !joining[s.at(end+1)]
}
