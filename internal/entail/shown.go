package entail

import (
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Verbatim says whether a claim stands in a premise word for word, and where.
func Verbatim(pair Pair) (span, why string, ok bool) {
	if _, bad := unreadable(pair.Hypothesis); bad {
		return "", "", false
	}
	return verbatim(read(pair.Premise, maxPremise), read(unstressed(pair.Hypothesis), maxHypothesis), pair.Names)
}

// Denies says why a premise denies a claim by rule, or "".
func Denies(pair Pair) string {
	r := Rules{}
	if v := r.guarded(&batch{texts: map[string]*passage{}}, pair); v.Label == schema.Contradicted {
		return v.Why
	}
	return ""
}

// MixedScript is a word that mixes letters of two alphabets, or "".
func MixedScript(s string) string {
	p := read(s, maxHypothesis)
	for i := range p.sentences {
		if w := mixedScript(&p.sentences[i]); w != "" {
			return w
		}
	}
	return ""
}

// Shown is everything that was shown to a speaker, read once for the names and the
// numbers that stand in it.
type Shown struct {
	all   *passage
	names Names
	known map[string]bool
	words map[string]bool
}

// NewShown reads what was shown.
func NewShown(all string, n Names) *Shown {
	b := batch{}
	return &Shown{all: read(all, maxPremise), names: n, known: b.words(n.Known)}
}

// UnknownNames says which names of a sentence nothing shown holds: why, one a name's sentence.
func (s *Shown) UnknownNames(said string) []string {
	var out []string
	h := read(unstressed(said), maxHypothesis)
	for i := range h.sentences {
		of := &h.sentences[i]
		c := &comparison{p: s.all, h: of, whole: of, a: alignment{p: &sentence{}}, names: s.names, known: s.known}
		for _, f := range nameRule(c) {
			out = append(out, f.why)
		}
	}
	return out
}

// Blurred says which figure of a sentence is less exact than what was shown: why, or "".
func (s *Shown) Blurred(said string) string {
	h := read(unstressed(said), maxHypothesis)
	for i := range h.sentences {
		of := &h.sentences[i]
		if !slices.ContainsFunc(of.quantities(), quantity.inexact) {
			continue
		}
		for _, clause := range of.clauses() {
			c := &comparison{p: s.all, h: &clause, whole: of, names: s.names, known: s.known}
			if c.a, _ = c.p.best(c.h); c.a.p == nil {
				continue
			}
			for _, f := range numberRule(c) {
				if f.blurs && !f.doubt {
					return f.why
				}
			}
		}
	}
	return ""
}

// Share is the share of a sentence's content words that were shown.
func (s *Shown) Share(sentence string) float64 {
	if s.words == nil {
		s.words = Content(s.all.text)
	}
	return ShareOf(s.words, Content(sentence))
}

// UnknownNumbers counts the numbers of a sentence that nothing shown holds, written
// in whatever way. A sum of shown numbers counts too, so it is a sign and no proof.
func (s *Shown) UnknownNumbers(sentence string) int {
	var have []float64
	for i := range s.all.sentences {
		for _, q := range s.all.sentences[i].quantities() {
			have = append(have, q.value, q.to)
		}
	}
	n := 0
	h := read(sentence, maxHypothesis)
	for i := range h.sentences {
		for _, q := range h.sentences[i].quantities() {
			if !q.weak && !math.IsNaN(q.value) && !slices.Contains(have, q.value) {
				n++
			}
		}
	}
	return n
}
