package model_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var _ scan.Judge = (*model.Model)(nil)

// over is a model of one world that a scripted server answers.
func over(t *testing.T, persona string) *model.Model {
	t.Helper()
	server, err := llmtest.Start(llmtest.Options{Addr: "127.0.0.1:0", Persona: persona, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	models, err := llm.New(llm.Config{Primary: llm.Provider{URL: server.URL(), Model: "scripted"}}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world.World{Name: "village", NPCs: map[string]*world.NPC{"mira": {Handle: "mira", Name: "Mira"}}}
	m, err := model.New(models, []*world.World{w}, model.Options{Memories: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func memories(contents ...string) (out []schema.Memory) {
	for _, c := range contents {
		out = append(out, schema.Memory{World: "village", NPC: "mira", Player: "p1", Content: c})
	}
	return out
}

func TestAModelJudgesACluster(t *testing.T) {
	same, apart := []string{"Ansel told me that they live in Oakham.", "Ansel told me that they live in Oakham."},
		[]string{"Ansel told me that they live in Oakham.", "Ansel told me that the mill burned."}
	for _, c := range []struct {
		persona  string
		contents []string
		want     scan.Verdict
		fails    bool
	}{
		{"quote", same, scan.Equivalent, false},
		{"quote", apart, scan.Distinct, false},
		{"quote", nil, scan.Unclear, false},
		{"500", same, scan.Unclear, true},
		{"prose", same, scan.Unclear, true},
	} {
		verdict, why, err := over(t, c.persona).Judge(t.Context(), memories(c.contents...))
		if verdict != c.want || (err != nil) != c.fails || err == nil && len(c.contents) > 0 && why == "" {
			t.Errorf("%s on %q: %s %q %v, want %s", c.persona, c.contents, verdict, why, err, c.want)
		}
	}
}

func TestNobodyIsAskedForAWorldThatIsNotHere(t *testing.T) {
	m := over(t, "quote")
	if _, err := m.Memories(t.Context(),
		&schema.Reply{World: "elsewhere", NPC: "mira", Message: "I live in Oakham."}); err == nil {
		t.Error("it asks for a world that is not here")
	}
	if _, _, err := m.Judge(t.Context(), []schema.Memory{{World: "village", NPC: "nobody", Content: "a"}}); err == nil {
		t.Error("it asks for an NPC that is not there")
	}
	if (*model.Model)(nil).Remembers() || !m.Remembers() {
		t.Error("it says otherwise than its options")
	}
}
