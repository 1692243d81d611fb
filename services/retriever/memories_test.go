package retriever_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/retriever"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// shelf is what an NPC remembers, whatever is asked: of the shared past what it was
// told, of the world what it saw.
type shelf struct {
	list []memory.Recalled
	err  error
	hang bool
}

func (s shelf) Recall(ctx context.Context, _ memory.Query, asked memory.Asked, _ string) ([]memory.Recalled, error) {
	if s.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return slices.DeleteFunc(slices.Clone(s.list),
		func(m memory.Recalled) bool { return asked.Seen != (m.Memory.Source == schema.OriginSystem) }), s.err
}

func told(id, content, words string, conflicts ...string) memory.Recalled {
	return memory.Recalled{Conflicts: conflicts,
		Memory: schema.Memory{ID: id, World: "village", NPC: "mira", Player: "p1", Subject: "player:p1", Pred: "lives_in",
			Content: content, Source: schema.OriginUser, Spans: []schema.MemorySpan{{Speaker: "player", Text: words}},
			CreatedAt: servicetest.Now}}
}

func TestMemoriesAreToldAsWhatWasTold(t *testing.T) {
	oak, ferry := told("m1", "Ansel told me that they live in Oakham.", "I live in Oakham"),
		told("m2", "Ansel told me that they live in Ferrytown.", "I live in Ferrytown")
	bothA, bothB := oak, ferry
	seen := memory.Recalled{Memory: schema.Memory{ID: "m3", World: "village", NPC: "mira", Subject: "lantern",
		Pred: "happened", Source: schema.OriginSystem,
		Content: "A lantern floated by the ferry.",
		Spans:   []schema.MemorySpan{{Speaker: "game", Text: "A lantern floated by the ferry."}}, CreatedAt: servicetest.Now}}
	bothA.Conflicts, bothB.Conflicts = []string{"m2"}, []string{"m1"}
	for _, c := range []struct {
		name, message string
		memories      shelf
		want          string
		status        schema.Status
		note          string
	}{
		{"one", "Where do I live?", shelf{list: []memory.Recalled{oak}}, "You told me that you live in Oakham.",
			schema.StatusExtractive, ""},
		{"two stories", "Where do I live?", shelf{list: []memory.Recalled{bothA, bothB}},
			"I have heard two stories from you: you told me that you live in Oakham. Another time, you told me that you " +
				"live in Ferrytown.", schema.StatusExtractive, ""},
		{"none", "Where do I live?", shelf{}, "That I could not tell you.", schema.StatusUnknown, ""},
		{"the store is away", "Where do I live?", shelf{err: errors.New("the store is away")}, "That I could not tell you.",
			schema.StatusUnknown, "memories: the store is away"},
		{"the store hangs", "Where do I live?", shelf{hang: true}, "That I could not tell you.", schema.StatusUnknown,
			"memories: context deadline exceeded"},
		{"what was seen", "What floated by the ferry?", shelf{list: []memory.Recalled{oak, seen}},
			"I remember that I saw this: \u201cA lantern floated by the ferry.\u201d", schema.StatusExtractive, ""},
		{"the world, and the store is away", "Who owns the ferry?", shelf{err: errors.New("the store is away")},
			"Teague owns the ferry.", schema.StatusExtractive, "memories: the store is away"},
		{"something else is asked", "Who owns the ferry?", shelf{list: []memory.Recalled{oak}}, "Teague owns the ferry.",
			schema.StatusExtractive, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			b.Handlers[schema.PassRetrieve] = retriever.New(b.Library, retriever.Options{Memories: c.memories}).Retrieve
			turn := b.Turn("mira", c.message)
			turn.PlayerName = "Ansel"
			r := b.Walk(t, turn, schema.PassRetrieve)
			if r.Text != c.want || r.Status != c.status {
				t.Errorf("%s: %q, want %s: %q", r.Status, r.Text, c.status, c.want)
			}
			if got := turn.Passes[0].Note; got != c.note {
				t.Errorf("the trace says %q, want %q", got, c.note)
			}
			for _, s := range r.Sentences {
				for _, e := range s.Evidence {
					if strings.HasPrefix(e.Path, "memory:") != (strings.Contains(s.Text, "you") || strings.Contains(s.Text, "I saw")) {
						t.Errorf("%q rests on %s", s.Text, e.Path)
					}
				}
			}
		})
	}
}

// What was said a moment ago is no memory yet: the conversation has it, and only
// what would be remembered of it is told.
func TestWhatIsNotWrittenYetIsToldFromTheConversation(t *testing.T) {
	for said, want := range map[string]string{
		"I live in Oakham.":                           "You told me that you live in Oakham.",
		"Somebody wrote on the door 'I live in hell'": "That I could not tell you.",
		"Do I live in Oakham?":                        "That I could not tell you.",
	} {
		b := servicetest.New(t, servicetest.Village())
		turn := b.Turn("mira", "Where do I live?")
		turn.PlayerName = "Ansel"
		turn.Convo = &schema.Conversation{World: "village", NPC: "mira", Player: "p1",
			Memory: []schema.Line{{Speaker: "player", Text: said, TurnID: "t0", At: servicetest.Now.Add(-time.Minute),
				Source: schema.OriginUser}}}
		if r := b.Walk(t, turn, schema.PassRetrieve); r.Text != want {
			t.Errorf("after %q: %q, want %q", said, r.Text, want)
		}
	}
}
