package retriever_test

import (
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A recap gives the lines that were asked for: whose, of which matter, or of the whole talk, and none of a matter
// of which nobody spoke.
func TestARecapGivesTheLinesThatWereAskedFor(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	for _, c := range []struct {
		message string
		want    []string // parts of the evidence, in order; none: it is not recalled
	}{
		{"What did I say my axe was called?", []string{"Grumbler"}},
		{"What was the first thing I asked you?", []string{"Who owns the ferry"}},
		{"What did you say about the ferry?", []string{"Teague owns the ferry"}},
		{"Sum up our talk, please.", []string{"Teague owns the ferry", "A fine name"}},
		{"What did I say about the dragon?", nil},
	} {
		turn := b.Turn("mira", c.message)
		turn.Convo = &schema.Conversation{Memory: []schema.Line{
			{Speaker: "player", TurnID: "t1", Source: schema.OriginUser, Text: "Who owns the ferry?"},
			{Speaker: "npc", TurnID: "t1", Source: schema.OriginModel, Text: "Teague owns the ferry."},
			{Speaker: "player", TurnID: "t2", Source: schema.OriginUser, Text: "My axe is called Grumbler."},
			{Speaker: "npc", TurnID: "t2", Source: schema.OriginModel, Text: "A fine name."},
		}}
		if _, err := b.Handlers[schema.PassRetrieve](t.Context(), turn); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range turn.Evidence {
			if e.Type == "session" {
				got = append(got, e.Text)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %q, want %d lines", c.message, got, len(c.want))
			continue
		}
		for i, part := range c.want {
			if !strings.Contains(got[i], part) {
				t.Errorf("%s: line %d is %q, want %q", c.message, i+1, got[i], part)
			}
		}
	}
}

// A world that refuses recaps has its NPCs refuse them in character: nothing of the talk
// is quoted, and what is remembered of a player is still told.
func TestAWorldMayRefuseRecaps(t *testing.T) {
	const refuses, unknown = "That stays with me.", "That I could not tell you."
	for _, c := range []struct {
		policy, message, want string
		status                schema.Status
	}{
		{"recap: []", "Sum up our talk, please.", refuses, schema.StatusWithheld},
		{"recap: []", "What did you say about the ferry?", refuses, schema.StatusWithheld},
		{"recap: []", "What was the first thing I asked you?", refuses, schema.StatusWithheld},
		{"recap: []", "Where do I live?", "You told me that you live in Oakham.", schema.StatusExtractive},
		{"recap: []", "Who owns the ferry?", "Teague owns the ferry.", schema.StatusExtractive},
		{"recap: [user]", "Sum up our talk, please.", refuses, schema.StatusWithheld},
		{"recap: [user]", "What did I say about the rope?", "You told me that the rope was too short.",
			schema.StatusExtractive},
		{"shared_past: []", "Sum up our talk, please.", refuses, schema.StatusWithheld},
		{"recap: [user, system]", "What did you say about the ferry?", "I said: “Teague owns the ferry.”",
			schema.StatusExtractive},
		{"recap: [user, system]", "What did I say about the dragon?", unknown, schema.StatusUnknown},
	} {
		files := servicetest.Village()
		files["world.yaml"].Data = append(files["world.yaml"].Data, "source_policy: {"+c.policy+"}\n"...)
		b := servicetest.New(t, files)
		turn := b.Turn("mira", c.message)
		turn.PlayerName = "Ansel"
		at := servicetest.Now.Add(-time.Minute)
		turn.Convo = &schema.Conversation{World: "village", NPC: "mira", Player: "p1", Memory: []schema.Line{
			{Speaker: "player", TurnID: "t1", At: at, Source: schema.OriginUser, Text: "Who owns the ferry?"},
			{Speaker: "npc", TurnID: "t1", At: at, Source: schema.OriginSystem, Verbatim: true,
				Text: "Teague owns the ferry."},
			{Speaker: "player", TurnID: "t2", At: at, Source: schema.OriginUser, Text: "I live in Oakham."},
			{Speaker: "player", TurnID: "t3", At: at, Source: schema.OriginUser, Text: "The rope was too short."},
		}}
		r := b.Walk(t, turn, schema.PassRetrieve)
		if r.Text != c.want || r.Status != c.status {
			t.Errorf("%s, %s: %s %q, want %s %q", c.policy, c.message, r.Status, r.Text, c.status, c.want)
		}
		if r.Status == schema.StatusWithheld && r.Reason != schema.ReasonPolicy {
			t.Errorf("%s, %s: the reason is %s", c.policy, c.message, r.Reason)
		}
	}
}
