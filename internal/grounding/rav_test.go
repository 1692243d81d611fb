package grounding_test

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func chunk(id, path, text string) schema.Chunk {
	c := lore()
	c.ID, c.Path, c.Text = id, path, text
	return c
}

// Support is looked for in the whole cited document, then in the others; what is
// found becomes a new block, to which the citation moves.
func TestRAVLooksFurther(t *testing.T) {
	here := evidenceOf(chunk("lore/fire.txt#1", "lore/fire.txt", "The weir held."))
	document := []schema.Chunk{chunk("lore/fire.txt#1", "lore/fire.txt", "The weir held."), chunk("lore/fire.txt#2", "lore/fire.txt", "Nobody slept. The mill burned in the spring of 1402.")}
	future := chunk("lore/fire.txt#3", "lore/fire.txt", "The mill was built again in 1404.")
	future.CreatedAt = gameNow.AddDate(2, 0, 0)
	elsewhere := []schema.Chunk{chunk("lore/other.txt#1", "lore/other.txt", "Bram keeps bees.")}
	secret := chunk("npcs/bram/home/x.txt#1", "npcs/bram/home/x.txt", "Bram lit it himself.")
	secret.NPC = "bram"
	written := chunk("gen:x#1", "gen:x", "Osric drowned.")
	written.Source = schema.OriginModel

	cases := []struct {
		name, claim string
		path        string // of the support, "" for none
	}{
		{"in the whole document", "The mill burned in the spring of 1402.", "lore/fire.txt"},
		{"in another", "Bram keeps bees.", "lore/other.txt"},
		{"nowhere", "The duke is dead.", ""},
		{"only in the future", "The mill was built again in 1404.", ""},
		{"only in another NPC's notes", "Bram lit it himself.", ""},
		{"only in what a model wrote", "Osric drowned.", ""},
		{"almost", "The mill burned in the spring of 1403.", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := grounding.RAVInput{
				Issue: schema.Issue{Claim: c.claim, Type: schema.IssueNotEntailed, Citation: "E1"}, Sentence: draft(c.claim, "E1"), Evidence: []schema.Evidence{here},
				Fetch: func(path string) []schema.Chunk {
					if path != "lore/fire.txt" {
						t.Errorf("asked for %q", path)
					}
					return append(document, future)
				},
				Rest:  func(string) []schema.Chunk { return append(elsewhere, secret, written) },
				Check: check(), Context: mira,
			}
			s, e, err := grounding.RAV(context.Background(), entail.NewRules(), in)
			switch {
			case err != nil:
				t.Fatal(err)
			case c.path == "" && (e != nil || s.Citations[0].EvidenceID != "E1"):
				t.Errorf("found %+v", e)
			case c.path != "" && (e == nil || e.Path != c.path || e.ID != "E2" || len(s.Citations) != 1 || s.Citations[0].EvidenceID != "E2"):
				t.Errorf("got %+v, %+v", s, e)
			}
		})
	}
}

func TestRAVLeavesWhatMoreTextCannotMend(t *testing.T) {
	for _, kind := range []schema.IssueType{schema.IssueForm, schema.IssueSecret, schema.IssueEvasion} {
		in := grounding.RAVInput{Issue: schema.Issue{Claim: "x", Type: kind}, Sentence: draft("x"), Check: check(),
			Fetch: func(string) []schema.Chunk { t.Error("fetched"); return nil }}
		if _, e, err := grounding.RAV(context.Background(), entail.NewRules(), in); e != nil || err != nil {
			t.Errorf("%s: %v, %v", kind, e, err)
		}
	}
}
