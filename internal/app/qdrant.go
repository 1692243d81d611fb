package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Qdrant names a server for the two stores; without an address they are files of
// the data folder.
type Qdrant struct {
	Addr   string // host:port of its gRPC side
	TLS    bool
	Key    string
	Prefix string
	Nodes  int
}

// of are the options of its collections for an embedding.
func (q Qdrant) of(dimension int) qdrant.Options {
	return qdrant.Options{
		Addr: q.Addr, TLS: q.TLS, APIKey: q.Key, Prefix: q.Prefix, Nodes: q.Nodes,
		Dimension: dimension, Read: retrieval.Read,
	}
}

// OpenSession opens the index of memories, on the server or in the data folder, as
// it is now. The note says what was mended.
func OpenSession(ctx context.Context, o Options) (_ store.Session, note string, err error) {
	if o.Qdrant.Addr != "" {
		s, err := openQdrantSession(ctx, o.Qdrant)
		return s, "", err
	}
	s, note, err := sqlite.MendSession(ctx, SessionFile(o.Data))
	if err != nil {
		return nil, "", err
	}
	return s, note, nil
}

func openQdrantSession(ctx context.Context, q Qdrant) (store.Session, error) {
	static, err := embed.NewStatic()
	if err != nil {
		return nil, err
	}
	s, err := qdrant.OpenSession(ctx, q.of(static.Dim()))
	if err != nil {
		return nil, err // not a nil session in an interface
	}
	return s, nil
}

// keepSession opens the index of memories for as long as a mesh runs. A server
// may be away, now or later: turns are answered without it meanwhile.
func keepSession(ctx context.Context, o Options) (store.Session, error) {
	if o.Qdrant.Addr != "" {
		return store.NewHealing(ctx, store.HealingOptions{Notice: o.notice,
			Open: func(ctx context.Context) (store.Session, error) { return openQdrantSession(ctx, o.Qdrant) }}), nil
	}
	s, note, err := OpenSession(ctx, o)
	if err == nil && note != "" {
		o.notice(note)
	}
	return s, err
}

// readSession opens the index of memories where there is one, and makes none.
func readSession(ctx context.Context, o Options) (store.Session, error) {
	if o.Qdrant.Addr != "" {
		return openQdrantSession(ctx, o.Qdrant)
	}
	if _, err := os.Stat(SessionFile(o.Data)); o.Data == "" || err != nil {
		return nil, nil
	}
	s, err := sqlite.OpenSession(ctx, SessionFile(o.Data))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Indexed is how many files of a world the server's index holds: by its words, and by what
// its sentences mean. It changes nothing.
func (q Qdrant) Indexed(ctx context.Context, w *world.World) (words, meaning int, err error) {
	static, err := embed.NewStatic()
	if err != nil {
		return 0, 0, err
	}
	if words, err = qdrant.Documents(ctx, q.of(static.Dim()), w.Name, static.ID()); err != nil {
		return 0, 0, err
	}
	encoder, err := Encoder()
	if err != nil {
		return words, 0, err
	}
	q.Prefix += meaningPrefix
	meaning, err = qdrant.Documents(ctx, q.of(encoder.Dim()), w.Name, encoder.ID())
	return words, meaning, err
}

func sentenceEncoder() (embed.Embedder, error) { return Encoder() }

// corpusLimit is how long a start waits for the server's corpus.
const corpusLimit = 10 * time.Second

// openCorpus opens the index of the worlds. It is made of their files and read
// once, so a server that is away, or holds what cannot be used, costs only the
// making: the data folder has it then. One of another major version is refused.
func openCorpus(ctx context.Context, o Options, static *embed.Static) (store.Corpus, error) {
	if o.Qdrant.Addr != "" {
		limited, stop := context.WithTimeout(ctx, corpusLimit)
		defer stop()
		words, err := qdrant.OpenCorpus(limited, o.Qdrant.of(static.Dim()))
		if err == nil {
			return &twoCorpora{q: o.Qdrant, ofWords: static.ID(), words: words, second: sentenceEncoder}, nil
		}
		var foreign *qdrant.VersionError
		if errors.As(err, &foreign) {
			return nil, err
		}
		o.notice(inTheFolder + err.Error())
	}
	return openFile(ctx, o)
}

// inTheFolder begins the notice of a server that does not have the worlds.
const inTheFolder = "the worlds are indexed in the data folder this time: "

// openFile opens the index of the data folder.
func openFile(ctx context.Context, o Options) (store.Corpus, error) {
	path := o.Index
	if path == "" {
		path = IndexFile(o.Data)
	}
	corpus, note, err := sqlite.MendCorpus(ctx, path)
	if err != nil {
		return nil, err
	}
	if note != "" {
		o.notice(note)
	}
	return corpus, nil
}

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
