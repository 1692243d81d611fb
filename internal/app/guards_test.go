package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func preset(t *testing.T, name string) *guards.Settings {
	t.Helper()
	s, err := guards.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// Guard 1 off is no memory at all: there is no way to store what nothing grounds.
func TestWithoutGuardOneNothingIsRemembered(t *testing.T) {
	tb := sit(t, func(s *guards.Settings) { s.Grounding.Enabled = false })
	tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
	if err := tb.app.Client.Witness(t.Context(),
		&schema.Occurrence{ID: "ev1", World: "village", GameTime: dayOne, Text: "Ansel gave Mira a sword.", Player: "p1",
			Witnesses: []string{"mira"}}); err != nil {
		t.Fatal(err)
	}
	tb.settle()
	tb.guards.Grounding.Enabled = true
	tb.restart() // nor is it remembered once the guard is on again
	tb.settle()
	if kept := tb.memories(store.MemoryFilter{}); len(kept) > 0 {
		t.Errorf("remembered %+v", kept)
	}
	end, err := tb.app.Conn.MemoryLog().End(t.Context())
	if err != nil || end != 0 {
		t.Errorf("the log has %d entries, %v", end, err)
	}
}

// In step, what a player has said can be recalled as soon as the turn is applied,
// whether the memory service runs in the finisher's process or in another.
func TestMemoriesInStepAreThereBeforeTheNextTurn(t *testing.T) {
	inStep := guards.Default()
	inStep.Grounding.Mode = guards.ModeSync
	without := slices.DeleteFunc(slices.Clone(app.Services),
		func(s string) bool { return s == "memory" || s == "consistency" })
	for name, c := range map[string][2][]string{"one process": {nil, nil}, "two processes": {without, {"memory"}}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := app.Options{Worlds: []*world.World{village(t)}, Data: dir, Meaning: app.MeaningOff, Guards: &inStep,
				Services: c[0]}
			a, err := app.Start(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if c[1] != nil { // started later and so stopped first
				defer apart(t, a, o, c[1])()
			}
			run(t, a)
			for i := range 12 {
				place := fmt.Sprintf("Oakham%c", 'a'+i)
				turn := fmt.Sprintf("t%d", i)
				ask(t, a, turn, "I come from "+place+".")
				points, err := a.Session().Scroll(t.Context(),
					store.MemoryFilter{World: "village", NPC: "mira", Player: "p1", TurnID: turn,
						Statuses: []schema.MemoryStatus{schema.MemoryActive}}, "", 0)
				if err != nil || len(points) == 0 {
					t.Fatalf("turn %d is applied, and %d memories of it are there, %v", i, len(points), err)
				}
			}
		})
	}
}

// apart runs services in what stands for another process.
func apart(t *testing.T, a *app.App, o app.Options, services []string) (stop func()) {
	t.Helper()
	o.NATS, o.Services = a.Server.URL(), services
	other, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return run(t, other)
}

// Streaming that a world asks for and a policy that holds replies exclude each
// other; the error names both.
func TestStreamingBesideAPolicyThatHoldsIsRefused(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		world, npc *bool
		preset     string
		where      string // of the refusal; "": it starts
	}{
		"a world": {world: &yes, preset: "compliance",
			where: "world.yaml: streaming is true, but guards.faithfulness.on_hallucination is block"},
		"an NPC":                  {npc: &yes, preset: "compliance", where: "npcs/mira/npc.yaml: streaming is true"},
		"a world that holds":      {world: &no, preset: "compliance"},
		"nobody":                  {preset: "compliance"},
		"a world, without policy": {world: &yes},
	} {
		t.Run(name, func(t *testing.T) {
			w := village(t)
			w.Streaming, w.NPCs["mira"].Streaming = c.world, c.npc
			a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{w}, Data: t.TempDir(), Meaning: app.MeaningOff,
				Guards: preset(t, c.preset)})
			if a != nil {
				defer a.Close()
			}
			if c.where == "" && err != nil || c.where != "" &&
				(err == nil || !strings.Contains(err.Error(), c.where) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("err = %v, want %q", err, c.where)
			}
		})
	}
}

// Through the whole mesh, with a model that invents: under block the player reads the
// unknown line and nothing before it; under warn the same words as without the guard.
// Record, event, reply and trace tell what the guard did.
func TestGuardThreeOnTheMesh(t *testing.T) {
	warned := preset(t, "")
	warned.Faithfulness.Enabled = true
	said := map[string]string{}
	for name, settings := range map[string]*guards.Settings{"off": nil, "warn": warned, "block": preset(t, "compliance")} {
		t.Run(name, func(t *testing.T) {
			model, err := llmtest.Start(llmtest.Options{Persona: "invent-detail", Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = model.Close() })
			a, err := app.Start(t.Context(),
				app.Options{Worlds: []*world.World{village(t)}, Data: t.TempDir(), Meaning: app.MeaningOff, Guards: settings,
					LLM: llm.Config{Primary: llm.Provider{URL: model.URL(), Model: "scripted"}}})
			if err != nil {
				t.Fatal(err)
			}
			run(t, a)
			r := ask(t, a, "t1", "Who owns the ferry?")
			said[name] = r.Text
			if name == "off" {
				if r.Faithfulness != nil {
					t.Errorf("scored %+v", r.Faithfulness)
				}
				return
			}
			f := r.Faithfulness
			if f == nil || f.Action != name || f.Risk == "none" || f.Risk == "low" || len(f.Unsupported) == 0 {
				t.Fatalf("%s %q: %+v", r.Status, r.Text, f)
			}
			if name == "block" && (r.Reason != schema.ReasonUnfaithful || len(r.Sentences) != 1 || !r.Sentences[0].Authored) {
				t.Errorf("%s, %s: %+v", r.Status, r.Reason, r.Sentences)
			}
			records, err := a.Client.Records(t.Context(), r.Conversation(), "t1")
			marked := 0
			for _, record := range records {
				if record.Faithfulness != nil && record.Faithfulness.Action == name {
					marked++
				}
			}
			if err != nil || marked == 0 {
				t.Errorf("no review record of %d is marked, %v", len(records), err)
			}
			traced(t, a.Client, r, name)
		})
	}
	if said["warn"] != said["off"] {
		t.Errorf("warn says %q, and without the guard %q", said["warn"], said["off"])
	}
}

// traced looks for the guard's action in the trace of a turn and in its last event.
func traced(t *testing.T, c *mesh.Client, r *schema.Reply, action string) {
	t.Helper()
	var passes []protocol.Trace
	// a reply does not wait for them
	for until := time.Now().Add(10 * time.Second); len(passes) == 0 || passes[len(passes)-1].Next != schema.PassDone; {
		var err error
		if passes, err = c.Trace(t.Context(), r.TurnID); err != nil || time.Now().After(until) {
			t.Fatalf("%d passes, %v", len(passes), err)
		}
	}
	last := passes[len(passes)-1]
	if f := last.Turn.Faithfulness; f == nil || f.Action != action {
		data, _ := json.Marshal(f)
		t.Errorf("the trace has %s", data)
	}
	events, err := c.Watch(t.Context(), r.Conversation(), r.TurnID)
	if err != nil {
		t.Fatal(err)
	}
	risk := ""
	for e := range events {
		if e.Said != nil && e.Said.Kind == schema.SaidDone {
			risk = e.Said.Risk
		}
	}
	if risk == "" || risk != r.Faithfulness.Risk {
		t.Errorf("the turn's last event tells of risk %q, the reply of %q", risk, r.Faithfulness.Risk)
	}
}
