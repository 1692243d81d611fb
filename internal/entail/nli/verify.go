package nli

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// errUnsound is an answer that is no probability.
var errUnsound = errors.New("verifier: the model answers with no probability")

// errUncalibrated is asking for verdicts where no score was ever measured.
var errUncalibrated = errors.New("verifier: the model is not calibrated and gives no verdicts")

// Verify judges each pair. A premise longer than a window is read window by
// window, and its best window speaks for it.
func (m *Model) Verify(ctx context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	return m.VerifyAfter(ctx, pairs, make([]schema.Verdict, len(pairs)))
}

// VerifyAfter wants more of a pair that the rules doubt.
func (m *Model) VerifyAfter(
	ctx context.Context, pairs []entail.Pair, before []schema.Verdict,
) ([]schema.Verdict, error) {
	if m.calibration.Scale.Slope == 0 {
		return nil, errUncalibrated
	}
	texts := make([][2]string, len(pairs))
	for i, p := range pairs {
		texts[i][0], texts[i][1] = p.Spoken()
	}
	probabilities, err := m.Probabilities(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([]schema.Verdict, len(pairs))
	for i, p := range probabilities {
		if !p.Sound() {
			return nil, errUnsound
		}
		out[i] = pairs[i].At.Or(m.calibration.Thresholds).Judge(entail.TierModel, m.calibration.Scale.Score(p, before[i]), p,
			pairs[i], before[i])
	}
	return out, nil
}

// key is a pair of texts as the caches know it.
type key [2]string

// Probabilities are what the model says of premises and hypotheses as they stand.
func (m *Model) Probabilities(ctx context.Context, pairs [][2]string) ([]entail.Probability, error) {
	out := make([]entail.Probability, len(pairs))
	var sequences []transformer.Sequence
	var owners []int
	for i, p := range pairs {
		known, ok := m.seen.get(key(p))
		if ok {
			out[i] = known
			continue
		}
		for _, s := range m.sequences(p[0], p[1]) {
			sequences, owners = append(sequences, s), append(owners, i)
		}
	}
	logits, err := m.logitsOf(ctx, []*head{&m.entail}, sequences)
	if err != nil {
		return nil, err
	}
	for k, i := range owners {
		p := softmax(logits[0][k])
		if !p.Sound() {
			return nil, errUnsound
		}
		if first := k == 0 || owners[k-1] != i; first || p.Entailed > out[i].Entailed {
			out[i] = p
		}
		if last := k == len(owners)-1 || owners[k+1] != i; last {
			m.seen.put(key(pairs[i]), out[i])
		}
	}
	return out, nil
}

// Answers is, for each block, the probability that it answers the question.
func (m *Model) Answers(ctx context.Context, question string, blocks []string) ([]float64, error) {
	out := make([]float64, len(blocks))
	var sequences []transformer.Sequence
	var owners []int
	asked := m.tokens(question, pairTokens/2)
	for i, b := range blocks {
		if known, ok := m.answered.get(key{b, question}); ok {
			out[i] = known
			continue
		}
		sequences, owners = append(sequences, transformer.Pair(m.vocab, m.tokens(b, pairTokens), asked, pairTokens)),
			append(owners, i)
	}
	logits, err := m.logitsOf(ctx, []*head{&m.answers}, sequences)
	if err != nil {
		return nil, err
	}
	for k, i := range owners {
		out[i] = 1 / (1 + math.Exp(-logits[0][k][0]))
		if math.IsNaN(out[i]) {
			return nil, errUnsound
		}
		m.answered.put(key{blocks[i], question}, out[i])
	}
	return out, nil
}

// maxChars bounds a text before it is cut into tokens.
const maxChars = 64 << 10

func (m *Model) tokens(s string, most int) []int32 {
	if len(s) > maxChars {
		s = s[:maxChars]
	}
	ids := m.vocab.Encode(nil, s)
	return ids[:min(len(ids), most)]
}

// sequences are the windows of a premise, each with the hypothesis.
func (m *Model) sequences(premise, hypothesis string) []transformer.Sequence {
	h := m.ending.close(m.tokens(hypothesis, pairTokens/2-1))
	var out []transformer.Sequence
	for _, w := range m.windows(premise) {
		out = append(out, transformer.Pair(m.vocab, w, h, pairTokens))
	}
	return out
}

// maxWindows bounds what one pair may cost.
const maxWindows = 24

// windows cuts a premise into runs of whole sentences, each beginning with the
// last sentence of the one before. What is longer than a window, such as a list or
// a page without full stops, is cut where it must be, each half read twice.
func (m *Model) windows(premise string) [][]int32 {
	whole := m.tokens(premise, maxChars)
	if len(whole) <= windowTokens {
		return [][]int32{whole}
	}
	if len(premise) > maxChars {
		premise = premise[:maxChars]
	}
	var out [][]int32
	var run, last []int32
	for _, s := range text.Sentences(premise) {
		for _, ids := range pieces(m.tokens(s, maxChars)) {
			if len(run) > 0 && len(run)+len(ids) > windowTokens {
				out = append(out, run)
				run = nil
				if len(last)+len(ids) <= windowTokens {
					run = append(run, last...)
				}
			}
			run, last = append(run, ids...), ids
			if len(out) >= maxWindows {
				return out
			}
		}
	}
	switch {
	case len(run) > 0:
		out = append(out, run)
	case len(out) == 0: // marks alone, of which no sentence is made
		out = append(out, whole[:windowTokens])
	}
	return out
}

// pieces are parts of a sentence that fit a window.
func pieces(ids []int32) [][]int32 {
	var out [][]int32
	for from := 0; ; from += windowTokens / 2 {
		to := min(from+windowTokens, len(ids))
		out = append(out, ids[from:to])
		if to == len(ids) {
			return out
		}
	}
}

// cache remembers what the model said. It holds two generations: when the young
// one is full it becomes the old one, and what is asked for again moves up.
type cache[V any] struct {
	mu         sync.Mutex
	young, old map[key]V
	size       int
}

func newCache[V any](size int) *cache[V] {
	return &cache[V]{young: map[key]V{}, size: size / 2}
}

func (c *cache[V]) get(k key) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.young[k]
	if ok {
		return v, true
	}
	if v, ok = c.old[k]; ok {
		c.keep(k, v)
	}
	return v, ok
}

// maxKey is how long texts may be that are remembered.
const maxKey = 4 << 10

func (c *cache[V]) put(k key, v V) {
	if len(k[0])+len(k[1]) > maxKey {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(k, v)
}

func (c *cache[V]) keep(k key, v V) {
	if len(c.young) >= c.size {
		c.young, c.old = map[key]V{}, c.young
	}
	c.young[k] = v
}
