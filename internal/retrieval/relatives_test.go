package retrieval_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// relatives is a world in which Ann has a brother and no sister, and others have both.
func relatives() map[string]string {
	out := map[string]string{
		"world.yaml": "name: relatives\nnow: 1402-05-03T18:00:00Z\n",
		"npcs/ann/npc.yaml": "handle: ann\nname: Ann Reed\npersonality: dry\n" +
			"backstory: Ann sweeps the hall. She never married. Her brother Tom keeps the bridge.\n",
		"npcs/bert/npc.yaml": "handle: bert\nname: Bert\nbackstory: Bert carries water.\npersonality: slow\n",
	}
	for path, body := range map[string]string{
		"lore/drowned.txt": "Davy Pike, the brother of Corrin Pike, drowned in the mere.",
		"lore/bridge.txt":  "Tom Reed mended the bridge after the flood.",
		"lore/wed.txt":     "The sister of Corrin Pike took a husband from the hills.",
		"lore/niece.txt":   "Ann Reed is the aunt of little Joan.",
	} {
		out[path] = body
		out[path+".meta.yaml"] = "created_at: 1400-01-01T00:00:00Z\nauthor: Clerk\ntype: note\nsummary: a note\n" +
			"keywords: [note]\n"
	}
	return out
}

// What is told of another's relatives is no answer to a question about one's own, however near it comes.
func TestOnesOwnRelatives(t *testing.T) {
	w := load(t, files(t, relatives()))
	x := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, w)
	for _, c := range []struct {
		message       string
		found, absent string
	}{
		{"How did your brother drown?", "Her brother Tom", "Davy Pike"},
		{"Did your brother mend the bridge?", "Tom Reed mended", "Davy Pike"},
		{"What is the name of your husband?", "never married", "took a husband"},
		{"Have you a niece?", "aunt of little Joan", "sister of Corrin"},
		{"Have you a sister in the hills?", "", "sister of Corrin"},
		{"Who is the brother of Corrin Pike?", "Davy Pike", ""},
	} {
		r, err := x.CitationQuery(context.Background(), retrieval.Query{NPC: w.NPCs["ann"], Message: c.message,
			Check: check(w, "ann", w.Now, world.Facts{}), TopK: 10})
		if err != nil {
			t.Fatal(err)
		}
		has := func(part string) bool {
			return slices.ContainsFunc(r.Sources, func(s protocol.Source) bool { return strings.Contains(s.Content, part) })
		}
		if c.found != "" && !has(c.found) {
			t.Errorf("%s: %q is not found among %d sources", c.message, c.found, len(r.Sources))
		}
		if c.absent != "" && has(c.absent) {
			t.Errorf("%s: %q is found, which tells of another's", c.message, c.absent)
		}
	}
}
