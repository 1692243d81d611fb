package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
)

// meaningPrefix is of the collection for the sentence encoder's vectors: a
// collection of Qdrant's holds vectors of one dimension.
const meaningPrefix = "meaning_"

// twoCorpora is a corpus in two collections, for the vectors of words and of
// sentences. The second is opened when it is first asked for.
type twoCorpora struct {
	q       Qdrant
	ofWords string // the embedding whose vectors the first holds
	words   *qdrant.Corpus
	second  func() (embed.Embedder, error) // the embedding of the other

	mu      sync.Mutex
	meaning *qdrant.Corpus
}

// ServerCorpus opens the corpora of a server for two embeddings, as a start does for the
// shipped ones. The function that it returns deletes them: for measures, which make up
// the worlds that they index under a prefix of their own.
func ServerCorpus(
	ctx context.Context, q Qdrant, static, second embed.Embedder,
) (_ store.Corpus, drop func(context.Context) error, err error) {
	words, err := qdrant.OpenCorpus(ctx, q.of(static.Dim()))
	if err != nil {
		return nil, nil, err
	}
	other := func() (embed.Embedder, error) { return second, nil }
	c := &twoCorpora{q: q, ofWords: static.ID(), words: words, second: other}
	return c, c.drop, nil
}

// drop deletes both collections.
func (c *twoCorpora) drop(ctx context.Context) error {
	second, err := c.second()
	if err != nil {
		return err
	}
	meaning, err := c.of(ctx, second.ID())
	if err != nil {
		return err
	}
	return errors.Join(c.words.Drop(ctx), meaning.Drop(ctx))
}

func (c *twoCorpora) of(ctx context.Context, model string) (*qdrant.Corpus, error) {
	if model == c.ofWords {
		return c.words, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.meaning != nil {
		return c.meaning, nil
	}
	encoder, err := c.second()
	if err != nil {
		return nil, err
	}
	if encoder.ID() != model {
		return nil, fmt.Errorf("the corpus has no collection for the embedding %q", model)
	}
	q := c.q
	q.Prefix += meaningPrefix
	opened, err := qdrant.OpenCorpus(ctx, q.of(encoder.Dim()))
	if err != nil {
		return nil, err
	}
	if err := opened.Publish(ctx); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	c.meaning = opened
	return opened, nil
}

// publish gives the plain names of the collections to those of this build.
func (c *twoCorpora) publish(ctx context.Context) error {
	return c.words.Publish(ctx)
}

func (c *twoCorpora) Hashes(ctx context.Context, world, model string) (map[string]string, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return nil, err
	}
	return in.Hashes(ctx, world, model)
}

func (c *twoCorpora) Apply(ctx context.Context, world, model string, put []store.Document, remove []string) error {
	in, err := c.of(ctx, model)
	if err != nil {
		return err
	}
	return in.Apply(ctx, world, model, put, remove)
}

func (c *twoCorpora) Documents(ctx context.Context, world, model string) ([]store.Document, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return nil, err
	}
	return in.Documents(ctx, world, model)
}

func (c *twoCorpora) Close() error {
	err := c.words.Close()
	if c.meaning != nil {
		err = errors.Join(err, c.meaning.Close())
	}
	return err
}

var _ store.Searching = (*twoCorpora)(nil)

func (c *twoCorpora) Rank(ctx context.Context, ask store.Ask) ([]store.Hit, error) {
	in, err := c.of(ctx, ask.Model)
	if err != nil {
		return nil, err
	}
	return in.Rank(ctx, ask)
}

func (c *twoCorpora) Outside(ctx context.Context, ask store.Ask) (float64, bool, error) {
	in, err := c.of(ctx, ask.Model)
	if err != nil {
		return 0, false, err
	}
	return in.Outside(ctx, ask)
}

func (c *twoCorpora) Pick(ctx context.Context, s store.Scope, model string, ids []string) ([]store.Hit, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return nil, err
	}
	return in.Pick(ctx, s, model, ids)
}

func (c *twoCorpora) Whole(
	ctx context.Context, s store.Scope, model string, paths []string, limit int,
) ([]store.Hit, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return nil, err
	}
	return in.Whole(ctx, s, model, paths, limit)
}

func (c *twoCorpora) Sample(ctx context.Context, s store.Scope, model string, n int) ([]store.Hit, bool, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return nil, false, err
	}
	return in.Sample(ctx, s, model, n)
}

func (c *twoCorpora) Tally(ctx context.Context, s store.Scope, model string) (store.Tally, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return store.Tally{}, err
	}
	return in.Tally(ctx, s, model)
}

func (c *twoCorpora) Held(ctx context.Context, s store.Scope, model string, stems []string) ([]store.Holding, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return nil, err
	}
	return in.Held(ctx, s, model, stems)
}

func (c *twoCorpora) File(ctx context.Context, world, model, path string) ([]protocol.Chunk, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return nil, err
	}
	return in.File(ctx, world, model, path)
}

func (c *twoCorpora) Standing(ctx context.Context, world, model string) (string, error) {
	in, err := c.of(ctx, model)
	if err != nil {
		return "", err
	}
	return in.Standing(ctx, world, model)
}
