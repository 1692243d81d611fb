package app

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
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
