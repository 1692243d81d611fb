package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
