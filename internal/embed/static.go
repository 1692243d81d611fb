package embed

import (
	"context"
	"fmt"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// Tokenizer cuts texts into the tokens that the table has vectors for.
type Tokenizer = transformer.Tokenizer

// maxTextTokens bounds the work for one text: retrieval embeds windows of a few
// sentences, and a mean over more tokens says little.
const maxTextTokens = 512

// Static embeds a text as the mean of its tokens' vectors. Word order is lost on
// it; what it gives is likeness of topic and vocabulary in microseconds, without
// a download. Safe for concurrent use.
type Static struct {
	table  *table
	tokens *Tokenizer
}

// NewStatic gives the table in this binary, read once per process.
func NewStatic() (*Static, error) { return builtIn() }

var builtIn = sync.OnceValues(func() (*Static, error) { return newStatic(staticTable) })

func newStatic(data string) (*Static, error) {
	t, err := parseTable(data)
	if err != nil {
		return nil, err
	}
	tokens, err := transformer.NewTokenizer(t.vocab)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	return &Static{table: t, tokens: tokens}, nil
}

// Dim is the number of dimensions.
func (s *Static) Dim() int { return s.table.dim }

// ID names the model and the content of its table.
func (s *Static) ID() string { return fmt.Sprintf("%s-%08x", s.table.name, s.table.crc) }

// Tokenizer is the tokeniser over the table's vocabulary.
func (s *Static) Tokenizer() *Tokenizer { return s.tokens }

// Embed looks at the first 512 tokens of each text. Its only error is the
// context's.
func (s *Static) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	flat := make([]float32, len(texts)*s.table.dim)
	var ids []int32
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed text %d of %d: %w", i+1, len(texts), err)
		}
		v := flat[i*s.table.dim : (i+1)*s.table.dim : (i+1)*s.table.dim]
		ids = s.tokens.AppendIDs(ids[:0], text, maxTextTokens)
		for _, id := range ids {
			s.table.add(v, id)
		}
		normalise(v)
		out[i] = v
	}
	return out, nil
}
