package retrieval_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// The trained judgement reads whole questions; what is filed under the very words
// asked for is found by them.
func TestWhatTheTrainedJudgementIsAsked(t *testing.T) {
	ctx := context.Background()
	all := guarded()
	all["npcs/ann/home/pyper.txt"] = "Pyper lost the hall key in the reeds."
	all["npcs/ann/home/pyper.txt.meta.yaml"] = "created_at: 1400-01-01T00:00:00Z\nauthor: Ann\ntype: note\nsummary: " +
		"Pyper\nkeywords: [pyper]\n"
	w := load(t, files(t, all))
	c := corpus(t, filepath.Join(t.TempDir(), "index.db"))
	x := open(t, c, &wordHash{}, w)
	asked, says := 0, 0.0
	judge := func(_ context.Context, _ string, blocks []string) ([]float64, error) {
		asked++
		out := make([]float64, len(blocks))
		for i := range out {
			out[i] = says
		}
		return out, nil
	}
	if _, err := x.Deepen(ctx, c, &deepHash{}, judge,
		retrieval.Options{Now: func() time.Time { return wall }}); err != nil {
		t.Fatal(err)
	}
	ask := func(message string) float64 {
		t.Helper()
		asked = 0
		r, err := x.CitationQuery(ctx,
			retrieval.Query{NPC: w.NPCs["ann"], Message: message, Check: check(w, "ann", w.Now, world.Facts{})})
		if err != nil {
			t.Fatal(err)
		}
		return r.Retrieval.Confidence
	}
	for message, want := range map[string]bool{
		"Who is Pyper?":                 false,
		"Tell me about Pyper.":          false,
		"pyper":                         false,
		"why did pyper lose that thing": true,
	} {
		if ask(message); (asked > 0) != want {
			t.Errorf("%s: the judgement was asked %d times", message, asked)
		}
	}
	question := "why did pyper lose that thing"
	says = 0.01
	no := ask(question)
	says = 0.99
	if yes := ask(question); no >= retrieval.UnknownBelow || yes < retrieval.UnknownBelow {
		t.Errorf("confidence %.2f where nothing answers, %.2f where something does; the border is %.2f", no, yes,
			retrieval.UnknownBelow)
	}
}
