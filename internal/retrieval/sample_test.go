package retrieval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// asked finds the questions of a suite.
var asked = regexp.MustCompile(`(?m)^    npc: (\w+)\n    player_message: "(.+)"$`)

// With a sample much smaller than what an NPC may know, the server's engine finds what
// the index in process finds, and is as sure of it.
func TestASampleOfTheScopeIsEnough(t *testing.T) {
	ctx := context.Background()
	w, _, err := world.LoadDir(filepath.Join("..", "..", "worlds", "shadowwatch"))
	if err != nil {
		t.Fatal(err)
	}
	suite, err := os.ReadFile(filepath.Join("..", "..", "evals", "paper.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	here, err := sqlite.OpenCorpus(ctx, filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = here.Close() }()
	there, err := qdrant.OpenCorpus(ctx, qdrant.Options{
		Addr: edgetest.Start(t).Addr, Prefix: fmt.Sprintf("sample%d_", time.Now().UnixNano()),
		Dimension: static.Dim(), Read: Read, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = there.Close() }()
	var both [2]*Index
	for i, corpus := range []store.Corpus{here, there} {
		if both[i], err = Open(ctx, corpus, static, w, Options{Now: time.Now, Words: static}); err != nil {
			t.Fatal(err)
		}
	}
	both[1].server.sample = 32
	n, first, zone := 0, 0, 0
	for _, m := range asked.FindAllStringSubmatch(string(suite), -1) {
		npc := w.NPCs[m[1]]
		var r [2]Result
		for i, x := range both {
			if r[i], err = x.CitationQuery(ctx, Query{NPC: npc, Message: m[2], Check: checkOf(w, npc),
				Zones: Zones{Unknown: 0.3, Model: 0.6}}); err != nil {
				t.Fatal(err)
			}
		}
		n++
		zone += int(bit(r[0].Retrieval.Zone == r[1].Retrieval.Zone))
		same := len(r[0].Sources) > 0 && len(r[1].Sources) > 0 && r[0].Sources[0].ChunkID == r[1].Sources[0].ChunkID
		first += int(bit(same))
		if !same || r[0].Retrieval.Zone != r[1].Retrieval.Zone {
			t.Logf("%s, %q: %.3f in process, %.3f on the server", m[1], m[2], r[0].Retrieval.Confidence,
				r[1].Retrieval.Confidence)
		}
	}
	t.Logf("%d questions: the same first source for %d, the same zone for %d", n, first, zone)
	if n == 0 || zone*100 < n*97 || first*100 < n*97 {
		t.Errorf("of %d questions %d have the same zone and %d the same first source", n, zone, first)
	}
}

func checkOf(w *world.World, npc *world.NPC) grounding.Check {
	return grounding.Check{
		World: w.Name, TurnStart: time.Now().Add(time.Hour), GameTime: w.Now,
		InScope: func(c protocol.Chunk) bool { return world.ScopeOf(c, npc) }, Holds: func(string) bool { return false },
	}
}
