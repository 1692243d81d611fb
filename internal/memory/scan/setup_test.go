package scan_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/weights"
)

// sentenceEncoder is the sentence model of this binary.
func sentenceEncoder(t *testing.T) embed.Embedder {
	t.Helper()
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	model, err := nli.Uncalibrated(vocab, weights.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	e, err := embed.NewSentence(vocab, weights.Encoder, model.Encoder())
	if err != nil {
		t.Fatal(err)
	}
	return e
}
