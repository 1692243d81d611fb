package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// format is part of every document's hash: another way of cutting windows makes
// another index.
const format = "1"

// batchDocuments are stored in one transaction while a world is indexed: what a
// kill costs is at most one batch.
const batchDocuments = 64

// file is a file of the world as its passages.
type file struct {
	path   string
	hash   string
	chunks []protocol.Chunk
}

// filesOf groups a world's passages by file, in order of path.
func filesOf(w *world.World) []file {
	byPath := map[string]*file{}
	for _, c := range w.Chunks() {
		f := byPath[c.Path]
		if f == nil {
			f = &file{path: c.Path}
			byPath[c.Path] = f
		}
		f.chunks = append(f.chunks, c)
	}
	out := make([]file, 0, len(byPath))
	for _, f := range byPath {
		var b strings.Builder
		b.WriteString(format)
		for _, c := range f.chunks {
			b.WriteByte('\n')
			b.WriteString(c.ID + " " + c.Hash)
		}
		f.hash = protocol.HashText(b.String())
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return out
}

// Stored says whether a corpus holds the vectors of another embedding for the world
// as it stands in the index.
func (x *Index) Stored(ctx context.Context, corpus store.Corpus, emb embed.Embedder) (bool, error) {
	kept, err := corpus.Hashes(ctx, x.world.Name, emb.ID())
	if err != nil {
		return false, fmt.Errorf("read the index of world %s: %w", x.world.Name, err)
	}
	return !slices.ContainsFunc(x.files, func(f file) bool { return kept[f.path] != f.hash }), nil
}

// refresh brings the corpus up to the world: changed files are embedded, files
// that are gone are removed, the rest is left alone. It says how many files were
// embedded.
func refresh(
	ctx context.Context, corpus store.Corpus, emb embed.Embedder, of string, files []file, opts Options,
) (int, error) {
	kept, err := corpus.Hashes(ctx, of, emb.ID())
	if err != nil {
		return 0, err
	}
	var changed []file
	for _, f := range files {
		if kept[f.path] != f.hash {
			changed = append(changed, f)
		}
		delete(kept, f.path)
	}
	if slices.ContainsFunc(changed, func(f file) bool { return f.chunks == nil }) {
		const mend = "the texts are no longer in memory; start again: it is filled anew"
		return 0, fmt.Errorf("what it held %w: %s", store.ErrGone, mend)
	}
	var gone []string
	for path := range kept {
		gone = append(gone, path)
	}
	if len(gone) > 0 {
		if err := corpus.Apply(ctx, of, emb.ID(), nil, gone); err != nil {
			return 0, err
		}
	}
	done := 0
	for batch := range slices.Chunk(changed, batchDocuments) {
		docs, err := embedFiles(ctx, emb, batch, opts)
		if err != nil {
			return done, err
		}
		if err := corpus.Apply(ctx, of, emb.ID(), docs, nil); err != nil {
			return done, err
		}
		done += len(batch)
		if opts.Progress != nil {
			opts.Progress(done, len(changed))
		}
	}
	return done, nil
}

// embedFiles embeds the windows of some files in one call.
func embedFiles(ctx context.Context, emb embed.Embedder, files []file, opts Options) ([]store.Document, error) {
	var texts []string
	var docs []store.Document
	var texted []int           // by window: its text
	places := map[string]int{} // a sentence that stands twice is embedded once
	now := opts.Now()
	for _, f := range files {
		d := store.Document{Path: f.path, Hash: f.hash, Chunks: f.chunks}
		for i := range d.Chunks {
			d.Chunks[i].IndexedAt = now
			for _, span := range windows(d.Chunks[i].Text) {
				d.Vectors = append(d.Vectors, store.Vector{Chunk: i, Start: span.Start, End: span.End})
				body := d.Chunks[i].Text[span.Start:span.End]
				at, ok := places[body]
				if !ok {
					at = len(texts)
					places[body], texts = at, append(texts, body)
				}
				texted = append(texted, at)
			}
		}
		docs = append(docs, d)
	}
	vectors, err := emb.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed %s and %d more: %w", files[0].path, len(files)-1, err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embed: %d vectors for %d texts", len(vectors), len(texts))
	}
	next := 0
	for _, d := range docs {
		for i := range d.Vectors {
			d.Vectors[i].Values = vectors[texted[next]]
			next++
		}
	}
	return docs, nil
}

// windows are the stretches of a passage that are embedded: the whole of it and,
// where it has several sentences, each of them. Metadata is never among them.
func windows(passage string) []text.Span {
	out := []text.Span{{Start: 0, End: len(passage)}}
	if spans := text.SentenceSpans(passage); len(spans) > 1 {
		out = append(out, spans...)
	}
	return out
}
