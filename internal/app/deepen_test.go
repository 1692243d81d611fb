package app_test

import (
	"context"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A question has one answer at any age of a process: a start whose worlds are embedded
// searches them by meaning from its first turn on. Only while a world is embedded for the
// first time do static vectors answer, and the turn says so.
func TestTheFirstTurnIsSearchedAsTheLast(t *testing.T) {
	dir := t.TempDir()
	first := searched(t, dir, func(ctx context.Context, a *app.App) bool { return deep(ctx, a) })
	if last := first[len(first)-1]; last.Static || first[0].Confidence == 0 {
		t.Fatalf("it is never searched by meaning: %+v", last)
	}
	again := searched(t, dir, func(context.Context, *app.App) bool { return true })
	if got, want := again[0], first[len(first)-1]; got.Static || got.Confidence != want.Confidence {
		t.Errorf("the first turn of the second start has %+v, the last of the first %+v", got, want)
	}
}

// searched asks one question as long as it takes, and gives what was found each time.
func searched(t *testing.T, dir string, done func(context.Context, *app.App) bool) []protocol.Retrieval {
	t.Helper()
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: dir, Meaning: app.MeaningLater})
	if err != nil {
		t.Fatal(err)
	}
	stop := run(t, a)
	defer stop()
	var out []protocol.Retrieval
	for limit := time.Now().Add(time.Minute); ; {
		if time.Now().After(limit) {
			t.Fatal("the world is not embedded in a minute")
		}
		settled := done(t.Context(), a)
		x := a.Library.Get("village")
		r, err := x.Index.CitationQuery(t.Context(), question(x))
		if err != nil {
			t.Fatal(err)
		}
		if out = append(out, r.Retrieval); settled {
			return out
		}
	}
}

func question(x *lore.Lore) retrieval.Query {
	npc := x.World.NPCs["mira"]
	turn := &protocol.Turn{Request: schema.Request{TurnID: "t1", World: "village", NPC: "mira", Player: "p1"},
		AcceptedAt: time.Now()}
	return retrieval.Query{NPC: npc, Message: "Who owns the ferry?", Check: x.ProvenanceCheck(turn, npc),
		Facts: lore.Facts(turn)}
}

func deep(_ context.Context, a *app.App) bool { return a.Library.Get("village").Index.Deep() }
