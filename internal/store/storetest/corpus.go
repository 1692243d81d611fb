package storetest

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Document makes a document of one world with a passage for each text.
func Document(world, path, hash string, texts ...string) store.Document {
	d := store.Document{Path: path, Hash: hash}
	for i, t := range texts {
		d.Chunks = append(d.Chunks, protocol.Chunk{
			ID: path + "#" + string(rune('1'+i)), Source: schema.OriginCorpus, World: world, Path: path, Text: t, Hash: hash,
			Type: "note", CreatedAt: at, IndexedAt: at, Keywords: []string{"k"}, KnownBy: []string{"all"}, Requires: "trust > 3",
		})
		d.Vectors = append(d.Vectors, store.Vector{Chunk: i, Start: 0, End: len(t), Values: []float32{float32(i), 0.5, -1}})
	}
	return d
}

// Corpus runs the suite of a corpus.
func Corpus(t *testing.T, place Place[store.Corpus]) {
	open := func(t *testing.T) store.Corpus { return opened(t, place(t)) }
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
	t.Run("every field of a passage is kept", func(t *testing.T) {
		c := opened(t, place(t))
		d := Document("w", "a.txt", "1", "One ☾.")
		d.Chunks[0] = protocol.Chunk{
			ID: "a.txt#1", Source: schema.OriginCorpus, IndexedAt: day(9), CreatedAt: day(1), ValidFrom: day(2), ValidTo: day(3),
			World: "w", NPC: "mira",
			Path: "a.txt", Page: 4, Type: "letter", Text: d.Chunks[0].Text, Hash: "h", Author: "ansel", Speaker: "brom",
			At: day(4), Summary: "s",
			Keywords: []string{"k", "l"}, AllowedFor: []string{"mira"}, KnownBy: []string{"guards"}, Requires: "trust > 3",
			Belief: "rumour", Language: "en",
		}
		apply(t, c, "w", "m", []store.Document{d}, nil)
		wantDocuments(t, c, "w", "m", d)
	})
	t.Run("lasts", func(t *testing.T) { corpusLasts(t, place) })
}

func corpusLasts(t *testing.T, place Place[store.Corpus]) {
	ctx := context.Background()
	t.Run("over a restart", func(t *testing.T) {
		open := place(t)
		c := begun(t, open)
		d := Document("w", "a.txt", "1", "One.")
		apply(t, c, "w", "m", []store.Document{d, Document("w", "b.txt", "1", "Two.")}, nil)
		apply(t, c, "w", "m", nil, []string{"b.txt"})
		ended(t, c)
		wantDocuments(t, opened(t, open), "w", "m", d)
	})
	t.Run("under writers at once", func(t *testing.T) {
		c := opened(t, place(t))
		together(t, 6, func(w int) error {
			for i := range 5 {
				own := Document("w", fmt.Sprintf("own%d-%d.txt", w, i), "1", "One.", "Two.")
				shared := Document("w", "shared.txt", "1", "Three.")
				if err := c.Apply(ctx, "w", "m", []store.Document{own, shared},
					[]string{fmt.Sprintf("own%d-%d.txt", w, i-1)}); err != nil {
					return err
				}
			}
			return nil
		})
		want := map[string]string{"shared.txt": "1"}
		for w := range 6 {
			want[fmt.Sprintf("own%d-4.txt", w)] = "1"
		}
		wantHashes(t, c, "w", "m", want)
	})
	t.Run("under clients that index one world at once", func(t *testing.T) {
		open := place(t)
		var clients []store.Corpus
		for range 7 {
			clients = append(clients, opened(t, open))
		}
		var all []store.Document
		for i := range 12 {
			all = append(all, Document("w", fmt.Sprintf("%02d.txt", i), "1", "One.", "Two."))
		}
		together(t, len(clients), func(c int) error {
			for _, d := range all {
				if err := clients[c].Apply(ctx, "w", "m", []store.Document{d}, nil); err != nil {
					return err
				}
			}
			return nil
		})
		wantDocuments(t, clients[0], "w", "m", all...)
	})
	t.Run("in number", func(t *testing.T) {
		c, size := opened(t, place(t)), points()
		d := make([]store.Document, 0, size/10)
		want := map[string]string{}
		for i := range size / 10 {
			path := fmt.Sprintf("%05d.txt", i)
			d = append(d, Document("w", path, "1", "One.", "Two.", "Three.", "Four.", "Five.", "Six.", "Seven.", "Eight.",
				"Nine."))
			want[path] = "1"
		}
		apply(t, c, "w", "m", d, nil)
		wantHashes(t, c, "w", "m", want)
		wantDocuments(t, c, "w", "m", d...)
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
