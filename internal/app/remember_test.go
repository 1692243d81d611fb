package app_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// sitWith is a table where a scripted model says what is worth remembering.
func sitWith(t *testing.T, persona string) *table {
	t.Helper()
	scripted, err := llmtest.Start(llmtest.Options{Addr: "127.0.0.1:0", Persona: persona, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scripted.Close() })
	tb := &table{t: t, dir: t.TempDir()}
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: tb.dir, Meaning: app.MeaningOff,
		Notice: func(s string) { t.Log(s) },
		LLM:    llm.Config{Primary: llm.Provider{URL: scripted.URL(), Model: "scripted"}},
		Asking: model.Options{Memories: true}})
	if err != nil {
		t.Fatal(err)
	}
	tb.app, tb.stop = a, run(t, a)
	return tb
}

// Whatever a model makes up, under words that were said or under none, none of it is
// stored, as anybody's memory.
func TestNothingThatAModelInventsIsRemembered(t *testing.T) {
	tb := sitWith(t, "invent-detail")
	for _, said := range []string{"I come from Oakham.", "I like cider. Where is the ferry?",
		"I work at the ropewalk. It is cold today.", "I crossed the river on a raft. My brother is called Tom.",
		"I live in Ferrytown. Have you seen a wyvern?"} {
		tb.say("mira", "p1", "Ansel", said, dayOne)
	}
	n := tb.app.Remembered()
	if n.Calls != 5 || n.Failed != 0 || n.Proposed < 5*6 {
		t.Fatalf("the model was not asked, or did not lie: %+v", n)
	}
	if counted := tb.app.Metrics.Tally(); counted.Calls()["extract"].N != 5 {
		t.Errorf("the calls are not counted: %v", counted)
	}
	kept := 0
	for _, m := range tb.memories(store.MemoryFilter{}) {
		whole := strings.ToLower(m.Content + " " + m.Object + " " + m.Subject)
		if m.Status != schema.MemoryActive || m.Source == schema.OriginUser && strings.Contains(whole, llmtest.Invented) {
			t.Errorf("it is kept: %s %s: %s (%s %s)", m.ID, m.Status, m.Content, m.Pred, m.Object)
		}
		if m.Source == schema.OriginUser {
			kept++
		}
	}
	if kept < 4 {
		t.Errorf("only %d of what was said is kept", kept)
	}
}

// Where the model fails, the rules say what is worth remembering.
func TestWithoutAnAnswerTheRulesRemember(t *testing.T) {
	for _, fault := range []string{"empty", "prose", "500"} {
		t.Run(fault, func(t *testing.T) {
			tb := sitWith(t, fault)
			tb.say("mira", "p1", "Ansel", "I come from Oakham.", dayOne)
			if n := tb.app.Remembered(); n.Calls != 1 || n.Failed != 1 {
				t.Errorf("%+v", n)
			}
			if kept := tb.memories(store.MemoryFilter{NPC: "mira", Predicate: "from"}); len(kept) != 1 {
				t.Errorf("%+v", kept)
			}
		})
	}
}
