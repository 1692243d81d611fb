package retrieval

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

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

// A word that English lacks is a slip of the pen for a common word of it where one letter is wrong, missing, too
// many, or two have changed places. Short words are near to too many others.
const (
	shortestSlip = 6
	commonWord   = 6000 // by frequency
)

// isSlip says whether a word is most likely a common word of English with one slip.
func (x *Index) isSlip(word string) bool {
	if x.english == nil || len(word) < shortestSlip {
		return false
	}
	common := func(w string) bool {
		r := x.rank(w)
		return r > 0 && r <= commonWord
	}
	for i := range len(word) {
		head, tail := word[:i], word[i+1:]
		if common(head+tail) || i > 0 && i+1 < len(word) && common(head+word[i+1:i+2]+word[i:i+1]+word[i+2:]) {
			return true
		}
		for c := byte('a'); c <= 'z'; c++ {
			if common(head+string(c)+tail) || i > 0 && common(head+string(c)+word[i:]) {
				return true
			}
		}
	}
	return false
}

// vocabulary is how a world writes its words. A part of a scope, such as a server gives,
// does not show it, and a word is compared as the world writes it first.
type vocabulary struct {
	surface map[string]string // by stem, where it is not the stem itself
	proper  map[string]bool   // stems with a capital wherever they stand inside a sentence
}

// vocabularyOf reads all files once, as an index of all of them would.
func vocabularyOf(files []file) *vocabulary {
	x, ids := &Index{vocab: map[string]int32{}}, map[string]int32{}
	for _, f := range files {
		of := ""
		for i, c := range f.chunks {
			if id := documentID(c); i == 0 || id != of {
				of = id
				x.docs = append(x.docs[:0], document{keywords: map[string]bool{}})
				x.addMetadata(&x.docs[0], c)
			}
			x.stemsOf(c.Text, ids)
		}
	}
	v := &vocabulary{surface: map[string]string{}, proper: map[string]bool{}}
	for stem, id := range x.vocab {
		stem = strings.Clone(stem) // no part of a text is held by it
		if word := x.surface[id]; word != stem {
			v.surface[stem] = strings.Clone(word)
		}
		if x.isCapital(id) {
			v.proper[stem] = true
		}
	}
	return v
}

// written is a stem as the world writes it first.
func (v *vocabulary) written(stem string) string {
	if word, ok := v.surface[stem]; ok {
		return word
	}
	return stem
}

// isCapital says whether a term is written with a capital wherever it stands inside a sentence.
func (x *Index) isCapital(id int32) bool {
	return x.inside[id] > 0 && x.capitals[id]*10 >= x.inside[id]*8
}

// writtenProper says whether the world writes a term so.
func (x *Index) writtenProper(t *queryTerm) bool {
	if x.server != nil {
		return x.server.vocabulary.proper[t.stem]
	}
	return x.isProper[t.id]
}

// stemsOf are a text's words as terms.
func (x *Index) stemsOf(body string, ids map[string]int32) []int32 {
	words := text.Words(body)
	out := make([]int32, len(words))
	for i, w := range words {
		id, ok := ids[w]
		if !ok {
			id = x.termOf(w)
			ids[w] = id
		}
		out[i] = id
	}
	x.addCapitals(body, ids)
	return out
}
