// Package store keeps two kinds of collection apart: the corpus, from which
// claims about the world are grounded, and the session, which holds what NPCs
// remember of what was said and done. They are two types with two clients on
// purpose: a text that a player or a model produced cannot be passed where
// corpus evidence is asked for. Both are indexes that can be built again, the
// corpus from the world's files and the session from the memory log; neither is
// the truth. It does not decide who may know what.
package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Errors that callers tell apart.
var (
	ErrCorrupt     = errors.New("is damaged")
	ErrProvenance  = errors.New("provenance")
	ErrNotFound    = errors.New("not found")
	ErrUnavailable = errors.New("cannot be reached") // now; it may be back
	ErrGone        = errors.New("is gone")           // what was opened; opened again it is made anew, empty
)

// Document is one file of a world as the corpus keeps it: its passages and the
// vectors of stretches of them.
type Document struct {
	Path    string
	Hash    string // of content and metadata; equal hashes are never embedded twice
	Chunks  []protocol.Chunk
	Vectors []Vector
}

// Vector is the embedding of a stretch of a passage.
type Vector struct {
	Chunk      int // index into Document.Chunks
	Start, End int // bytes of that chunk's text
	Values     []float32
}

// Corpus keeps the documents of worlds. A model is the name of the embedding
// that made the vectors: documents of another model are not seen.
type Corpus interface {
	// Hashes are the documents kept of a world, path to hash.
	Hashes(ctx context.Context, world, model string) (map[string]string, error)
	// Apply puts and removes documents in one transaction: whatever happens in
	// the middle, all of it stands afterwards or none.
	Apply(ctx context.Context, world, model string, put []Document, remove []string) error
	// Documents are all documents of a world in order of path.
	Documents(ctx context.Context, world, model string) ([]Document, error)
	Close() error
}

// CheckDocument says whether a document may enter the corpus.
func CheckDocument(world string, d Document) error {
	if d.Path == "" || d.Hash == "" {
		return fmt.Errorf("document %q of world %s: path and hash are both required", d.Path, world)
	}
	for _, c := range d.Chunks {
		switch {
		case c.Source != schema.OriginCorpus:
			return fmt.Errorf("%s: source is %q, the corpus takes only %q: %w", c.ID, c.Source, schema.OriginCorpus,
				ErrProvenance)
		case c.World != world:
			return fmt.Errorf("%s: belongs to world %q, not %q: %w", c.ID, c.World, world, ErrProvenance)
		case c.Path != d.Path:
			return fmt.Errorf("%s: its path %q is not its document's %q: %w", c.ID, c.Path, d.Path, ErrProvenance)
		}
	}
	for i, v := range d.Vectors {
		if v.Chunk < 0 || v.Chunk >= len(d.Chunks) || v.Start < 0 || v.End < v.Start || v.End > len(d.Chunks[v.Chunk].Text) {
			return fmt.Errorf("%s: vector %d lies outside its passage", d.Path, i)
		}
	}
	return nil
}
