package entail

import (
	"context"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A made sentence: names, a verb, a thing with a number, and a place.
type made struct {
	subject, verb, object, count, thing, place string
}

var (
	people = []string{"Bram", "Osric", "Yrsa", "Wren", "Petra", "Vey"}
	verbs  = []string{"owes", "sold", "gave", "showed", "lent"}
	things = []string{"horses", "marks", "lanterns", "sacks of rye", "nails"}
	counts = []string{"forty", "12", "three", "1,402", "ninety-nine", "a dozen"}
	places = []string{"at the mill", "by the weir", "in the chapel", "under the old bridge"}
)

func makeSentence(t *rapid.T) made {
	p := rapid.Permutation(people).Draw(t, "people")
	return made{p[0], rapid.SampledFrom(verbs).Draw(t, "verb"), p[1], rapid.SampledFrom(counts).Draw(t, "count"),
		rapid.SampledFrom(things).Draw(t, "thing"), rapid.SampledFrom(places).Draw(t, "place")}
}

func (m made) String() string {
	return m.subject + " " + m.verb + " " + m.object + " " + m.count + " " + m.thing + " " + m.place + "."
}

func label(t *rapid.T, premise, hypothesis string) schema.Verdict {
	out, err := NewCascade(NewRules()).Verify(context.Background(), []Pair{{Premise: premise, Hypothesis: hypothesis}})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func TestPropertyVerbatimIsAlwaysSupported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "sentences")
		var all []string
		for range n {
			all = append(all, makeSentence(t).String())
		}
		i := rapid.IntRange(0, n-1).Draw(t, "from")
		j := rapid.IntRange(i+1, n).Draw(t, "to")
		block, said := strings.Join(all, " "), strings.Join(all[i:j], " ")
		if v := label(t, block, said); v.Label != schema.Supported {
			t.Fatalf("%q from %q: %+v", said, block, v)
		}
	})
}

func TestPropertyAChangedSentenceIsNeverSupported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := makeSentence(t)
		was := m.String()
		c := m
		switch rapid.IntRange(0, 7).Draw(t, "change") {
		case 0: // two names change places
			c.subject, c.object = m.object, m.subject
		case 1: // another number
			c.count = rapid.SampledFrom([]string{"41", "thirteen", "two", "1,403", "ninety-eight", "half a dozen",
				"about " + m.count}).Draw(t, "other")
		case 2: // a denial
			c.verb = "never " + m.verb
		case 3: // a word more
			c.place = m.place + " " + rapid.SampledFrom([]string{"again", "at night", "twice", "with Mira"}).Draw(t, "more")
		case 4: // a word less
			c.place = ""
		case 5: // another's name
			c.subject = "Caddoc"
		case 6: // certainty lost in the premise
			was = rapid.SampledFrom([]string{"Perhaps ", "If he could, ", "They say that ", "Nobody believes that ",
				"Only "}).Draw(t, "lead") + was
		case 7: // letters that only look the same
			c.place = strings.Replace(m.place, "e", "е", 1)
		}
		if c.String() == was {
			t.Skip("no change")
		}
		if v := label(t, was, c.String()); v.Label == schema.Supported {
			t.Fatalf("%q from %q: %+v", c.String(), was, v)
		}
	})
}

// How a text is typed makes no difference to what is said.
func TestPropertyVerdictsDoNotDependOnTypography(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := makeSentence(t), makeSentence(t)
		if rapid.Bool().Draw(t, "same") {
			b = a
		}
		plain := label(t, a.String(), b.String())
		dressed := label(t, dress(t, a.String()), dress(t, b.String()))
		if plain.Label != dressed.Label {
			t.Fatalf("%+v and %+v", plain, dressed)
		}
	})
}

// dress changes what Fold takes away: end marks, quotes, spaces, invisible signs.
func dress(t *rapid.T, s string) string {
	switch rapid.IntRange(0, 4).Draw(t, "dress") {
	case 0:
		return "“" + s + "”"
	case 1:
		return strings.ReplaceAll(s, " ", "\u00a0 ")
	case 2:
		return strings.ReplaceAll(s, "o", "o\u200b")
	case 3:
		return strings.TrimSuffix(s, ".") + "!"
	}
	return s
}

// No input makes the rules panic or support what the premise does not hold: the
// words of a supported claim stand in the premise, one after another.
func FuzzRules(f *testing.F) {
	for _, s := range [][2]string{
		{"The mill burned in the spring of 1402. Nobody saw it.", "nobody saw it"},
		{"I'd say 30-50 of them; between 3.5 and a dozen, half past twenty-first May.", "The third of May 1402, twice."},
		{"\"Said he.\" \u202e(no) *x* \xff\xfe", "Said he."},
		{"Mira's own. Mira forges.", "I forge. My own."},
		{"a, and b; and c", "c"},
		{"The guard's captain is Osric of the mill.", "Osric is the captain of."},
		{"Bram is older than the man to.", "The man to is younger than Bram"},
		{"The mill burned, or so they say, if Bram, I think,", "the mill burned, weather permitting"},
	} {
		f.Add(s[0], s[1])
	}
	rules := NewRules()
	f.Fuzz(func(t *testing.T, premise, hypothesis string) {
		for _, n := range []Names{{}, miraSpeaks, names(miraSpeaks, "Bram", Stranger)} {
			out, err := rules.Verify(context.Background(), []Pair{{Premise: premise, Hypothesis: hypothesis, Names: n}})
			if err != nil || wellFormed(make([]Pair, 1), out) != nil || strings.Contains(out[0].Why, "a rule failed") {
				t.Fatalf("%v %v", out, err)
			}
			if out[0].Label == schema.Supported && n.Self == "" && !holdsWords(premise, hypothesis) {
				t.Fatalf("%q from %q: %+v", hypothesis, premise, out[0])
			}
		}
	})
}

// holdsWords says whether all words of the claim stand in the premise, contractions
// and leading words aside.
func holdsWords(premise, hypothesis string) bool {
	have := map[string]bool{}
	for _, w := range expanded(premise) {
		have[w] = true
	}
	for _, w := range expanded(hypothesis) {
		if !have[w] && !softLeads[w] && w != "is" {
			return false
		}
	}
	return true
}

func expanded(s string) []string {
	var out []string
	for _, w := range text.Words(text.Plain(strings.ToValidUTF8(s, " "))) {
		if full, ok := text.Contracted(w); ok {
			w = full
		}
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return unicode.IsSpace(r) }) {
			part = strings.TrimSuffix(part, "'s")
			switch part {
			case "me", "my", "mine", "am", "is", "are", "myself":
				part = "i"
			case "your", "yours", "yourself", "yourselves":
				part = "you"
			case "was", "were":
				part = "was"
			}
			out = append(out, part)
		}
	}
	return append(out, "i")
}
