package retriever_test

import (
	"strings"
	"testing"

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
