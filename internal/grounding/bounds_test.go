package grounding_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Huge, broken and foreign texts are read within bounds and support nothing.
func TestStrangeTextsAreRefused(t *testing.T) {
	evidence := []schema.Evidence{corpus("E1", "The mill burned in the spring of 1402.")}
	for name, said := range map[string]string{
		"a megabyte":               strings.Repeat("The mill burned in the spring of 1402. ", 27_000),
		"a megabyte of one word":   strings.Repeat("mill", 1<<18),
		"a megabyte of clauses":    strings.Repeat("the mill burned, and he left, ", 35_000),
		"a megabyte of hedges":     strings.Repeat("I think that ", 80_000),
		"not UTF-8":                "The mill burned \xff\xfe in spring.",
		"right to left":            "الطاحونة احترقت في الربيع.",
		"direction turned":         "The mill burned in the spring of \u202e2041\u202c.",
		"letters of two alphabets": "The mill burned in the spring of 14О2.",
		"another alphabet":         "Тhе mill burned in the spring of 1402.",
		"a combining mark":         "The mi\u0338ll burned in the spring of 1402.",
		"emoji":                    "🔥🔥🔥 mill 🔥",
		"control signs":            "The mill \x00burned\x07 down.",
		"template":                 "{{.Secret}} burned the mill.",
		"tags":                     "<b>The mill</b> burned.",
	} {
		review, _ := reviewOne(t, grounding.ReviewInput{Sentences: drafts(said), Evidence: evidence})
		if review.Verdict == schema.Approved {
			t.Errorf("%s passes", name)
		}
		kept, _ := grounding.Strip(drafts(said), review.Issues)
		if len(kept) != 0 {
			t.Errorf("%s is kept", name)
		}
	}
}

func TestNothingToReviewIsNothingToHold(t *testing.T) {
	for _, all := range [][]schema.DraftSentence{nil, {}} {
		if review, verdicts := reviewOne(t, grounding.ReviewInput{Sentences: all, Answerable: true}); review.Verdict != schema.Approved || len(verdicts) != 0 {
			t.Errorf("%+v", review)
		}
	}
	if review, _ := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{{Text: " "}}}); review.Verdict == schema.Approved {
		t.Error("a blank sentence passes")
	}
}
