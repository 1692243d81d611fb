package entail

import (
	"github.com/forsooth-npc/forsooth/internal/text"
)

// alignment is how a sentence of the hypothesis lies over one of the premise.
type alignment struct {
	h, p     *sentence
	to       []int // for each word of h the word of p with the same stem, or -1; stop words only in their order
	content  int   // content words of h
	matched  int   // of them, those that p holds
	coverage float64
	free     []int // content words of p that nothing in h matches
}

// align matches the content words of h with words of p, nearest in order first.
func align(h, p *sentence) alignment {
	a := alignment{h: h, p: p, to: make([]int, len(h.words))}
	used := make([]bool, len(p.words))
	last := -1
	for i := range h.words {
		a.to[i] = -1
		if text.IsStop(h.words[i].low) {
			continue
		}
		a.content++
		if k := nearest(p, used, h.words[i].stem, last); k >= 0 {
			a.to[i], used[k], last = k, true, k
			a.matched++
		}
	}
	for k := range p.words {
		if !used[k] && !text.IsStop(p.words[k].low) {
			a.free = append(a.free, k)
		}
	}
	if a.content > 0 {
		a.coverage = float64(a.matched) / float64(a.content)
	}
	return a
}

// nearest is the first unused word with the stem after last, else before it.
func nearest(p *sentence, used []bool, stem string, last int) int {
	before := -1
	for k := range p.words {
		if used[k] || p.words[k].stem != stem || text.IsStop(p.words[k].low) {
			continue
		}
		if k > last {
			return k
		}
		if before < 0 {
			before = k
		}
	}
	return before
}

// best is the sentence of the premise that holds most of a sentence's words.
func (p *passage) best(h *sentence) (alignment, bool) {
	var out alignment
	found := false
	for i := range p.sentences {
		if p.sentences[i].question {
			continue
		}
		if a := align(h, &p.sentences[i]); !found || a.coverage > out.coverage {
			out, found = a, true
		}
	}
	return out, found
}

// negated are the words of a sentence that a negation reaches: those after it up
// to the end of its clause, at most three content words.
func (s *sentence) negated() map[int]bool {
	out := map[int]bool{}
	for i := range s.words {
		w := s.words[i].low
		if !negations[w] && !hasNot(w) || w == "no" && s.words[i].gap == "," || w == "not" && s.at(i+1) == "only" ||
			s.boundsFigure(i) {
			continue
		}
		reach := 0
		for k := i + 1; k < len(s.words) && reach < 2; k++ {
			if s.words[k-1].gap != "" && k > i+1 || clauseBreak[s.words[k].low] && k > i+1 {
				break
			}
			if !text.IsStop(s.words[k].low) {
				out[k] = true
				reach++
			}
		}
	}
	return out
}

// boundsFigure says whether the "no" at i belongs to "no fewer than forty".
func (s *sentence) boundsFigure(i int) bool {
	if s.at(i) != "no" || s.at(i+2) != "than" {
		return false
	}
	more := s.at(i + 1)
	return (more == "more" || more == "fewer" || more == "less") && (startsDigit(s.at(i+3)) || isNumberWord(s.at(i+3)))
}

var clauseBreak = text.Set(`but because if when while who which that although though unless until since so`)

// hedged are the words of a sentence that a modal or a word of intention
// governs, with that word.
func (s *sentence) hedged() map[int]string {
	out := map[int]string{}
	for i := range s.words {
		w := s.words[i].low
		modal := hedging[w]
		if !modal && !(intending[w] && s.at(i+1) == "to") {
			continue
		}
		if w == "may" && s.words[i].upper && !s.words[i].first {
			continue
		}
		reach := 0
		for k := i + 1; k < len(s.words) && reach < 1; k++ {
			if s.words[k-1].gap != "" && !(k == i+1) {
				break
			}
			if !text.IsStop(s.words[k].low) {
				out[k] = s.words[i].raw
				reach++
			}
		}
	}
	return out
}

// conditional says whether the clause of word k begins with a condition.
func (s *sentence) conditional(k int) string {
	for i := k; i >= 0; i-- {
		if i < k && s.words[i].gap != "" {
			return ""
		}
		switch w := s.words[i].low; w {
		case "if", "unless", "whether":
			return w
		}
	}
	return ""
}
