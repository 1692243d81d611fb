package grounding_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Whatever the extractive speaker says of a block, the review of its sentence
// must pass: it is word for word.
func TestRenderingsOfWorldsPass(t *testing.T) {
	dirs := []string{"../../worlds/hollowmere", "../../worlds/shadowwatch"}
	if data := os.Getenv("FORSOOTH_TEST_DATA"); data != "" {
		dirs = append(dirs, filepath.Join(data, "worlds", "crossfire"))
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			w, _, err := world.LoadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			renderingsPass(t, w)
		})
	}
}

func renderingsPass(t *testing.T, w *world.World) {
	rules := entail.NewRules()
	all, refused := 0, 0
	why := map[schema.IssueType]int{}
	handles := w.Handles()
	for n, c := range w.Chunks() {
		npc := w.NPCs[c.NPC]
		if npc == nil {
			npc = w.NPCs[handles[n%len(handles)]]
		}
		person := voice.Person{Handle: npc.Handle, Name: npc.Name, Pronoun: voice.PronounOf(npc.Backstory), NameOf: func(h string) string {
			if o := w.NPCs[h]; o != nil {
				return o.Name
			}
			return ""
		}}
		src := grounding.SourceOf(c, "1", 1)
		src.Private = c.NPC == npc.Handle && c.NPC != ""
		for _, e := range grounding.Blocks([]schema.Source{src}, grounding.DefaultLimits) {
			for _, s := range text.Sentences(e.Text) {
				ways := voice.Renderings(e, s, person)
				if len(ways) == 0 {
					continue
				}
				all++
				review, _, err := grounding.Review(context.Background(), entail.NewCascade(same{[]schema.Evidence{e}, person}, rules), grounding.ReviewInput{
					Sentences: []schema.DraftSentence{draft(ways[0].Text, e.ID)}, Evidence: []schema.Evidence{e}, Class: schema.ClassComplex,
					Context: grounding.Context{NPCName: npc.Name, NPCHandle: npc.Handle, NameOf: person.NameOf},
				})
				if err != nil {
					t.Fatal(err)
				}
				if review.Verdict != schema.Approved {
					refused++
					why[review.Issues[0].Type]++
					if refused < 40 {
						t.Logf("%s: %q: %s %s", c.ID, ways[0].Text, review.Issues[0].Type, review.Issues[0].Correction)
					}
				}
			}
		}
	}
	t.Logf("%d of %d renderings refused: %v", refused, all, why)
	if refused*50 > all {
		t.Errorf("more than 2 %% of verbatim renderings were refused")
	}
}

// same is a tier that knows the NPC's own wording of a block, as the reviewer's.
type same struct {
	evidence []schema.Evidence
	person   voice.Person
}

func (s same) Verify(_ context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i, p := range pairs {
		out[i] = schema.Verdict{Label: schema.Unverifiable, Tier: entail.TierRule}
		for _, e := range s.evidence {
			if span, how, ok := voice.Same(p.Hypothesis, e, s.person, nil); ok && e.Text == p.Premise {
				out[i] = schema.Verdict{Label: schema.Supported, Score: 0.99, Tier: entail.TierRule, Span: span, Why: how}
			}
		}
	}
	return out, nil
}
