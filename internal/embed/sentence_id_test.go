package embed_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/weights"
)

// Vectors of other words are other vectors: the encoder's id, by which an index knows its
// own, names the words that it shares beside the weights of its own file.
func TestTheEncodersIDNamesTheWordsThatItShares(t *testing.T) {
	v, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := transformer.Load(v, weights.Verifier, nil)
	if err != nil {
		t.Fatal(err)
	}
	model, err := transformer.Load(v, weights.Encoder, owner)
	if err != nil {
		t.Fatal(err)
	}
	e, err := embed.NewSentence(v, weights.Encoder, owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data_sha256", "words_sha256"} {
		if hash := model.Metadata(name); len(hash) != 64 || !strings.Contains(e.ID(), hash[:12]) {
			t.Errorf("%s does not name %s %s", e.ID(), name, hash)
		}
	}
}
