package write_test

import (
	"os"
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
				o := &schema.Occurrence{ID: "e" + string(rune('a'+i)), World: "w", GameTime: at, Text: s.Event.Text, Subject: s.Event.Subject,
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
			r := &schema.Reply{TurnID: "t" + string(rune('a'+i)), World: "w", NPC: c.NPC, Player: c.Player, PlayerName: c.PName, Message: s.Say, Status: schema.StatusAnswered, AcceptedAt: at}
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
