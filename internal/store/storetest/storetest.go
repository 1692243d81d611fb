// Package storetest is the one conformance suite that every store passes.
package storetest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var at = time.Date(1402, 5, 3, 18, 0, 0, 0, time.UTC)

// Document makes a document of one world with a passage for each text.
func Document(world, path, hash string, texts ...string) store.Document {
	d := store.Document{Path: path, Hash: hash}
	for i, t := range texts {
		d.Chunks = append(d.Chunks, schema.Chunk{
			ID: path + "#" + string(rune('1'+i)), Source: schema.OriginCorpus, World: world, Path: path, Text: t, Hash: hash,
			Type: "note", CreatedAt: at, IndexedAt: at, Keywords: []string{"k"}, KnownBy: []string{"all"}, Requires: "trust > 3",
		})
		d.Vectors = append(d.Vectors, store.Vector{Chunk: i, Start: 0, End: len(t), Values: []float32{float32(i), 0.5, -1}})
	}
	return d
}

// Corpus runs the suite of a corpus; open makes an empty one for each test.
func Corpus(t *testing.T, open func(t *testing.T) store.Corpus) {
	ctx := context.Background()
	t.Run("a new corpus is empty", func(t *testing.T) {
		c := open(t)
		wantHashes(t, c, "w", "m", map[string]string{})
		wantDocuments(t, c, "w", "m")
	})
	t.Run("what is put comes back as it was, in order of path", func(t *testing.T) {
		c := open(t)
		b, a := Document("w", "b.txt", "1", "One.", "Two."), Document("w", "a.txt", "2", "Three.")
		apply(t, c, "w", "m", []store.Document{b, a}, nil)
		wantDocuments(t, c, "w", "m", a, b)
		wantHashes(t, c, "w", "m", map[string]string{"a.txt": "2", "b.txt": "1"})
	})
	t.Run("a document put again replaces the first", func(t *testing.T) {
		c := open(t)
		apply(t, c, "w", "m", []store.Document{Document("w", "a.txt", "1", "One.", "Two.")}, nil)
		again := Document("w", "a.txt", "2", "Three.")
		apply(t, c, "w", "m", []store.Document{again}, nil)
		wantDocuments(t, c, "w", "m", again)
	})
	t.Run("a removed document is gone; removing it again is no error", func(t *testing.T) {
		c := open(t)
		apply(t, c, "w", "m", []store.Document{Document("w", "a.txt", "1", "One.")}, nil)
		apply(t, c, "w", "m", nil, []string{"a.txt"})
		apply(t, c, "w", "m", nil, []string{"a.txt"})
		wantDocuments(t, c, "w", "m")
	})
	t.Run("worlds and models do not see each other", func(t *testing.T) {
		c := open(t)
		one, two := Document("w1", "a.txt", "1", "One."), Document("w2", "a.txt", "2", "Two.")
		apply(t, c, "w1", "m1", []store.Document{one}, nil)
		apply(t, c, "w2", "m1", []store.Document{two}, nil)
		apply(t, c, "w1", "m2", []store.Document{one}, nil)
		apply(t, c, "w1", "m2", nil, []string{"a.txt"})
		wantDocuments(t, c, "w1", "m1", one)
		wantDocuments(t, c, "w2", "m1", two)
		wantDocuments(t, c, "w1", "m2")
	})
	t.Run("a batch with one refused document changes nothing", func(t *testing.T) {
		for name, spoil := range map[string]func(*store.Document){
			"said by a player":   func(d *store.Document) { d.Chunks[0].Source = schema.OriginUser },
			"said by a model":    func(d *store.Document) { d.Chunks[0].Source = schema.OriginModel },
			"of no origin":       func(d *store.Document) { d.Chunks[0].Source = "" },
			"of another world":   func(d *store.Document) { d.Chunks[0].World = "x" },
			"of another file":    func(d *store.Document) { d.Chunks[0].Path = "x" },
			"a vector of no one": func(d *store.Document) { d.Vectors[0].Chunk = 9 },
			"a vector too long":  func(d *store.Document) { d.Vectors[0].End = 99 },
			"without a hash":     func(d *store.Document) { d.Hash = "" },
		} {
			t.Run(name, func(t *testing.T) {
				c := open(t)
				kept := Document("w", "a.txt", "1", "One.")
				apply(t, c, "w", "m", []store.Document{kept}, nil)
				bad := Document("w", "b.txt", "1", "Two.")
				spoil(&bad)
				err := c.Apply(ctx, "w", "m", []store.Document{Document("w", "c.txt", "1", "Three."), bad}, []string{"a.txt"})
				if err == nil {
					t.Fatal("the batch was taken")
				}
				wantDocuments(t, c, "w", "m", kept)
			})
		}
	})
	t.Run("a context that has ended changes nothing", func(t *testing.T) {
		c := open(t)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := c.Apply(ended, "w", "m", []store.Document{Document("w", "a.txt", "1", "One.")}, nil); err == nil {
			t.Fatal("the batch was taken")
		}
		wantDocuments(t, c, "w", "m")
	})
}

func apply(t *testing.T, c store.Corpus, world, model string, put []store.Document, remove []string) {
	t.Helper()
	if err := c.Apply(context.Background(), world, model, put, remove); err != nil {
		t.Fatal(err)
	}
}

func wantHashes(t *testing.T, c store.Corpus, world, model string, want map[string]string) {
	t.Helper()
	got, err := c.Hashes(context.Background(), world, model)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("hashes = %v, %v; want %v", got, err, want)
	}
}

func wantDocuments(t *testing.T, c store.Corpus, world, model string, want ...store.Document) {
	t.Helper()
	got, err := c.Documents(context.Background(), world, model)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d documents, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("document %d = %+v, want %+v", i, got[i], want[i])
		}
	}
}

// Session runs the suite of a session; open makes an empty one for each test.
func Session(t *testing.T, open func(t *testing.T) store.Session) {
	ctx := context.Background()
	remark := func(id, player string, minute int) store.Remark {
		return store.Remark{ID: id, World: "w", NPC: "n", Player: player, TurnID: "t", Text: "I come from " + id,
			Source: schema.OriginUser, At: at.Add(time.Duration(minute) * time.Minute), Vector: []float32{1, 0}}
	}
	of := func(t *testing.T, s store.Session, player string) []store.Remark {
		t.Helper()
		got, err := s.Remarks(ctx, schema.ConversationID{World: "w", NPC: "n", Player: player})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	t.Run("remarks come back oldest first, each conversation its own", func(t *testing.T) {
		s := open(t)
		late, early, other := remark("b", "p", 2), remark("a", "p", 1), remark("c", "q", 0)
		if err := s.Put(ctx, []store.Remark{late, early, other}); err != nil {
			t.Fatal(err)
		}
		if got, want := of(t, s, "p"), []store.Remark{early, late}; !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("a remark put again stands once", func(t *testing.T) {
		s := open(t)
		r := remark("a", "p", 1)
		for range 2 {
			if err := s.Put(ctx, []store.Remark{r}); err != nil {
				t.Fatal(err)
			}
		}
		if got := of(t, s, "p"); len(got) != 1 {
			t.Errorf("%d remarks, want 1", len(got))
		}
	})
	t.Run("only what was heard is kept", func(t *testing.T) {
		s := open(t)
		for _, source := range []schema.Origin{schema.OriginCorpus, schema.OriginModel, ""} {
			r := remark("a", "p", 1)
			r.Source = source
			if err := s.Put(ctx, []store.Remark{remark("b", "p", 1), r}); !errors.Is(err, store.ErrProvenance) {
				t.Errorf("source %q: err = %v, want one of provenance", source, err)
			}
		}
		if got := of(t, s, "p"); len(got) != 0 {
			t.Errorf("%d remarks were kept", len(got))
		}
	})
	t.Run("erasing a player leaves the others", func(t *testing.T) {
		s := open(t)
		if err := s.Put(ctx, []store.Remark{remark("a", "p", 1), remark("b", "p", 2), remark("c", "q", 1)}); err != nil {
			t.Fatal(err)
		}
		n, err := s.Erase(ctx, "w", "p")
		if err != nil || n != 2 {
			t.Errorf("erased %d, %v; want 2", n, err)
		}
		if len(of(t, s, "p")) != 0 || len(of(t, s, "q")) != 1 {
			t.Error("the wrong remarks are gone")
		}
	})
}
