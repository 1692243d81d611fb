package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const fire = "The mill burned in the spring of 1402. Forty sacks of rye were lost in the fire."

// The trained head tells remarks about an answer from claims, false ones too.
func TestTheHeadForKindsTellsRemarksFromClaims(t *testing.T) {
	tiers, err := app.NewVerifier(app.Verifying{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tiers.Close)
	k := tiers.Checker(app.Verifying{})
	for said, claims := range map[string]int{
		"I hope this helps!":                                     0,
		"Let me know if you have any other questions.":           0,
		"Feel free to reach out if you need anything else.":      0,
		"Great question!":                                        0,
		"Hope that clears things up.":                            0,
		"I'm happy to help.":                                     0,
		"He is a thief.":                                         1,
		"The gate is shut.":                                      1,
		"We never sold rye.":                                     1,
		"Nobody likes her.":                                      1,
		"The drug is safe for children.":                         1,
		"I love the blue dress that she wore.":                   1,
		"I fear the wolves that killed the shepherd.":            1,
		"I hope the thief who burned the mill pays for it.":      1,
		"Feel free to take the ferry, it is free on feast days.": 2,
	} {
		out, err := k.Check(t.Context(), schema.CheckQuery{Text: said, Sources: []schema.CheckSource{{Content: fire}}})
		if err != nil || out.Total != claims {
			t.Errorf("%q: %v, %d claims, want %d", said, err, out.Total, claims)
		}
	}
}

// The judge of speeches looks at the open claims of a text where a check asks for it.
func TestACheckAsksTheJudge(t *testing.T) {
	pairs, err := review.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{llmtest.JudgeHonest, llmtest.JudgeCoin} {
		server := scripted(t, kind)
		a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: t.TempDir(),
			Meaning: app.MeaningOff, Judge: true, JudgeFirst: true,
			LLM: llm.Config{Primary: llm.Provider{URL: server.URL(), Model: "judge"}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(a.Close)
		uses := map[schema.JudgeUse]int{}
		escalated := 0
		for _, p := range pairs {
			out, err := a.Check(t.Context(), schema.CheckQuery{Text: p.Sentence, Judge: true,
				Sources: []schema.CheckSource{{Content: p.Evidence}}})
			if err != nil {
				t.Fatal(err)
			}
			uses[out.Judge]++
			for _, c := range out.Claims {
				if c.Escalated {
					escalated++
				}
			}
		}
		skilled := kind == llmtest.JudgeHonest
		if (uses[schema.JudgeAsked] > 0) != skilled || (uses[schema.JudgeNone] > 0) == skilled ||
			(escalated > 0) != skilled {
			t.Errorf("%s: %v, %d claims escalated", kind, uses, escalated)
		}
	}
}

// No false sentence of recorded speech is taken for a remark.
func TestNoFalseSentenceIsARemark(t *testing.T) {
	dir := os.Getenv("FORSOOTH_TEST_DATA")
	if dir == "" || testing.Short() {
		t.Skip("FORSOOTH_TEST_DATA does not name the folder of the recorded speeches")
	}
	rows, err := llmtest.ReadSpeechFile(filepath.Join(dir, "npc", "speech.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	tiers, err := app.NewVerifier(app.Verifying{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tiers.Close)
	k := tiers.Checker(app.Verifying{})
	n := 0
	for _, r := range rows {
		var shown []schema.CheckSource
		for _, e := range r.Evidence {
			shown = append(shown, schema.CheckSource{ChunkID: e.ID, Content: e.Text})
		}
		for _, s := range r.Sentences {
			if s.Label != "unsupported" {
				continue
			}
			n++
			out, err := k.Check(t.Context(), schema.CheckQuery{Text: s.Text, Sources: shown})
			if err != nil || out.Total == 0 {
				t.Errorf("%q is no claim: %v", s.Text, err)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d false sentences were read", n)
	}
}
