package sidecar

import (
	"context"
	"errors"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/entail"
)

// Reader reads the sentences of speeches by a sidecar that runs weights whose scores on
// speech were measured. A request has a premise and one sentence: what was said before it
// is not read, nor is its kind.
type Reader struct {
	*Client
	Weights string // sha256 of the file
}

var errUnmeasured = errors.New("its weights were never measured on speech")

// Read gives a reading a sentence. Other weights give none: a score of theirs would be a guess.
func (r *Reader) Read(ctx context.Context, sentences []entail.Sentence) ([]entail.Reading, error) {
	pairs := make([]entail.Pair, len(sentences))
	for i, s := range sentences {
		pairs[i] = entail.Pair{Premise: s.Premise, Hypothesis: s.Text}
	}
	said, err := r.judgements(ctx, pairs)
	if err != nil {
		return nil, err
	}
	var out []entail.Reading
	for _, part := range said {
		if part.weights != r.Weights {
			return nil, fmt.Errorf("nli sidecar %s: %w", r.o.URL, errUnmeasured)
		}
		for _, p := range part.probabilities {
			out = append(out, entail.Reading{Probability: p})
		}
	}
	return out, nil
}
