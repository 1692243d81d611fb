// Package nli has the tiers of the cascade that are trained models. The one in process is
// a small cross-encoder that reads evidence and claim together. It says how likely the claim is
// entailed, on a scale calibrated on pairs with known labels, and with its second
// head how likely a block answers a question. It knows no rule and no speaker, and
// it has no last word: what it does not support is not supported. A larger model answers
// over HTTP: sidecar/nli, or whatever answers in its shape. A sidecar that is down, slow
// or answers nonsense decides nothing, and is left alone for a while.
package nli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// Bounds of what is read: tokens of a window of the premise, of a whole pair, and
// pairs of one batch.
const (
	windowTokens = 110
	pairTokens   = 256
	batchPairs   = 16
	cachePairs   = 16 << 10
)

// Model is the verifier with its heads. It is safe for concurrent use; its
// batches share the machine's cores.
type Model struct {
	encoder     *transformer.Model
	vocab       *transformer.Vocab
	ending      ending
	entail      head
	answers     head
	kind        head // without outputs where the weights have no such head
	calibration Calibration
	seen        *cache[entail.Probability]
	answered    *cache[float64]
	read        *cache[entail.Reading]
	slots       chan struct{}
}

// Open makes the verifier of a weights file, with the calibration that ships.
func Open(vocab *transformer.Vocab, weights []byte) (*Model, error) {
	m, err := Uncalibrated(vocab, weights)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(weights)
	if m.calibration, err = calibrationOf(hex.EncodeToString(sum[:])); err != nil {
		return nil, err
	}
	return m, nil
}

// Uncalibrated is the model for the program that calibrates it: Probabilities and
// Answers can be asked, and it verifies nothing.
func Uncalibrated(vocab *transformer.Vocab, weights []byte) (*Model, error) {
	enc, err := transformer.Load(vocab, weights, nil)
	if err != nil {
		return nil, fmt.Errorf("verifier: %w", err)
	}
	m := &Model{encoder: enc, vocab: vocab, ending: endingOf(vocab), seen: newCache[entail.Probability](cachePairs),
		answered: newCache[float64](cachePairs),
		read:     newCache[entail.Reading](cachePairs),
		slots:    make(chan struct{}, runtime.GOMAXPROCS(0))}
	if m.entail, err = readHead(enc, "entail", 3); err != nil {
		return nil, fmt.Errorf("verifier %s: %w", enc.Name(), err)
	}
	if m.answers, err = readHead(enc, "answers", 1); err != nil {
		return nil, fmt.Errorf("verifier %s: %w", enc.Name(), err)
	}
	if enc.Has("heads.kind.out.weight") {
		if m.kind, err = readHead(enc, "kind", 3); err != nil {
			return nil, fmt.Errorf("verifier %s: %w", enc.Name(), err)
		}
	}
	return m, nil
}

// Encoder is the transformer under the heads, whose word embeddings others share.
func (m *Model) Encoder() *transformer.Model { return m.encoder }

// Vocab is the vocabulary of the weights.
func (m *Model) Vocab() *transformer.Vocab { return m.vocab }

// Name names the weights.
func (m *Model) Name() string { return m.encoder.Name() }

// Calibration is what the scores were fitted to.
func (m *Model) Calibration() Calibration { return m.calibration }

// head is a tanh layer and a linear one over the pooled vector.
type head struct {
	dense, denseBias, out, outBias []float32
	hidden, outputs                int
}

func readHead(enc *transformer.Model, name string, outputs int) (head, error) {
	h := head{hidden: enc.Hidden(), outputs: outputs}
	for _, t := range []struct {
		name string
		to   *[]float32
		want int
	}{
		{"dense.weight", &h.dense, h.hidden * h.hidden}, {"dense.bias", &h.denseBias, h.hidden},
		{"out.weight", &h.out, outputs * h.hidden}, {"out.bias", &h.outBias, outputs},
	} {
		values, _, err := enc.Tensor("heads." + name + "." + t.name)
		if err != nil {
			return head{}, err
		}
		if len(values) != t.want {
			return head{}, fmt.Errorf("heads.%s.%s holds %d values, %d are wanted; take the weights of this version", name,
				t.name, len(values), t.want)
		}
		*t.to = values
	}
	return h, nil
}

// logits of one pooled vector.
func (h *head) logits(x []float32) [3]float64 {
	var out [3]float64
	for o := range h.outputs {
		out[o] = float64(h.outBias[o])
	}
	for i := range h.hidden {
		row := h.dense[i*h.hidden : (i+1)*h.hidden]
		sum := h.denseBias[i]
		for k, v := range x {
			sum += row[k] * v
		}
		t := math.Tanh(float64(sum))
		for o := range h.outputs {
			out[o] += t * float64(h.out[o*h.hidden+i])
		}
	}
	return out
}

func softmax(z [3]float64) entail.Probability {
	top := max(z[0], z[1], z[2])
	a, b, c := math.Exp(z[0]-top), math.Exp(z[1]-top), math.Exp(z[2]-top)
	sum := a + b + c
	return entail.Probability{Entailed: a / sum, Neutral: b / sum, Contradicted: c / sum}
}

// logitsOf runs sequences through the encoder and some heads, batch by batch over the
// machine's cores. It gives the logits of each head.
func (m *Model) logitsOf(ctx context.Context, heads []*head, all []transformer.Sequence) ([][][3]float64, error) {
	out := make([][][3]float64, len(heads))
	for i := range out {
		out[i] = make([][3]float64, len(all))
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(all[a].IDs) - len(all[b].IDs) })
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for part := range slices.Chunk(order, m.share(len(all))) {
		if err := ctx.Err(); err != nil { // of two ways that are open a select takes either
			wait.Wait()
			return nil, err
		}
		select {
		case m.slots <- struct{}{}:
		case <-ctx.Done():
			wait.Wait()
			return nil, ctx.Err()
		}
		wait.Go(func() {
			defer func() { <-m.slots }()
			if err := m.batch(heads, all, part, out); err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return out, failed
}

// share is how many sequences one core takes at a time.
func (m *Model) share(n int) int {
	return min(batchPairs, max(1, (n+cap(m.slots)-1)/cap(m.slots)))
}

// batch runs in a goroutine of its own, where nobody above could catch a panic: one
// is this tier's failure and not the process's.
func (m *Model) batch(heads []*head, all []transformer.Sequence, part []int, out [][][3]float64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("verifier: panic: %v", r)
		}
	}()
	s := m.encoder.Session()
	batch := make([]transformer.Sequence, len(part))
	for k, i := range part {
		batch[k] = all[i]
	}
	pooled, err := s.Pool(nil, batch)
	if err != nil {
		return fmt.Errorf("verifier: %w", err)
	}
	for n, h := range heads {
		for k, i := range part {
			out[n][i] = h.logits(pooled[k*h.hidden : (k+1)*h.hidden])
		}
	}
	m.encoder.Release(s) // one in which something went wrong is left to the collector
	return nil
}
