package grounding

import (
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// pronouns by what they may stand for.
var (
	personal = text.Set(`he she him her his hers himself herself`)
	neutral  = text.Set(`it its`)
	plural   = text.Set(`they them their theirs`)
	pointing = text.Set(`this that these those`)
)

// asserted turns a question that asserts something into what it asserts: "Didn't
// Bram burn the mill" into "Bram did burn the mill", "Why did Bram burn it" into
// the same.
func (cl *clause) asserted() string {
	core := strings.TrimRight(strings.TrimSpace(cl.s[cl.start:cl.end]), "?!. ")
	words := strings.Fields(core)
	if len(words) < 3 {
		return core
	}
	i := 0
	if asking[strings.ToLower(words[0])] {
		i = 1
	}
	if i >= len(words)-1 || !auxiliaries[strings.ToLower(text.Plain(words[i]))] {
		return core
	}
	aux := strings.TrimSuffix(strings.ToLower(text.Plain(words[i])), "n't")
	n := subjectLength(words[i+1:])
	if be[aux] && n == 2 && len(words)-i-1 <= 4 && clauseSubject[strings.ToLower(words[i+1])] {
		n = len(words) - i - 2 // "is the old well poisoned"
	}
	subject := strings.Join(words[i+1:i+1+n], " ")
	rest := strings.Join(words[i+1+n:], " ")
	rest = strings.TrimPrefix(rest, "not ")
	return strings.TrimSpace(subject + " " + aux + " " + rest)
}

var be = text.Set(`is are was were`)

// subjectLength guesses how many words the subject has: a determiner and what it
// begins, or a run of capitals.
func subjectLength(words []string) int {
	n := 1
	if clauseSubject[strings.ToLower(words[0])] && len(words) > 2 && !clausePronoun[strings.ToLower(words[0])] {
		n = 2
	}
	for n < len(words)-1 && startsUpper(words[n]) {
		n++
	}
	return n
}

func startsUpper(w string) bool {
	for _, r := range w {
		return unicode.IsUpper(r)
	}
	return false
}

// resolve replaces pronouns and first person by what they stand for in this
// context, and notes what the claim leans on.
func resolve(claim *Claim, before []Claim, c Context) {
	if claim.Kind == schema.ClaimNone {
		return
	}
	var earlier []string
	earlier = append(earlier, c.Previous...)
	for _, b := range before {
		earlier = append(earlier, b.Core)
	}
	claim.Points = leaningPronoun(claim.Core)
	if claim.Points != "" {
		claim.Means = antecedent(claim.Points, earlier, c)
		if claim.Means == "" && len(earlier) > 0 {
			claim.Prior = earlier[len(earlier)-1]
		}
	}
	claim.Text = entail.InThirdPerson(substitute(claim.Core, claim.Points, claim.Means), c.NPCName)
}

// leaningPronoun is the first pronoun of a text that no name before it in the
// same text can explain.
func leaningPronoun(s string) string {
	words := text.Words(text.Plain(s))
	spans := text.WordSpans(s)
	named := false
	for i, w := range words {
		w = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'d"), "'ll")
		switch {
		case (personal[w] || plural[w] || neutral[w]) && !named:
			if w == "it" && i+1 < len(words) && expletive(words, i) {
				continue
			}
			return w
		case i == 0 && pointing[w] && i+1 < len(words) && (auxiliaries[words[i+1]] || words[i+1] == "one"):
			return w
		case i == 0 && w == "there" && !(i+1 < len(words) && auxiliaries[words[i+1]]):
			return w
		}
		if i > 0 && i < len(spans) && startsUpper(s[spans[i].Start:]) && w != "i" || i == 0 && i < len(spans) &&
			startsUpper(s[spans[i].Start:]) && !text.IsStop(w) ||
			(w == "the" || w == "a" || w == "my") && i+1 < len(words) {
			named = true
		}
	}
	return ""
}

// expletive "it" stands for nothing: "it is said", "it rains".
func expletive(words []string, i int) bool {
	if i != 0 || len(words) < 2 {
		return false
	}
	switch words[1] {
	case "rains", "rained", "snows", "snowed", "seems", "seemed", "takes", "took":
		return true
	case "is", "was":
		return slices.Contains(words, "that") || slices.Contains(words, "to")
	}
	return false
}

// antecedent is the last thing named before that the pronoun fits, or "".
func antecedent(pronoun string, earlier []string, c Context) string {
	for i := len(earlier) - 1; i >= 0; i-- {
		names := properNames(earlier[i], c)
		switch {
		case personal[pronoun]:
			if len(names) > 0 {
				return names[len(names)-1]
			}
		case plural[pronoun]:
			return ""
		default:
			if t := lastThing(earlier[i]); t != "" {
				return t
			}
		}
		if i < len(earlier)-2 {
			break
		}
	}
	return ""
}

// properNames are the runs of capitalised words of a text that are not at its
// start, and known names wherever they stand.
func properNames(s string, c Context) []string {
	spans := text.WordSpans(s)
	var out []string
	for i := 0; i < len(spans); i++ {
		w := s[spans[i].Start:spans[i].End]
		if !isNameAt(s, spans, i, c) {
			continue
		}
		j := i + 1
		for j < len(spans) && s[spans[j-1].End:spans[j].Start] == " " && startsUpper(s[spans[j].Start:]) {
			j++
		}
		name := text.Bare(s[spans[i].Start:spans[j-1].End])
		if !strings.EqualFold(w, "i") {
			out = append(out, name)
		}
		i = j - 1
	}
	return out
}

func isNameAt(s string, spans []text.Span, i int, c Context) bool {
	w := s[spans[i].Start:spans[i].End]
	if !startsUpper(w) {
		return false
	}
	low := strings.TrimSuffix(strings.ToLower(text.Plain(w)), "'s")
	if text.IsStop(low) || strings.HasPrefix(low, "i'") {
		return false
	}
	if i > 0 {
		return true
	}
	for _, n := range c.Names {
		if slices.Contains(text.Words(n), low) {
			return true
		}
	}
	// A capital at the front is a name where no determiner could have stood: a
	// verb follows it at once.
	return i+1 < len(spans) && verbish(strings.ToLower(s[spans[i+1].Start:spans[i+1].End]))
}

// lastThing is the last "the X" of a text.
func lastThing(s string) string {
	spans := text.WordSpans(s)
	low := func(i int) string { return strings.ToLower(s[spans[i].Start:spans[i].End]) }
	for i := len(spans) - 2; i >= 0; i-- {
		if w := low(i); w == "the" || w == "my" || w == "a" || w == "an" || w == "our" {
			j := i + 1
			for j+1 < len(spans) && j < i+3 && s[spans[j].End:spans[j+1].Start] == " " && nounish(low(j+1)) {
				j++
			}
			return s[spans[i].Start:spans[j].End]
		}
	}
	return ""
}

// nounish guesses that a word goes on a noun phrase: it is no word of grammar and
// no past form.
func nounish(w string) bool {
	return !text.IsStop(w) && !verbish(w) &&
		(text.Stem(w) == w || strings.HasPrefix(w, text.Stem(w)) || strings.HasSuffix(w, "s"))
}

// substitute puts a name in the place of the first such pronoun.
func substitute(s, pronoun, name string) string {
	if pronoun == "" || name == "" {
		return s
	}
	for _, sp := range text.WordSpans(s) {
		w := strings.ToLower(text.Plain(s[sp.Start:sp.End]))
		bare, tail := w, ""
		for _, suffix := range []string{"'s", "'d", "'ll"} {
			if b, ok := strings.CutSuffix(w, suffix); ok {
				bare, tail = b, suffix
			}
		}
		if bare != pronoun {
			continue
		}
		switch {
		case pronoun == "his" || pronoun == "its" || pronoun == "hers" || pronoun == "her" && possessed(s[sp.End:]):
			name += "'s"
		case tail == "'s":
			tail = " is"
		case tail == "'d":
			tail = " had"
		case tail == "'ll":
			tail = " will"
		}
		return s[:sp.Start] + name + tail + s[sp.End:]
	}
	return s
}

// possessed says whether a noun that "her" can own follows.
func possessed(rest string) bool {
	words := text.Words(rest)
	return len(words) > 0 && !text.IsStop(words[0]) && strings.HasPrefix(rest, " ")
}
