package retrieval_test

import (
	"context"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

var wall = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

// wordHash embeds a text as the bag of its stems: enough to tell texts apart
// where a test is not about meaning. It counts what it was asked.
type wordHash struct{ texts int }

func (*wordHash) Dim() int   { return 64 }
func (*wordHash) ID() string { return "word-hash" }

func (e *wordHash) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.texts += len(texts)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, 64)
		for _, w := range text.ContentWords(t) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w)) // a hash takes every write
			v[h.Sum32()%64] = 1
		}
		n := math.Sqrt(float64(embed.Dot(v, v)))
		for k := range v {
			v[k] /= float32(max(n, 1))
		}
		out[i] = v
	}
	return out, nil
}

// files lays a world out in a new folder.
func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range contents {
		write(t, dir, name, body)
	}
	return dir
}

func write(t *testing.T, dir, name, body string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, dir string) *world.World {
	t.Helper()
	w, problems, err := world.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if errs := world.Errors(problems); len(errs) > 0 {
		t.Fatalf("the test's own world is wrong: %v", errs)
	}
	return w
}

func corpus(t *testing.T, path string) store.Corpus {
	t.Helper()
	c, err := sqlite.OpenCorpus(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func open(t *testing.T, c store.Corpus, e embed.Embedder, w *world.World) *retrieval.Index {
	t.Helper()
	x, err := retrieval.Open(context.Background(), c, e, w, retrieval.Options{Now: func() time.Time { return wall }})
	if err != nil {
		t.Fatal(err)
	}
	return x
}
