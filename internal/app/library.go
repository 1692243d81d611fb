package app

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// IndexFile is the index of a data folder.
func IndexFile(data string) string { return filepath.Join(data, "index.db") }

// vectors is the folder of the files of vectors, beside the index; empty where there
// is neither an index file nor a data folder.
func (o Options) vectors() string {
	switch {
	case o.Index != "":
		return o.Index + ".vectors"
	case o.Data != "":
		return IndexFile(o.Data) + ".vectors"
	}
	return ""
}

// OpenLibrary indexes worlds without a mesh: for searching and indexing alone.
// The function that it returns closes the index.
func OpenLibrary(ctx context.Context, o Options) (*lore.Library, func() error, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	static, err := embed.NewStatic()
	if err != nil {
		return nil, nil, err
	}
	library, corpus, err := openLibrary(ctx, o, static)
	if err != nil {
		if corpus != nil {
			_ = corpus.Close()
		}
		return nil, nil, err
	}
	if o.Meaning != MeaningOff {
		if err := deepen(ctx, library, library.Names(), corpus, o); err != nil {
			_ = corpus.Close()
			return nil, nil, err
		}
	}
	return library, corpus.Close, nil
}

// openLibrary brings the index up to the worlds. The corpus is given back even
// where a world could not be indexed, for the caller to close.
func openLibrary(ctx context.Context, o Options, static *embed.Static) (*lore.Library, store.Corpus, error) {
	corpus, err := openCorpus(ctx, o, static)
	if err != nil {
		return nil, nil, err
	}
	all, err := indexAll(ctx, corpus, o, static)
	server, onServer := corpus.(*twoCorpora)
	if err != nil && onServer && ctx.Err() == nil { // it can be read, or was there a moment ago
		o.notice(inTheFolder + err.Error())
		_ = server.Close()
		if corpus, err = openFile(ctx, o); err != nil {
			return nil, nil, err
		}
		onServer = false
		all, err = indexAll(ctx, corpus, o, static)
	}
	if err != nil {
		return nil, corpus, err
	}
	if onServer {
		forget(o.Worlds)
		if err := server.publish(ctx); err != nil {
			o.notice(err.Error()) // the name is for tools and people: nothing hangs on it
		}
	}
	library, err := lore.NewLibrary(all...)
	return library, corpus, err
}

// forget lets go of the texts of worlds that can be read again.
func forget(worlds []*world.World) {
	for _, w := range worlds {
		if IsFolder(w.Dir) {
			w.Forget()
		}
	}
}

func indexAll(ctx context.Context, corpus store.Corpus, o Options, static *embed.Static) (all []*lore.Lore, err error) {
	for _, w := range o.Worlds {
		opts := retrieval.Options{Now: o.Now, Words: static, Notice: o.Notice, Vectors: o.vectors()}
		if o.Progress != nil {
			opts.Progress = func(done, total int) { o.Progress(w.Name, done, total) }
		}
		index, err := retrieval.Open(ctx, corpus, static, w, opts)
		if err != nil {
			return nil, err
		}
		all = append(all, &lore.Lore{World: w, Index: index, Grounding: groundingOf(o), Echo: o.echo})
	}
	return all, nil
}

// Indexed is how many files of a world an index holds, without changing it.
func Indexed(ctx context.Context, path string, w *world.World) (int, error) {
	corpus, err := sqlite.OpenCorpus(ctx, path)
	if err != nil {
		return 0, err
	}
	kept, err := corpus.Hashes(ctx, w.Name, EmbeddingModel())
	return len(kept), errors.Join(err, corpus.Close())
}

// EmbeddingModel names the embeddings in process.
func EmbeddingModel() string {
	static, err := embed.NewStatic()
	if err != nil {
		return "unreadable"
	}
	return static.ID()
}
