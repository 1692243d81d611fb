package embed

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// Sentence embeds with a sentence encoder in process, all-MiniLM-L6-v2: far better
// than Static at what a whole sentence means, and a thousand times slower.
type Sentence struct {
	vocab *transformer.Vocab
	model *transformer.Model

	mu   sync.Mutex
	last map[string][]float32 // of single texts: a question is asked for more than once
}

// The encoder reads so many tokens of a text, and so many texts at a time.
const (
	sentenceTokens = 256
	sentenceBatch  = 16
	sentenceKept   = 512
)

// NewSentence makes an encoder of a weights file that shares another model's word
// embeddings.
func NewSentence(vocab *transformer.Vocab, weights []byte, words *transformer.Model) (*Sentence, error) {
	model, err := transformer.Load(vocab, weights, words)
	if err != nil {
		return nil, fmt.Errorf("sentence encoder: %w", err)
	}
	return &Sentence{vocab: vocab, model: model, last: map[string][]float32{}}, nil
}

// Dim is the number of dimensions.
func (e *Sentence) Dim() int { return e.model.Hidden() }

// ID names the weights: those of its own file, and the word embeddings that it shares.
func (e *Sentence) ID() string {
	return fmt.Sprintf("%s/%.12s.%.12s", e.model.Name(), e.model.Metadata("data_sha256"), e.model.Metadata("words_sha256"))
}

// Embed embeds texts, over the machine's cores where there are many.
func (e *Sentence) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 1 {
		return e.one(texts[0])
	}
	out := make([][]float32, len(texts))
	order := make([]int, len(texts))
	sequences := make([]transformer.Sequence, len(texts))
	for i, s := range texts {
		order[i] = i
		sequences[i] = e.sequence(s)
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(sequences[a].IDs) - len(sequences[b].IDs) })
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for part := range slices.Chunk(order, sentenceBatch) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			wait.Wait()
			return nil, ctx.Err()
		}
		wait.Go(func() {
			defer func() { <-slots }()
			if err := e.batch(sequences, part, out); err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return out, failed
}

func (e *Sentence) one(s string) ([][]float32, error) {
	e.mu.Lock()
	known, ok := e.last[s]
	e.mu.Unlock()
	if ok {
		return [][]float32{known}, nil
	}
	out := make([][]float32, 1)
	if err := e.batch([]transformer.Sequence{e.sequence(s)}, []int{0}, out); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.last) >= sentenceKept {
		clear(e.last)
	}
	e.last[s] = out[0]
	return out, nil
}

const maxSentenceChars = 16 << 10

func (e *Sentence) sequence(s string) transformer.Sequence {
	if len(s) > maxSentenceChars {
		s = s[:maxSentenceChars]
	}
	return transformer.Single(e.vocab, e.vocab.Encode(nil, s), sentenceTokens)
}

func (e *Sentence) batch(all []transformer.Sequence, part []int, out [][]float32) error {
	s := e.model.Session()
	defer e.model.Release(s)
	batch := make([]transformer.Sequence, len(part))
	for k, i := range part {
		batch[k] = all[i]
	}
	pooled, err := s.Pool(nil, batch)
	if err != nil {
		return fmt.Errorf("sentence encoder: %w", err)
	}
	h := e.model.Hidden()
	for k, i := range part {
		out[i] = pooled[k*h : (k+1)*h : (k+1)*h]
		if len(all[i].IDs) <= 2 { // nothing to embed is near to nothing
			clear(out[i])
			continue
		}
		normalise(out[i])
	}
	return nil
}
