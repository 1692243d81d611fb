package retrieval_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// ownConfidence is how sure Ann is of an answer, where the trained judgement says one probability of each passage.
func ownConfidence(t *testing.T, message, ofBert string, says float64) float64 {
	t.Helper()
	ctx, all := context.Background(), guarded()
	all["npcs/bert/npc.yaml"] = "handle: bert\nname: Bert\nbackstory: " + ofBert + "\npersonality: slow\n"
	w := load(t, files(t, all))
	c := corpus(t, filepath.Join(t.TempDir(), "index.db"))
	x := open(t, c, &wordHash{}, w)
	judge := func(_ context.Context, _ string, blocks []string) ([]float64, error) {
		out := make([]float64, len(blocks))
		for i := range out {
			out[i] = says
		}
		return out, nil
	}
	options := retrieval.Options{Now: func() time.Time { return wall }}
	if _, err := x.Deepen(ctx, c, &deepHash{}, judge, options); err != nil {
		t.Fatal(err)
	}
	r, err := x.CitationQuery(ctx, retrieval.Query{NPC: w.NPCs["ann"], Message: message,
		Check: check(w, "ann", w.Now, world.Facts{})})
	if err != nil {
		t.Fatal(err)
	}
	return r.Retrieval.Confidence
}

// Who is asked of itself is not doubted because another's backstory comes nearer to the question. Asked about a
// third person or thing, it is.
func TestAnothersBackstoryIsNoDoubtOfOnesOwn(t *testing.T) {
	const near, far = "Bert has sixteen doves in the shed.", "Bert carries water."
	for message, doubted := range map[string]bool{
		"have you got any doves in the shed": false,
		"who has doves in the shed":          true,
	} {
		a, b := ownConfidence(t, message, near, 0.5), ownConfidence(t, message, far, 0.5)
		if a < b != doubted {
			t.Errorf("%s: confidence %.3f beside another's backstory about it, %.3f beside none; want doubt %t",
				message, a, b, doubted)
		}
	}
}

// The thing asked for need not be named where the trained judgement is sure that the passage answers.
func TestASureJudgementNeedsNoWord(t *testing.T) {
	const question = "When is your birthday?"
	unsure := ownConfidence(t, question, "Bert carries water.", 0.9)
	sure := ownConfidence(t, question, "Bert carries water.", 0.99)
	if unsure >= retrieval.UnknownBelow || sure < retrieval.UnknownBelow {
		t.Errorf("confidence %.2f where the judgement is not sure, %.2f where it is; the border is %.2f",
			unsure, sure, retrieval.UnknownBelow)
	}
}
