package retrieval

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

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
