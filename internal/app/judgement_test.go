package app_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// A judge with an endpoint of its own is tested and asked there; the model that speaks
// judges nothing then. Where no such endpoint is set the model that speaks is the judge.
func TestWhoJudgesSpeeches(t *testing.T) {
	for _, own := range []bool{false, true} {
		speaks, judges := scripted(t, llmtest.JudgeLying), scripted(t, llmtest.JudgeHonest)
		var shown *review.Skill
		o := app.Options{Worlds: []*world.World{village(t)}, Data: t.TempDir(), Meaning: app.MeaningOff, Judge: true,
			LLM:        llm.Config{Primary: llm.Provider{URL: speaks.URL(), Model: "speaker"}},
			JudgeFirst: func(s *review.Skill) { shown = s }}
		if own {
			o.JudgeAt = llm.Provider{URL: judges.URL(), Model: "judge"}
		}
		a, err := app.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		asked := map[bool]int{false: speaks.Stats().BySchema["judge"], true: judges.Stats().BySchema["judge"]}
		if asked[own] == 0 || asked[!own] != 0 || shown.Qualified() != own {
			t.Errorf("its own endpoint %v: the speaker judged %d times, the judge %d; believed %v",
				own, asked[false], asked[true], shown.Qualified())
		}
	}
}

func scripted(t *testing.T, judge string) *llmtest.Server {
	t.Helper()
	s, err := llmtest.Start(llmtest.Options{Persona: "quote", Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
