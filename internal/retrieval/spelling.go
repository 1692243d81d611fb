package retrieval

import "strings"

// A word that the world does not have may be a word it has, written otherwise:
// cut short, run together, or with a slip of the pen.
const (
	sameSpelling = 0.6  // share of letter triples from which two words count as one
	spelledLike  = 0.85 // how near such a word comes
	shortestCut  = 5    // letters that a cut word must keep,
	mostOfWord   = 0.7  // and the share of the whole
)

// mendSpelling looks the question's unknown words up by their letters.
func (s *search) mendSpelling() {
	for i := range s.q.terms {
		t := &s.q.terms[i]
		if len(t.word) < shortestCut || s.held(t.stem) {
			continue
		}
		var row []float32
		for id, known := range s.x.surface {
			if !alikeInLetters(t.word, known) {
				continue
			}
			if row == nil {
				row = make([]float32, len(s.x.surface))
				copy(row, s.like[i])
			}
			row[id] = max(row[id], spelledLike)
		}
		if row != nil {
			s.like[i] = row
		}
	}
}

func alikeInLetters(a, b string) bool {
	if len(b) < shortestCut {
		return false
	}
	short, long := a, b
	if len(a) > len(b) {
		short, long = b, a
	}
	if float64(len(short)) >= mostOfWord*float64(len(long)) &&
		(strings.HasPrefix(long, short) || strings.HasSuffix(long, short)) {
		return true
	}
	if a[0] != b[0] || max(len(a), len(b))-min(len(a), len(b)) > 3 {
		return false
	}
	shared := 0
	for i := 0; i+3 <= len(a); i++ {
		if strings.Contains(b, a[i:i+3]) {
			shared++
		}
	}
	return 2*float64(shared)/float64(len(a)+len(b)-4) >= sameSpelling
}
