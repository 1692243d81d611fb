package entail

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// equated is the form of a sentence that says of two that they are one and the same: "Hesta
// is Bram's aunt" and "the aunt of Bram is Hesta" have one. It is the verb and the two
// sides in one order; an owner stands behind. What is said of one of a kind ("a thief") or
// of somebody who is not named ("he") is no equation.
func (s *sentence) equated(p persons) (norm, bool) {
	const most = 12 // words; what is longer says more than who is who
	n := len(s.words)
	be := slices.IndexFunc(s.words, func(w word) bool { return equating[w.low] != "" })
	if n > most || be < 1 || be == n-1 || s.lead != "" || s.question || !s.unbroken(0, n) {
		return nil, false
	}
	left, right := s.onePart(p, 0, be), s.onePart(p, be+1, n)
	if left == nil || right == nil {
		return nil, false
	}
	if strings.Compare(left.String(), right.String()) > 0 {
		left, right = right, left
	}
	out := norm{{surface: equating[s.at(be)]}}
	out = append(append(out, left...), form{surface: "="})
	return append(out, right...), true
}

var equating = map[string]string{"is": "= be", "am": "= be", "are": "= be", "was": "= was", "were": "= was"}

// onePart is one side of an equation from word i up to j in its form: a name, or what is
// marked as the one that is meant, by its article, its owner, or both.
func (s *sentence) onePart(p persons, i, j int) norm {
	if j-i <= 3 && s.namedBy(i, j) {
		return s.part(p, i, j)
	}
	owner := -1 // the last word of who owns
	for k := i; k < j; k++ {
		if strings.HasSuffix(s.at(k), "'s") {
			if owner >= 0 || k == j-1 || k-i > 2 {
				return nil
			}
			owner = k
		}
	}
	of := slices.IndexFunc(s.words[i:j], func(w word) bool { return w.low == "of" || tying[w.low] })
	switch {
	case owner >= 0:
		if of >= 0 || !s.things(owner+1, j) || !s.bare(i, owner+1).owns() {
			return nil
		}
		return belongs(s.part(p, owner+1, j), s.bare(i, owner+1).normalise(p))
	case s.at(i) != "the" && !possessives[s.at(i)]:
		return nil
	case of < 0:
		if !s.things(i+1, j) {
			return nil
		}
		return s.part(p, i, j)
	}
	of += i
	if s.at(i) != "the" || !s.things(i+1, of) || of+1 == j || !s.bare(of+1, j).owns() {
		return nil
	}
	if tying[s.at(of)] {
		return s.part(p, i, j)
	}
	return belongs(s.part(p, i+1, of), s.part(p, of+1, j))
}

// tying words say which of several is meant: "the road to Wend".
var tying = text.Set(`to in at on by from near behind beside under`)

// namedBy says whether words from i up to j are a name.
func (s *sentence) namedBy(i, j int) bool {
	return !s.lower && !slices.ContainsFunc(s.words[i:j], func(w word) bool {
		return !w.upper || text.IsStop(w.low) || personOf[w.low] != "" && w.low != "i" || strings.HasSuffix(w.low, "'s")
	}) || j == i+1 && s.at(i) == "i"
}

// things says whether words from i up to j are a noun with what may stand in front of it.
func (s *sentence) things(i, j int) bool {
	return j > i && j-i <= 3 && !slices.ContainsFunc(s.words[i:j], func(w word) bool {
		return text.IsStop(w.low) || prepositions[w.low] || negations[w.low] || isOrHas[w.low]
	})
}

// bare is the words from i up to j without the mark of an owner.
func (s *sentence) bare(i, j int) *sentence {
	out := s.cut(i, j)
	last := &out.words[len(out.words)-1]
	last.low = strings.TrimSuffix(last.low, "'s")
	return &out
}

// owns says whether a sentence's words are a name, or a thing with its article.
func (s *sentence) owns() bool {
	n := len(s.words)
	return s.namedBy(0, n) || (s.at(0) == "the" || possessives[s.at(0)]) && s.things(1, n)
}

func (s *sentence) part(p persons, i, j int) norm {
	out := s.cut(i, j)
	return out.normalise(p)
}

// belongs is what belongs to an owner: "the aunt of Bram", and "my aunt" where it is the NPC's.
func belongs(what, owner norm) norm {
	if len(owner) == 1 && owner[0].surface == selfForm {
		return append(norm{{surface: ownForm}}, what...)
	}
	return append(append(append(norm{{surface: "the"}}, what...), form{surface: "of"}), owner...)
}

// String is the norm's words, to put two in order.
func (n norm) String() string {
	var b strings.Builder
	for _, f := range n {
		b.WriteString(f.surface + "\n")
	}
	return b.String()
}
