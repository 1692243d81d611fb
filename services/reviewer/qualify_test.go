package reviewer_test

import (
	"net/http/httptest"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A judge is believed where its answers tell the true sentences of the shipped pairs from
// the false ones.
func TestWhichJudgesQualify(t *testing.T) {
	for _, c := range []struct {
		judge string
		want  bool
	}{
		{llmtest.JudgeHonest, true},
		{llmtest.JudgeLying, false},
		{llmtest.JudgeCoin, false},
	} {
		t.Run(c.judge, func(t *testing.T) {
			fake, err := llmtest.New(llmtest.Options{Persona: "quote", Judge: c.judge, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = fake.Close() })
			server := httptest.NewServer(fake)
			t.Cleanup(server.Close)
			w := servicetest.New(t, servicetest.Village()).Library.Get("village").World
			skill, err := reviewer.Qualify(t.Context(), judgeAt(t, w, server.URL+"/v1"))
			if err != nil || skill.Qualified() != c.want || answers(skill) != 64 {
				t.Errorf("%d answers, of the true %.2f, of the false %.2f refused: %v",
					answers(skill), skill.Sensitivity(), skill.Specificity(), err)
			}
		})
	}
}

// answers is how many pairs a judge has answered.
func answers(s *review.Skill) (n int) {
	for i := range s.True {
		n += int(s.True[i] + s.False[i])
	}
	return n
}

// A pair without an answer counts for nothing: neither for the judge nor against it. A
// judge that answers too few has shown too little, and one that answers none is an error.
func TestAPairWithoutAnAnswerCountsForNothing(t *testing.T) {
	pairs, err := review.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		answered  int // of the pairs
		qualified bool
		fails     bool
	}{
		{"all", 64, true, false},
		{"most", 48, true, false},
		{"too few", 20, false, false},
		{"none", 0, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			labels := map[string]string{}
			for _, p := range pairs[:c.answered] {
				labels[text.Fold(p.Sentence)] = p.Label
			}
			_, court := staged(t, stage{judge: true, judgement: func(said []string) string {
				switch labels[text.Fold(said[0])] {
				case "supported":
					return each(judgeYes)(said)
				case "":
					return "I would rather not say."
				}
				return each(judgeSilent)(said)
			}})
			skill, err := reviewer.Qualify(t.Context(), court.model)
			if (err != nil) != c.fails || skill.Qualified() != c.qualified || answers(skill) != c.answered {
				t.Errorf("%d answers, qualified %t: %v", answers(skill), skill.Qualified(), err)
			}
			if c.answered > 0 && (skill.Sensitivity() != 1 || skill.Specificity() != 1) {
				t.Errorf("of the true %.2f, of the false %.2f refused", skill.Sensitivity(), skill.Specificity())
			}
		})
	}
}
