package runner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func village(t *testing.T) *world.World {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "village")
	if err := os.CopyFS(dir, servicetest.Village()); err != nil {
		t.Fatal(err)
	}
	w, _, err := world.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// What is seen of a turn is what its reply does not tell: what the speaker was
// shown, the reviews of its drafts, the records of its sentences.
func TestARunSeesEachTurn(t *testing.T) {
	w := village(t)
	suite, err := eval.Parse("s.yaml", []byte(`world: village
cases:
  - {name: ferry, player_message: Who owns the ferry?, expect_evidence: [lore/ferry.txt], forbid_evidence: `+
		`["npcs/osric/home/**", lore/verdict.txt]}
  - {name: recap, player_message: What did I say about the rope?, expect_topic: frayed, history: [{player: The rope `+
		`is frayed., npc: Is it.}]}
  - {name: forbidden, player_message: Who owns the ferry?, forbid_evidence: [lore/ferry.txt]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if err := suite.Bind(w); err != nil {
		t.Fatal(err)
	}
	done := 0
	outcomes, err := Run(t.Context(), suite, w,
		Options{Index: filepath.Join(t.TempDir(), "index.db"), Jobs: 2, Done: func(*eval.Outcome) { done++ }})
	if err != nil {
		t.Fatal(err)
	}
	if done != 3 || !outcomes[0].Passed() || !outcomes[1].Passed() || outcomes[2].Passed() {
		for _, o := range outcomes {
			t.Errorf("%s: want %q, got %q", o.Case.Name, o.Want, o.Got)
		}
	}
	o := outcomes[0]
	if o.First <= 0 || o.Took < o.First || len(o.ThoughtReviews) == 0 {
		t.Errorf("first sentence after %v, reply after %v, %d reviews of thoughts", o.First, o.Took, len(o.ThoughtReviews))
	}
	if len(o.Prompts) == 0 || len(o.Reviews) == 0 || len(o.Records) != len(o.Reply.Sentences) || len(o.Foreign) != 0 {
		t.Errorf("shown %v, %d reviews, %d records, foreign %v", o.Prompts, len(o.Reviews), len(o.Records), o.Foreign)
	}
}

func TestEvidenceIsHeldAgainstTheFiles(t *testing.T) {
	f := newFiles(village(t))
	cite := func(path, text string) *schema.Reply {
		return &schema.Reply{Sentences: []schema.Sentence{
			{Evidence: []schema.EvidenceRef{{Path: path, Text: text, Source: schema.OriginCorpus}}}}}
	}
	for _, c := range []struct {
		path, text string
		foreign    bool
	}{
		{"lore/ferry.txt", "Teague owns\n  the ferry.", false},
		{"lore/ferry.txt", "Teague sold the ferry.", true},
		{"lore/none.txt", "Teague owns the ferry.", true},
		{"npcs/mira/npc.yaml#backstory", "She was born in Saltmere.", false},
	} {
		if got := f.foreign(cite(c.path, c.text)); (len(got) > 0) != c.foreign {
			t.Errorf("%s in %s: foreign %v", c.text, c.path, got)
		}
	}
}

func TestOldIndexesAreSweptAndUsedOnesKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	now := time.Now()
	w := &world.World{Version: "fresh"}
	path, err := IndexFile(w, now)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(filepath.Dir(path), "old.db")
	for _, name := range []string{path, old} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := IndexFile(w, now.Add(20*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := IndexFile(&world.World{Version: "other"}, now.Add(40*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the one that was used is gone: %v", err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the one that nobody used is still there")
	}
}

// Stories are kept apart from each other: by their players, and where something
// happened that concerns none, by a mesh made anew.
func TestStoriesAreToldApart(t *testing.T) {
	w := village(t)
	suite, err := eval.Parse("s.yaml", []byte(`world: village
cases:
- name: home/moves
  npc: mira
  player: p1
  player_name: Ansel
  steps:
  - {at: 1402-05-04T10:00:00Z, say: I live in Oakham.}
  - {restart: true}
  - {at: 1402-05-06T10:00:00Z, say: I live in Ferrytown.}
  - {scan: true}
  - {ask: Where do I live?, expect_topic: two stories}
  - {event: {text: Ansel gave Mira a sword., subject: "player:p1", predicate: gave, object: sword, player: p1, `+
		`witnesses: [mira, p1]}}
  - {ask: What did I give you?, expect_topic: sword}
  memories: [{predicate: lives_in, object: oakham, subject: "player:p1", player: p1}, {predicate: gave, object: `+
		`sword, source: system}]
- name: home/same-player-again
  npc: mira
  player: p1
  player_name: Ansel
  steps: [{ask: Where do I live?, expect_uncertain: true}]
  count: 0
- name: seen/by-mira
  npc: mira
  player: p1
  steps:
  - {event: {text: A green lantern floated by the ferry., subject: lantern, predicate: happened, object: floated by `+
		`the ferry, witnesses: [mira]}}
  - {ask: What floated by the ferry?, expect_topic: green lantern}
  - {ask: What floated by the ferry?, player: p2, expect_topic: green lantern}
- name: seen/by-nobody
  npc: mira
  player: p1
  steps:
  - {event: {text: A red lantern floated by the ferry., witnesses: []}}
  - {ask: What floated by the ferry?, reject: lantern}
  absent: [{object: lantern}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if err := suite.Bind(w); err != nil {
		t.Fatal(err)
	}
	outcomes, err := Run(t.Context(), suite, w, Options{Index: filepath.Join(t.TempDir(), "index.db"), Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if !o.Passed() {
			t.Errorf("%s: want %s\n got %s", o.Case.Name, o.Want, o.Got)
		}
	}
}
