package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/embed"
)

// Words are compared by the leading dimensions of their vectors, which carry
// most of what tells them apart, so that one word can be held against the whole
// vocabulary of a world in a fraction of a millisecond.
const wordDims = 96

// lexicon is the vocabulary of a world as vectors.
type lexicon struct {
	english *embed.Static
	words   *embed.Rows // by term; nil where nothing is known of words
}

// newLexicon makes a vector for every word; without English words are alike
// only when their stems are equal.
func newLexicon(ctx context.Context, english *embed.Static, surface []string) (*lexicon, error) {
	l := &lexicon{english: english}
	if english == nil || len(surface) == 0 {
		return l, nil
	}
	l.words = embed.NewRows(min(wordDims, english.Dim()), len(surface))
	for part := range slices.Chunk(surface, wordsAtOnce) {
		vectors, err := english.Embed(ctx, part)
		if err != nil {
			return nil, fmt.Errorf("embed the words of the world: %w", err)
		}
		for _, v := range vectors {
			if err := l.words.Add(unit(v[:l.words.Dim()])); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// wordsAtOnce are embedded at a time, so that they do not all lie beside their rows.
const wordsAtOnce = 1024

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
	if l.words == nil || len(words) == 0 {
		return out, nil
	}
	vectors, err := l.english.Embed(ctx, words)
	if err != nil {
		return nil, fmt.Errorf("embed the words of the question: %w", err)
	}
	for i, v := range vectors {
		out[i] = l.words.Dots(unit(v[:l.words.Dim()]))
	}
	return out, nil
}
