package retrieval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// While the server is away an NPC answers from what is kept, where that is all it may
// know; else the search fails in one line. It never finds nothing.
func TestServerThatIsAway(t *testing.T) {
	ctx, server := context.Background(), edgetest.Own(t)
	w, x, _ := shadowwatchOn(t, qdrant.Options{Addr: server.Addr, Attempts: 1, Timeout: time.Minute})
	const message = "what is the chronos firewall?"
	search := func(npc string) (Result, error) {
		n := w.NPCs[npc]
		return x.CitationQuery(ctx, Query{NPC: n, Message: message, Check: checkOf(w, n),
			Zones: Zones{Unknown: 0.3, Model: 0.6}})
	}
	there, err := search("zero") // whose sample is kept from now on
	if err != nil || len(there.Sources) == 0 {
		t.Fatalf("with the server: %+v, %v", there, err)
	}
	x.server.sample = 32
	if _, err := search("bob"); err != nil { // of whose a part is kept
		t.Fatal(err)
	}
	away := func(t *testing.T, kind error) {
		t.Helper()
		r, err := search("zero")
		if err != nil || len(r.Sources) == 0 || r.Sources[0].ChunkID != there.Sources[0].ChunkID {
			t.Errorf("all is kept: %+v, %v; want the first source as before", r.Sources, err)
		}
		for _, npc := range []string{"bob", "alice"} {
			r, err := search(npc)
			if !errors.Is(err, kind) || strings.Contains(fmt.Sprint(err), "\n") || len(r.Sources) > 0 {
				t.Errorf("%s, of whom not all is kept: %d sources, %v; want %v in one line", npc, len(r.Sources), err,
					kind)
			}
		}
	}
	t.Run("emptied", func(t *testing.T) {
		server.Empty(t, "corpus")
		away(t, store.ErrGone)
	})
	t.Run("killed", func(t *testing.T) {
		server.Kill(t)
		away(t, store.ErrUnavailable)
	})
}

// A search that begins before the encoder is ready, and ends after, finds what it would
// have found: what came without the encoder's vectors is not taken for nothing.
func TestTheEncoderComesInTheMiddleOfASearch(t *testing.T) {
	ctx := context.Background()
	w, x, static := shadowwatchOn(t, qdrant.Options{Addr: edgetest.Start(t).Addr,
		Prefix: fmt.Sprintf("middle%d_", time.Now().UnixNano())})
	npc := w.NPCs["zero"]
	asked := x.ask(Query{NPC: npc, Message: "what is the chronos firewall?", Check: checkOf(w, npc)}, nil, nil)
	x.meaning.Store(&meaning{encoder: static})
	y, err := x.gather(ctx, asked, npc)
	if err != nil || y.vectors.Len() == 0 {
		t.Errorf("%d vectors of candidates, %v", y.vectors.Len(), err)
	}
}

// shadowwatchOn indexes a sample world on a server.
func shadowwatchOn(t *testing.T, o qdrant.Options) (*world.World, *Index, *embed.Static) {
	t.Helper()
	w, _, err := world.LoadDir(filepath.Join("..", "..", "worlds", "shadowwatch"))
	if err != nil {
		t.Fatal(err)
	}
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	o.Dimension, o.Read = static.Dim(), Read
	corpus, err := qdrant.OpenCorpus(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = corpus.Close() })
	x, err := Open(t.Context(), corpus, static, w, Options{Now: time.Now, Words: static})
	if err != nil {
		t.Fatal(err)
	}
	return w, x, static
}
