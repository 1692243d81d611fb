package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/store/storetest"
)

func TestCorpus(t *testing.T) {
	storetest.Corpus(t, func(t *testing.T) func() (store.Corpus, error) {
		path := filepath.Join(t.TempDir(), "a b?c%d.db")
		return func() (store.Corpus, error) { return sqlite.OpenCorpus(context.Background(), path) }
	})
}

func corpus(t *testing.T, path string) *sqlite.Corpus {
	t.Helper()
	c, err := sqlite.OpenCorpus(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, c) })
	return c
}

func closed(t *testing.T, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// written makes a corpus file with documents in it and closes it.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	c, err := sqlite.OpenCorpus(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	var docs []store.Document
	for i := range 40 {
		docs = append(docs, storetest.Document("w", string(rune('a'+i))+".txt", "1", strings.Repeat("One. ", 50)))
	}
	if err := c.Apply(context.Background(), "w", "m", docs, nil); err != nil {
		t.Fatal(err)
	}
	closed(t, c)
	return path
}

func TestDamagedFileIsNamedWithTheMend(t *testing.T) {
	cases := []struct {
		name  string
		spoil func(data []byte) []byte
	}{
		{"not a database", func([]byte) []byte { return []byte(strings.Repeat("not a database. ", 300)) }},
		{"cut short", func(b []byte) []byte { return b[:len(b)/2] }},
		{"a page of noise", func(b []byte) []byte {
			for i := 4096; i < 8192; i++ {
				b[i] = 0xA5
			}
			return b
		}},
		{"one letter changed", func(b []byte) []byte {
			at := strings.LastIndex(string(b), "One.")
			b[at] = 'o'
			return b
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := written(t)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.spoil(data), 0o600); err != nil {
				t.Fatal(err)
			}
			checkRefused(t, path)
			mended, note, err := sqlite.MendCorpus(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer closed(t, mended)
			if !strings.Contains(note, path+".damaged") {
				t.Errorf("note = %q, want it to name where the damaged file went", note)
			}
			if kept, err := mended.Hashes(context.Background(), "w", "m"); err != nil || len(kept) != 0 {
				t.Errorf("hashes = %v, %v; want an empty corpus", kept, err)
			}
		})
	}
}

// checkRefused opens a damaged file and reads it: one of both says so in a line
// that names the file.
func checkRefused(t *testing.T, path string) {
	t.Helper()
	c, err := sqlite.OpenCorpus(context.Background(), path)
	if err == nil {
		_, err = c.Documents(context.Background(), "w", "m")
		closed(t, c)
	}
	if !errors.Is(err, store.ErrCorrupt) {
		t.Fatalf("err = %v, want %v", err, store.ErrCorrupt)
	}
	if s := err.Error(); !strings.Contains(s, path) || !strings.Contains(s, "move the file away") ||
		strings.Contains(s, "\n") {
		t.Errorf("err = %q, want one line with the file and the mend", s)
	}
}

func TestWholeFileIsNotMended(t *testing.T) {
	path := written(t)
	c, note, err := sqlite.MendCorpus(context.Background(), path)
	if err != nil || note != "" {
		t.Fatalf("note %q, err %v", note, err)
	}
	defer closed(t, c)
	if kept, err := c.Hashes(context.Background(), "w", "m"); err != nil || len(kept) != 40 {
		t.Errorf("%d documents, %v; want 40", len(kept), err)
	}
}

func TestFolderInPlaceOfAFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := sqlite.OpenCorpus(context.Background(), dir); err == nil ||
		!strings.Contains(err.Error(), "is a folder") {
		t.Errorf("err = %v", err)
	}
}

func TestTwoOpenCorporaShareAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	a, b := corpus(t, path), corpus(t, path)
	if err := a.Apply(context.Background(), "w", "m", []store.Document{storetest.Document("w", "a.txt", "1", "One.")},
		nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Apply(context.Background(), "w", "m", []store.Document{storetest.Document("w", "b.txt", "1", "Two.")},
		nil); err != nil {
		t.Fatal(err)
	}
	if kept, err := a.Hashes(context.Background(), "w", "m"); err != nil || len(kept) != 2 {
		t.Errorf("hashes = %v, %v; want both", kept, err)
	}
}
