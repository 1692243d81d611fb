package retrieval

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/embed"
)

// Words are compared by the leading dimensions of their vectors, which carry
// most of what tells them apart, so that one word can be held against the whole
// vocabulary of a world in a fraction of a millisecond.
const wordDims = 96

// keptWords bounds the words whose likeness to the vocabulary is remembered.
const keptWords = 256

// lexicon is the vocabulary of a world as vectors.
type lexicon struct {
	english *embed.Static
	dims    int
	vectors []float32 // by term

	mu   sync.Mutex
	rows map[string][]float32 // a word's likeness to every term
}

// newLexicon makes a vector for every word; without English words are alike
// only when their stems are equal.
func newLexicon(ctx context.Context, english *embed.Static, surface []string) (*lexicon, error) {
	l := &lexicon{english: english, rows: map[string][]float32{}}
	if english == nil || len(surface) == 0 {
		return l, nil
	}
	vectors, err := english.Embed(ctx, surface)
	if err != nil {
		return nil, fmt.Errorf("embed the words of the world: %w", err)
	}
	l.dims = min(wordDims, len(vectors[0]))
	l.vectors = make([]float32, 0, len(vectors)*l.dims)
	for _, v := range vectors {
		l.vectors = append(l.vectors, unit(v[:l.dims])...)
	}
	return l, nil
}

// unit is a copy of length one; a zero vector stays zero.
func unit(v []float32) []float32 {
	n := math.Sqrt(dot(v, v))
	out := make([]float32, len(v))
	if n < 1e-9 {
		return out
	}
	for i, x := range v {
		out[i] = x / float32(n)
	}
	return out
}

// like is how near each term of the vocabulary comes to a word; nil where
// nothing is known of words.
func (l *lexicon) like(ctx context.Context, words []string) ([][]float32, error) {
	out := make([][]float32, len(words))
	if l.dims == 0 {
		return out, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var missing []string
	for _, w := range words {
		if l.rows[w] == nil {
			missing = append(missing, w)
		}
	}
	if len(missing) > 0 {
		if len(l.rows)+len(missing) > keptWords {
			clear(l.rows)
			missing = words
		}
		vectors, err := l.english.Embed(ctx, missing)
		if err != nil {
			return nil, fmt.Errorf("embed the words of the question: %w", err)
		}
		for i, w := range missing {
			l.rows[w] = l.row(unit(vectors[i][:l.dims]))
		}
	}
	for i, w := range words {
		out[i] = l.rows[w]
	}
	return out, nil
}

func (l *lexicon) row(v []float32) []float32 {
	out := make([]float32, len(l.vectors)/l.dims)
	for i := range out {
		out[i] = float32(dot(v, l.vectors[i*l.dims:(i+1)*l.dims]))
	}
	return out
}
