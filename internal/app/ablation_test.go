package app_test

import (
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Each stage does something in the turn of a scripted model, and does not where an
// experiment leaves it out. Whatever is left out, nothing is released without evidence.
func TestAStageThatIsLeftOutIsNotThere(t *testing.T) {
	first := func(turn *protocol.Turn, is schema.IssueType) bool {
		return turn.SpeechReview != nil && slices.ContainsFunc(turn.Stripped,
			func(s schema.Stripped) bool { return s.Issue.Type == is })
	}
	spoke := func(turn *protocol.Turn) (n int) {
		for _, p := range turn.Passes {
			if p.Pass == schema.PassSpeak && p.LLMCalls > 0 {
				n++
			}
		}
		return n
	}
	for stage, c := range map[ablation.Stage]struct {
		persona, asks string
		shows         func(*protocol.Turn) bool // what the stage leaves in the turn
	}{
		ablation.EvidenceFirst: {"paraphrase", "Who owns the ferry?",
			func(turn *protocol.Turn) bool { return !first(turn, schema.IssueInvalidSource) }},
		ablation.NLI: {"invent-detail", "Who owns the ferry?", func(turn *protocol.Turn) bool {
			return slices.ContainsFunc(turn.Stripped,
				func(s schema.Stripped) bool { return s.Verdict != nil && s.Verdict.Tier == entail.TierModel })
		}},
		ablation.SelfRAG: {"quote", "Who minds the lighthouse of Quellamar?",
			func(turn *protocol.Turn) bool { return turn.Retrieval.Zone != protocol.ZoneModel }},
		ablation.ReviewThought: {"quote", "Who owns the ferry?",
			func(turn *protocol.Turn) bool { return turn.ThoughtReview != nil }},
		ablation.Feedback: {"invent-detail", "Who owns the ferry?",
			func(turn *protocol.Turn) bool { return spoke(turn) > 1 }},
	} {
		for _, without := range []ablation.Set{nil, {stage}} {
			turn := ablated(t, c.persona, c.asks, without)
			if got := c.shows(turn); got == without.Has(stage) {
				t.Errorf("%s left out: %v, and it shows: %v; %s %q, stripped %+v", stage, without.Has(stage), got,
					turn.Reply.Status, turn.Reply.Text, turn.Stripped)
			}
			for _, s := range turn.Reply.Sentences {
				if !s.Authored && len(s.Evidence) == 0 {
					t.Errorf("without %v, %q is released without evidence", without, s.Text)
				}
			}
		}
	}
}

// ablated is a turn as it ended, on a mesh of its own.
func ablated(t *testing.T, persona, asks string, without ablation.Set) *protocol.Turn {
	t.Helper()
	model, err := llmtest.Start(llmtest.Options{Persona: persona, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: t.TempDir(),
		Meaning: app.MeaningOff, Without: without,
		LLM: llm.Config{Primary: llm.Provider{URL: model.URL(), Model: "scripted"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer run(t, a)()
	r := ask(t, a, "t1", asks)
	for until := time.Now().Add(10 * time.Second); ; { // a reply does not wait for its trace
		passes, err := a.Client.Trace(t.Context(), r.TurnID)
		if n := len(passes); n > 0 && passes[n-1].Next == schema.PassDone {
			turn := passes[n-1].Turn
			turn.Reply = r
			return turn
		}
		if err != nil || time.Now().After(until) {
			t.Fatalf("%d passes, %v", len(passes), err)
		}
	}
}
