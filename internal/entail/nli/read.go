package nli

import (
	"context"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// Bounds of a sentence in its context. The training of the weights uses the same.
const (
	readTokens   = 192 // of premise, context and sentence together
	beforeTokens = 40  // of each text that stands before the sentence, its end
)

// Read says of each sentence how likely its premise entails it, and of which kind it is.
// A sentence is read as [CLS] premise [SEP] question [SEP] sentence before [SEP] sentence [SEP].
func (m *Model) Read(ctx context.Context, sentences []entail.Sentence) ([]entail.Reading, error) {
	out := make([]entail.Reading, len(sentences))
	keys := make([]key, len(sentences))
	var sequences []transformer.Sequence
	var owners []int
	for i, s := range sentences {
		keys[i] = key{s.Premise, strings.Join(append(s.Before[:len(s.Before):len(s.Before)], s.Text), "\n")}
		if known, ok := m.read.get(keys[i]); ok {
			out[i] = known
			continue
		}
		sequences, owners = append(sequences, m.heard(s)), append(owners, i)
	}
	heads := []*head{&m.entail}
	if m.kind.outputs > 0 {
		heads = append(heads, &m.kind)
	}
	logits, err := m.logitsOf(ctx, heads, sequences)
	if err != nil {
		return nil, err
	}
	for k, i := range owners {
		r := entail.Reading{Probability: softmax(logits[0][k])}
		if len(heads) > 1 {
			kind := softmax(logits[1][k])
			r.World, r.Self, r.Social = kind.Entailed, kind.Neutral, kind.Contradicted
		}
		if !r.Sound() {
			return nil, errUnsound
		}
		out[i] = r
		m.read.put(keys[i], r)
	}
	return out, nil
}

// heard is a sentence with its context as one sequence.
func (m *Model) heard(s entail.Sentence) transformer.Sequence {
	var second []int32
	for _, before := range s.Before {
		ids := m.tokens(before, maxChars)
		second = append(append(second, ids[max(0, len(ids)-beforeTokens):]...), m.vocab.Separator())
	}
	second = append(second, m.ending.close(m.tokens(s.Text, readTokens/2))...)
	return transformer.Pair(m.vocab, m.tokens(s.Premise, readTokens), second, readTokens)
}
