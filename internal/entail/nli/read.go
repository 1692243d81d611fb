package nli

import (
	"context"
	"slices"
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

// marks are what a sentence may end with that says nothing of its truth.
var marks = []string{".", "!", "?", ",", ";", ":", "…", "-", "–", "—", `"`, "”", "“", "’", "‘", "'", ")",
	"]", "}", "*"}

// ending is how a hypothesis ends for the model: with one full stop in place of its
// marks. In the pairs that it learnt from most sentences without a full stop are true, and
// a model that may see whether there is one accepts up to four times as many false ones
// that are sent without. The training reads them in the same way (sentence, in
// encoder.py), and so does the sidecar.
type ending struct {
	marks []int32
	stop  int32 // negative: the vocabulary has none, and nothing is closed
}

func endingOf(v *transformer.Vocab) ending {
	e := ending{stop: -1}
	for _, mark := range marks {
		if id, ok := v.ID(mark); ok {
			e.marks = append(e.marks, id)
		}
	}
	if id, ok := v.ID("."); ok {
		e.stop = id
	}
	return e
}

// close ends the tokens of a hypothesis. What is nothing but marks stays as it is.
func (e ending) close(ids []int32) []int32 {
	n := len(ids)
	for n > 0 && slices.Contains(e.marks, ids[n-1]) {
		n--
	}
	if n == 0 || e.stop < 0 {
		return ids
	}
	return append(ids[:n:n], e.stop)
}
