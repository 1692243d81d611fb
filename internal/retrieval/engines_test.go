package retrieval_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// engine is a way of keeping a world and finding in it.
type engine struct {
	corpus store.Corpus
	server *edgetest.Server // nil in process
	prefix string
}

// What the engine in process never gives, Qdrant's never gives: one suite for both.
func TestEngines(t *testing.T) {
	w := load(t, files(t, guarded()))
	t.Run("in process", func(t *testing.T) {
		suite(t, &engine{corpus: corpus(t, filepath.Join(t.TempDir(), "index.db"))}, w)
	})
	t.Run("qdrant", func(t *testing.T) {
		e := onQdrant(t, edgetest.Start(t), 64)
		suite(t, e, w)
		t.Run("never gives a forged point", func(t *testing.T) { neverForged(t, e, w) })
	})
}

func suite(t *testing.T, e *engine, w *world.World) {
	t.Run("gives what the NPC may know", func(t *testing.T) { givesKnown(t, e, w) })
	t.Run("counts what it refuses", func(t *testing.T) { countsRefused(t, e, w) })
}

func onQdrant(t testing.TB, server *edgetest.Server, dimension int) *engine {
	t.Helper()
	prefix := fmt.Sprintf("conformance%d_", time.Now().UnixNano())
	c, err := qdrant.OpenCorpus(context.Background(), qdrant.Options{
		Addr: server.Addr, Prefix: prefix, Dimension: dimension, Read: retrieval.Read, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &engine{corpus: c, server: server, prefix: prefix}
}

// A world that let its texts go is not indexed, for that would empty the index.
func TestAForgottenWorldIsNotIndexed(t *testing.T) {
	w := load(t, files(t, guarded()))
	c, words := corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}
	x := open(t, c, words, w)
	w.Forget()
	if _, err := retrieval.Open(t.Context(), c, words, w, retrieval.Options{Now: time.Now}); err == nil {
		t.Error("it is indexed")
	}
	if kept, err := c.Hashes(t.Context(), w.Name, words.ID()); err != nil || len(kept) != x.Files() {
		t.Errorf("the index holds %d files, %v; want %d", len(kept), err, x.Files())
	}
}

func givesKnown(t *testing.T, e *engine, w *world.World) {
	x := open(t, e.corpus, &wordHash{}, w)
	for _, c := range whatMayBeKnown(w) {
		t.Run(c.name, func(t *testing.T) {
			wantKeys(t, cite(t, x, w, c.npc, "Where is the key?", c.at, c.facts), c.want)
		})
	}
}

func countsRefused(t *testing.T, e *engine, w *world.World) {
	x := open(t, e.corpus, &wordHash{}, w)
	wantRefused(t, cite(t, x, w, "bert", "Where is the key?", w.Now, world.Facts{}), map[string]int{
		grounding.RejectScope: 6, grounding.RejectNotYetValid: 1, grounding.RejectNoLonger: 1,
		grounding.RejectRequires: 1,
	})
	early := cite(t, x, w, "bert", "Where is the key?", w.Now.AddDate(-10, 0, 0), world.Facts{})
	wantKeys(t, early, nil)
	wantRefused(t, early, map[string]int{grounding.RejectScope: 6, grounding.RejectFuture: 5,
		grounding.RejectRequires: 1})
}

// neverForged writes points as somebody who has the server's key might write them beside
// what forsooth wrote: each is a copy of a passage that Bert may know, spoiled.
func neverForged(t *testing.T, e *engine, w *world.World) {
	const told = "The gate key hangs in the hall of Zorn."
	cases := []struct {
		name    string
		payload map[string]any // nil value: the field is missing
		chunk   func(*protocol.Chunk)
		reason  string // under which it is counted; "": it is not of this world's corpus at all
	}{
		{"without a source", map[string]any{"source": nil}, nil, grounding.RejectSource},
		{"said by a player", map[string]any{"source": "user"}, nil, grounding.RejectSource},
		{"that claims the corpus and is a player's", nil, func(c *protocol.Chunk) { c.Source = schema.OriginUser },
			grounding.RejectSource},
		{"of another world", map[string]any{"world": "other"}, nil, ""},
		{"that claims the world and is of another", nil, func(c *protocol.Chunk) { c.World = "other" },
			grounding.RejectWorld},
		{"of the future", map[string]any{"created_at": "1500-01-01T00:00:00Z"}, nil, grounding.RejectFuture},
		{"without a time", map[string]any{"created_at": nil}, nil, grounding.RejectNoCreatedAt},
		{"that was never indexed", map[string]any{"indexed_at": nil}, nil, grounding.RejectNoIndexedAt},
		{"indexed after the turn", map[string]any{"indexed_at": "2100-01-01T00:00:00Z"}, nil,
			grounding.RejectIndexedLater},
		{"out of scope", map[string]any{"npc": "ann"}, nil, grounding.RejectScope},
		{"for others", map[string]any{"known_by": []any{"faction:guild"}}, nil, grounding.RejectScope},
		{"that claims to be for all and is for others", nil,
			func(c *protocol.Chunk) { c.KnownBy = []string{"faction:guild"} }, grounding.RejectScope},
		{"under a condition", map[string]any{"requires": "flags.never"}, nil, grounding.RejectRequires},
		{"under a condition that nobody can read", map[string]any{"requires": "(("}, nil, grounding.RejectRequires},
		{"that is over", map[string]any{"valid_to": "1401-01-01T00:00:00Z"}, nil, grounding.RejectNoLonger},
		{"that no manifest names", map[string]any{"write": "forged"}, nil, ""},
		{"that a model made", map[string]any{"signature": "generated_marker"}, nil, grounding.RejectGenerated},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			x := open(t, e.corpus, &wordHash{}, w)
			before := cite(t, x, w, "bert", "Where is the gate key of Zorn?", w.Now, world.Facts{})
			defer e.forge(t, "lore/all.txt", told, c.payload, c.chunk)()
			x = open(t, e.corpus, &wordHash{}, w)
			r := cite(t, x, w, "bert", "Where is the gate key of Zorn?", w.Now, world.Facts{})
			for _, s := range r.Sources {
				if s.Content == told {
					t.Errorf("it is given: %+v", s)
				}
			}
			if c.reason != "" && refusedFor(r, c.reason) != refusedFor(before, c.reason)+1 {
				t.Errorf("refused: %v, before %v; want one more for %s", r.Retrieval.Rejected,
					before.Retrieval.Rejected, c.reason)
			}
			if c.reason == "" && fmt.Sprint(r.Retrieval.Rejected) != fmt.Sprint(before.Retrieval.Rejected) {
				t.Errorf("refused: %v, before %v", r.Retrieval.Rejected, before.Retrieval.Rejected)
			}
		})
	}
}
