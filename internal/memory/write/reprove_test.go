package write_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What Guard 1 keeps of the cases of the suite is proved again by what it keeps.
func TestTrueMemoriesAreProvedAgain(t *testing.T) {
	data, err := os.ReadFile("../../../evals/memory.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Cases []struct {
			Name   string
			NPC    string
			Player string
			PName  string `yaml:"player_name"`
			Steps  []struct {
				Say   string
				NPC   string
				Event struct {
					Text, Subject, Predicate, Object, Player string
					Witnesses                                []string
				}
			}
		}
	}
	if err := yaml.Unmarshal(data, &suite); err != nil {
		t.Fatal(err)
	}
	g, err := write.New(write.DefaultSettings(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(1402, 5, 1, 10, 0, 0, 0, time.UTC)
	kept, plain, unknown := 0, 0, 0
	hold := func(name string, m *schema.Memory) {
		kept++
		if g.Plain(m) {
			plain++
			return
		}
		switch v := g.Reprove(t.Context(), m, extract.Context{NPCName: m.NPC, Wall: at}); v.Label {
		case schema.GroundingSupported:
		case schema.GroundingUnknown:
			unknown++
		default:
			t.Errorf("%s: %q (%s %s %q) of %q: %s", name, m.Content, m.Subject, m.Pred, m.Object, m.Spans, v.Why)
		}
	}
	for _, c := range suite.Cases {
		var before *extract.Utterance
		for i, s := range c.Steps {
			x := extract.Context{NPCName: c.NPC, PlayerName: c.PName, Wall: at, Previous: before}
			if s.Event.Text != "" {
				o := &schema.Occurrence{ID: "e" + string(rune('a'+i)), World: "w", GameTime: at, Text: s.Event.Text,
					Subject:   s.Event.Subject,
					Predicate: s.Event.Predicate, Object: s.Event.Object, Player: s.Event.Player, Witnesses: s.Event.Witnesses}
				for _, w := range s.Event.Witnesses {
					list, err := extract.FromOccurrence(o, w, x)
					if err != nil {
						t.Fatal(err)
					}
					for _, cand := range list {
						if out := g.Judge(t.Context(), cand, extract.OccurrenceWords(o), x); out.Fate == write.Store {
							hold(c.Name, &out.Memory)
						}
					}
				}
			}
			if s.Say == "" {
				continue
			}
			r := &schema.Reply{TurnID: "t" + string(rune('a'+i)), World: "w", NPC: c.NPC, Player: c.Player, PlayerName: c.PName,
				Message: s.Say, Status: schema.StatusAnswered, AcceptedAt: at}
			for _, cand := range extract.FromReply(r, x) {
				if out := g.Judge(t.Context(), cand, extract.Words(r, x), x); out.Fate == write.Store {
					hold(c.Name, &out.Memory)
				}
			}
			before = &extract.Utterance{TurnID: r.TurnID, Speaker: extract.SpeakerPlayer, Text: s.Say, At: at}
		}
	}
	t.Logf("%d memories, %d proved at sight, %d that rules alone cannot tell", kept, plain, unknown)
	if kept < 200 {
		t.Errorf("only %d memories", kept)
	}
}

// "My cousin Ulric" proves what he is called: a relative is introduced without a verb,
// and the scan reads no more than these words.
func TestARelativeIsProvedByTheWordsThatIntroduceIt(t *testing.T) {
	at := time.Date(1402, 5, 1, 10, 0, 0, 0, time.UTC)
	g, err := write.New(write.DefaultSettings(), unsure{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ said, called, name string }{
		{"My cousin Ulric works at the tannery.", "cousin", "Ulric"},
		{"My elder brother Tom is ill.", "brother", "Tom"},
		{"Our sister Ada Marsh sells eels.", "sister", "Ada Marsh"},
		{"My dog Rex is old.", "dog", "Rex"},
	} {
		x := extract.Context{NPCName: "Mira", PlayerName: "Ansel", Wall: at}
		r := &schema.Reply{TurnID: "t1", World: "w", NPC: "mira", Player: "p1", PlayerName: "Ansel", Message: c.said,
			Status: schema.StatusAnswered, AcceptedAt: at}
		made := extract.FromReply(r, x)
		if len(made) == 0 || made[0].Content != "Ansel told me that their "+c.called+" is called "+c.name+"." {
			t.Fatalf("%s: %+v", c.said, made)
		}
		m := made[0].Memory
		if v := g.Reprove(t.Context(), &m, extract.Context{NPCName: "Mira", Wall: at}); v.Label != schema.GroundingSupported {
			t.Errorf("%s: %s of %q: %s", c.said, v.Label, m.Spans[0].Text, v.Why)
		}
		m.Content, m.Object = strings.Replace(m.Content, c.name, "Ebba", 1), strings.Replace(m.Object, c.name, "Ebba", 1)
		if v := g.Reprove(t.Context(), &m, extract.Context{NPCName: "Mira", Wall: at}); v.Label !=
			schema.GroundingNotSupported {
			t.Errorf("%s: called Ebba is %s: %s", c.said, v.Label, v.Why)
		}
	}
}

// unsure is a verifier that never knows.
type unsure struct{}

func (unsure) Entails(context.Context, string, string) (float64, schema.Label, error) {
	return 0.4, schema.Unverifiable, nil
}
