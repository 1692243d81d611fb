package grounding_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func drafts(texts ...string) []protocol.DraftSentence {
	var out []protocol.DraftSentence
	for _, s := range texts {
		out = append(out, draft(s, "E1"))
	}
	return out
}

func issue(claim string) schema.Issue {
	return schema.Issue{Claim: claim, Type: schema.IssueNotEntailed, Citation: "E1"}
}

// What stands behind a sentence that went keeps its words, without a leading connective:
// whether it still says something true is for the review of what is kept.
func TestStripTakesOutWhatIsDisputedAndNoMore(t *testing.T) {
	cases := []struct {
		name   string
		drafts []protocol.DraftSentence
		issues []schema.Issue
		kept   []string
		gone   int
	}{
		{"nothing disputed", drafts("The mill burned.", "The weir held."), nil,
			[]string{"The mill burned.", "The weir held."}, 0},
		{"the sentence itself", drafts("The mill burned.", "Bram was drunk that night.", "The weir held."),
			[]schema.Issue{issue("Bram was drunk that night.")}, []string{"The mill burned.", "The weir held."}, 1},
		{"a claim inside a sentence", drafts("The mill burned, and Bram was drunk that night.", "The weir held."),
			[]schema.Issue{issue("Bram was drunk that night")}, []string{"The weir held."}, 1},
		{"a claim in other words, half shared", drafts("Bram had been drinking all night.", "The weir held."),
			[]schema.Issue{issue("Bram drank all night long")}, []string{"The weir held."}, 1},
		{"less than half shared stays", drafts("The weir held all night."),
			[]schema.Issue{issue("Bram drank ale with Osric and Petra that night")}, []string{"The weir held all night."}, 0},
		{"a connective is dropped", drafts("Bram was drunk.", "But the weir held."), []schema.Issue{issue("Bram was drunk.")},
			[]string{"The weir held."}, 1},
		{"two connectives are dropped", drafts("Bram was drunk.", "And so, the weir held."),
			[]schema.Issue{issue("Bram was drunk.")}, []string{"The weir held."}, 1},
		{"he stays", drafts("Bram was drunk.", "He fell asleep."), []schema.Issue{issue("Bram was drunk.")},
			[]string{"He fell asleep."}, 1},
		{"but he stays without but", drafts("Bram was drunk.", "But he woke up."), []schema.Issue{issue("Bram was drunk.")},
			[]string{"He woke up."}, 1},
		{"his stays", drafts("Bram was drunk.", "The reeve took his boots."), []schema.Issue{issue("Bram was drunk.")},
			[]string{"The reeve took his boots."}, 1},
		{"there stays", drafts("Bram slept at the inn.", "There he lost the key."),
			[]schema.Issue{issue("Bram slept at the inn.")}, []string{"There he lost the key."}, 1},
		{"there is stays", drafts("Bram was drunk.", "There are wolves on the fell."),
			[]schema.Issue{issue("Bram was drunk.")}, []string{"There are wolves on the fell."}, 1},
		{"a connective further back stays", drafts("Bram was drunk.", "So he fell asleep.", "But the weir held."),
			[]schema.Issue{issue("Bram was drunk.")},
			[]string{"He fell asleep.", "But the weir held."}, 1},
		{"a connective that is all there is stays", drafts("Bram was drunk.", "So what?"),
			[]schema.Issue{issue("Bram was drunk.")}, []string{"So what?"}, 1},
		{"what leans on a kept one stays", drafts("Bram came home.", "He fell asleep.", "Osric was drunk."),
			[]schema.Issue{issue("Osric was drunk.")}, []string{"Bram came home.", "He fell asleep."}, 1},
		{"an authored line stays", []protocol.DraftSentence{draft("Bram was drunk."),
			{Text: "But that is all I'll say of it.", Authored: true}},
			[]schema.Issue{issue("Bram was drunk.")}, []string{"But that is all I'll say of it."}, 1},
		{"an empty claim names nothing", drafts("The mill burned."), []schema.Issue{issue("")},
			[]string{"The mill burned."}, 0},
		{"typography makes no difference", drafts("It’s “Bram’s” mill."), []schema.Issue{issue(`it's "bram's" MILL`)},
			nil, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			kept, stripped := grounding.Strip(c.drafts, c.issues)
			var got []string
			for _, k := range kept {
				got = append(got, k.Text)
			}
			if !slices.Equal(got, c.kept) || len(stripped) != c.gone {
				t.Errorf("kept %q, stripped %+v", got, stripped)
			}
			for _, s := range stripped {
				if s.Issue.Type == "" {
					t.Errorf("%q was stripped without a reason", s.Text)
				}
			}
		})
	}
}

// A sentence that an issue names is never kept, whatever stands around it, and
// nothing is lost: what is not kept is among the stripped.
func TestPropertyStripNeverKeepsADisputedSentence(t *testing.T) {
	parts := []string{"Bram was drunk", "The weir held", "He fell asleep", "But the reeve came",
		"Wolves howled on the fell", "There was smoke", "I saw it", "It’s so"}
	rapid.Check(t, func(t *rapid.T) {
		var all []string
		for range rapid.IntRange(1, 7).Draw(t, "sentences") {
			all = append(all, rapid.SampledFrom(parts).Draw(t, "part")+
				rapid.SampledFrom([]string{".", "!", " that night."}).Draw(t, "end"))
		}
		var issues []schema.Issue
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(all)-1), 0, 3).Draw(t, "disputed") {
			issues = append(issues, issue(all[i]))
		}
		kept, stripped := grounding.Strip(drafts(all...), issues)
		if len(kept)+len(stripped) != len(all) {
			t.Fatalf("%d kept, %d stripped of %d", len(kept), len(stripped), len(all))
		}
		for _, k := range kept {
			for _, i := range issues {
				if text.Fold(k.Text) == text.Fold(i.Claim) {
					t.Fatalf("%q is disputed and kept", k.Text)
				}
			}
			if !slices.ContainsFunc(all,
				func(s string) bool { return strings.HasSuffix(strings.ToLower(s), strings.ToLower(k.Text)) }) {
				t.Fatalf("%q is no end of any sentence", k.Text)
			}
		}
	})
}
