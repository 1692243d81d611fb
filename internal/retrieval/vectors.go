package retrieval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// cut says when a file was indexed and into how many windows each of its passages
// was cut.
type cut struct {
	indexed time.Time
	windows []int32
}

// vectorsOf gives the vectors of all windows of a world, in the order of its files:
// from the file of them, where it is of these very texts and this embedding, and
// otherwise from the corpus, from which the file is then written anew. Without a
// folder for the file, and where it cannot be written, they lie in memory.
func vectorsOf(
	ctx context.Context, corpus store.Corpus, emb embed.Embedder, kind, of string, files []file, opts Options,
) (*embed.Rows, []cut, error) {
	path, key := opts.vectorsFile(kind, of), keyOf(of, emb.ID(), files)
	rows, cuts := opts.stored(path, key, files)
	if rows != nil {
		return rows, cuts, nil
	}
	docs, err := corpus.Documents(ctx, of, emb.ID())
	if err != nil {
		return nil, nil, err
	}
	if rows, cuts, err = rowsOf(docs, files, emb.Dim()); err != nil || path == "" {
		return rows, cuts, err
	}
	if err := embed.WriteRows(path, key, rows, encodeCuts(cuts)); err != nil {
		opts.notice("the vectors of world " + of + " stay in memory: " + err.Error())
		return rows, cuts, nil
	}
	if mapped, _ := opts.stored(path, key, files); mapped != nil {
		rows = mapped
	}
	return rows, cuts, nil
}

// stored opens the file of vectors; a damaged one is set aside.
func (o Options) stored(path string, key embed.Key, files []file) (*embed.Rows, []cut) {
	if path == "" {
		return nil, nil
	}
	rows, notes, err := embed.OpenRows(path, key)
	if err == nil && rows != nil {
		cuts, total := decodeCuts(notes, files)
		if cuts != nil && total == rows.Len() {
			return rows, cuts
		}
		err = fmt.Errorf("%s: %w: its passages are not those of its key", path, embed.ErrRows)
	}
	if errors.Is(err, embed.ErrRows) {
		err = errors.Join(err, os.Rename(path, path+".damaged"))
		o.notice(fmt.Sprintf("set aside as %s.damaged, built anew from the index: %s", path,
			strings.ReplaceAll(err.Error(), "\n", "; ")))
	}
	return nil, nil
}

// vectorsFile is where the vectors of a world lie; empty for in memory. Those of
// another embedding of the same kind take its place.
func (o Options) vectorsFile(kind, of string) string {
	if o.Vectors == "" {
		return ""
	}
	return filepath.Join(o.Vectors, url.PathEscape(of)+"."+kind)
}

func (o Options) notice(line string) {
	if o.Notice != nil {
		o.Notice(line)
	}
}

// keyOf names the texts, the way they are cut and the embedding.
func keyOf(of, model string, files []file) embed.Key {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", format, of, model)
	for _, f := range files {
		fmt.Fprintf(h, "%s %s\n", f.path, f.hash)
	}
	return embed.Key(h.Sum(nil))
}

// rowsOf lays the vectors of a corpus side by side.
func rowsOf(docs []store.Document, files []file, dim int) (*embed.Rows, []cut, error) {
	if len(docs) != len(files) {
		return nil, nil, fmt.Errorf("it holds %d files and the world has %d", len(docs), len(files))
	}
	windows := 0
	for i := range docs {
		windows += len(docs[i].Vectors)
	}
	rows, cuts := embed.NewRows(dim, windows), make([]cut, len(files))
	for i := range docs {
		d, f := &docs[i], &files[i]
		same := func(a, b protocol.Chunk) bool { return a.ID == b.ID }
		if d.Path != f.path || !slices.EqualFunc(d.Chunks, f.chunks, same) {
			return nil, nil, fmt.Errorf("%s: its passages are not those of the world", d.Path)
		}
		cuts[i].windows = make([]int32, len(d.Chunks))
		if len(d.Chunks) > 0 {
			cuts[i].indexed = d.Chunks[0].IndexedAt
		}
		last := 0
		for _, v := range d.Vectors {
			if v.Chunk < last || v.Chunk >= len(d.Chunks) {
				return nil, nil, fmt.Errorf("%s: a vector of chunk %d stands behind one of chunk %d", d.Path, v.Chunk, last)
			}
			last = v.Chunk
			cuts[i].windows[v.Chunk]++
			if err := rows.Add(v.Values); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", d.Path, err)
			}
		}
		d.Vectors = nil
	}
	return rows, cuts, nil
}

// encodeCuts lays cuts out as, for each file, its time and a number for each passage.
func encodeCuts(cuts []cut) []byte {
	var out []byte
	for _, c := range cuts {
		out = binary.AppendVarint(out, c.indexed.Unix())
		out = binary.AppendVarint(out, int64(c.indexed.Nanosecond()))
		for _, n := range c.windows {
			out = binary.AppendVarint(out, int64(n))
		}
	}
	return out
}

// decodeCuts also counts the windows; it gives none where the notes are of other files.
func decodeCuts(notes []byte, files []file) (cuts []cut, total int) {
	whole := true
	next := func() int64 {
		v, n := binary.Varint(notes)
		whole = whole && n > 0
		notes = notes[max(n, 0):]
		return v
	}
	cuts = make([]cut, len(files))
	for i := range files {
		cuts[i].indexed = time.Unix(next(), next()).UTC()
		cuts[i].windows = make([]int32, len(files[i].chunks))
		for k := range cuts[i].windows {
			cuts[i].windows[k] = int32(next()) //nolint:gosec // as it was written
			total += int(cuts[i].windows[k])
		}
	}
	if !whole || len(notes) > 0 {
		return nil, 0
	}
	return cuts, total
}
