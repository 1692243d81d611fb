// Package storetest is the one conformance suite that every store passes.
package storetest

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Place makes an empty place for one test and returns what opens a store in it.
// The suite opens a place again after it closed the store (a restart) and twice
// at once (two processes), and closes what it opened.
type Place[S interface{ Close() error }] func(t *testing.T) (open func() (S, error))

// LargeVar is the environment variable under which the suite runs at its full size of
// 100,000 points, or at the number that it gives; without it the same test runs on few:
//
//	FORSOOTH_TEST_LARGE=1 go test ./internal/store/sqlite -run Session/many -v
//	FORSOOTH_TEST_LARGE=1 go test ./internal/store/qdrant -run Session/many -v -timeout 60m
//
// On the engine behind a front in Python, which packs and unpacks each point by itself,
// the second took 20 minutes of two busy cores: 12 to write the points, 6½ to read all
// of them in pages of 10,000, 7 seconds for each search that is held against every
// vector. A real server is named by FORSOOTH_TEST_QDRANT.
const LargeVar = "FORSOOTH_TEST_LARGE"

// Large is the size that is asked for; 0: the usual one.
func Large() int {
	switch n, err := strconv.Atoi(os.Getenv(LargeVar)); {
	case os.Getenv(LargeVar) == "":
		return 0
	case err != nil || n < 2_000:
		return 100_000
	default:
		return n / 100 * 100 // each of twenty NPCs and fifty players has as many
	}
}

func points() int {
	if n := Large(); n > 0 {
		return n
	}
	return 2_000
}

var at = time.Date(1402, 5, 3, 18, 0, 0, 0, time.UTC)

// day is a game time, a number of days after the first.
func day(n int) time.Time { return at.AddDate(0, 0, n) }

// opened opens a store that is closed when the test ends.
func opened[S interface{ Close() error }](t *testing.T, open func() (S, error)) S {
	t.Helper()
	s := begun(t, open)
	t.Cleanup(func() { ended(t, s) })
	return s
}

// begun opens a store that the test itself closes.
func begun[S interface{ Close() error }](t *testing.T, open func() (S, error)) S {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ended(t *testing.T, s interface{ Close() error }) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Both is a corpus and a session of one place.
type Both struct {
	Corpus  store.Corpus
	Session store.Session
}

// Close closes both.
func (b Both) Close() error { return errors.Join(b.Corpus.Close(), b.Session.Close()) }

// Apart runs the suite of a corpus and a session that lie beside each other:
// nothing passes from the one to the other.
func Apart(t *testing.T, place Place[Both]) {
	ctx := context.Background()
	t.Run("each sees only its own", func(t *testing.T) {
		b := opened(t, place(t))
		d := Document("w", "a.txt", "1", "One.", "Two.")
		d.Vectors[0].Values, d.Vectors[1].Values = []float32{1, 0}, []float32{0, 1}
		must(t, b.Corpus.Apply(ctx, "w", "m1", []store.Document{d}, nil))
		put(t, b.Session, Point("a", []float32{1, 0}))
		wantIDs(t, b.Session, store.MemoryFilter{World: "w"}, "a")
		wantNearest(t, b.Session, store.MemoryFilter{World: "w"}, []float32{1, 0}, 9, ref{"a", 1})
		wantDocuments(t, b.Corpus, "w", "m1", d)
	})
	t.Run("emptying one leaves the other", func(t *testing.T) {
		b := opened(t, place(t))
		d := Document("w", "a.txt", "1", "One.")
		d.Vectors[0].Values = []float32{1, 0}
		must(t, b.Corpus.Apply(ctx, "w", "m1", []store.Document{d}, nil))
		put(t, b.Session, Point("a", []float32{1, 0}))
		if n, err := b.Session.Delete(ctx, store.MemoryFilter{World: "w"}); n != 1 || err != nil {
			t.Errorf("deleted %d, %v; want 1", n, err)
		}
		wantDocuments(t, b.Corpus, "w", "m1", d)
		put(t, b.Session, Point("a", []float32{1, 0}))
		apply(t, b.Corpus, "w", "m1", nil, []string{"a.txt"})
		wantIDs(t, b.Session, store.MemoryFilter{World: "w"}, "a")
	})
	t.Run("what belongs to one is refused by the other", func(t *testing.T) {
		b := opened(t, place(t))
		d := Document("w", "a.txt", "1", "One.")
		for _, source := range []schema.Origin{schema.OriginUser, schema.OriginSystem, schema.OriginModel} {
			d.Chunks[0].Source = source
			if err := b.Corpus.Apply(ctx, "w", "m1", []store.Document{d}, nil); !errors.Is(err, store.ErrProvenance) {
				t.Errorf("the corpus took source %q: %v", source, err)
			}
		}
		lore := Point("a", []float32{1, 0}, func(m *schema.Memory) { m.Source = schema.OriginCorpus })
		if err := b.Session.Put(ctx, []store.MemoryPoint{lore}); !errors.Is(err, store.ErrProvenance) {
			t.Errorf("the session took lore: %v", err)
		}
	})
}
