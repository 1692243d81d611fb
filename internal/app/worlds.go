package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/evals"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/worlds"
)

// DefaultWorld is the world that a command without --world serves.
const DefaultWorld = "hollowmere"

// LoadWorlds reads worlds from folders; none gives the one that the binary
// carries. A name without a folder of that name is one of the binary's worlds.
func LoadWorlds(dirs []string) ([]*world.World, []world.Problem, error) {
	if len(dirs) == 0 {
		dirs = []string{DefaultWorld}
	}
	var out []*world.World
	var problems []world.Problem
	for _, dir := range dirs {
		w, p, err := LoadWorld(dir)
		if err != nil {
			return nil, problems, err
		}
		out, problems = append(out, w), append(problems, p...)
	}
	return out, problems, nil
}

// ErrNoWorld is a name that is neither a folder nor a world of the binary.
var ErrNoWorld = errors.New("there is no such folder, and the binary carries no world of that name; give --world " +
	"a folder with a world.yaml")

// IsFolder says whether a world is named by its folder.
func IsFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// LoadWorld reads one world, from its folder or from the binary. Where the world
// cannot load, the problems say why.
func LoadWorld(dir string) (*world.World, []world.Problem, error) {
	if IsFolder(dir) {
		return world.LoadDir(dir)
	}
	sub, err := fs.Sub(worlds.FS, dir)
	if err == nil {
		if _, err := fs.Stat(sub, "world.yaml"); err == nil {
			w, problems, err := world.Load(sub, ".")
			if w != nil {
				w.Dir = dir
			}
			return w, problems, err
		}
	}
	return nil, nil, fmt.Errorf("world %s: %w", dir, ErrNoWorld)
}

// CarriedSuite is a suite that the binary carries: a world's own by the name of
// the world, another by its name. A file or folder of that name comes first. The
// world is as LoadWorld takes it.
func CarriedSuite(name string) (data []byte, world string, ok bool) {
	if _, err := os.Stat(name); err == nil || !fs.ValidPath(name) {
		return nil, "", false
	}
	if data, err := worlds.FS.ReadFile(name + "/evals.yaml"); err == nil {
		return data, name, true
	}
	data, err := evals.FS.ReadFile(name + ".yaml")
	return data, "", err == nil
}

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
