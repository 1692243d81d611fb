package retriever_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A question word alone, and a correction of whom was meant, are read from the question before them. Where nothing
// was asked before, they are what they were.
func TestAMessageThatAsksNothingByItself(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	for _, c := range []struct {
		before, message string
		want            string // the question; empty: it is none
	}{
		{"Who owns the ferry?", "why?", "why?"},
		{"Who owns the ferry?", "Since when?", "Since when?"},
		{"Who owns the ferry?", "and why not", "and why not"},
		{"Where does Mira live?", "no sorry, i meant the ferryman", "Where does the ferryman live?"},
		{"How old is he?", "No, not him. I mean the ferryman.", "How old is the ferryman?"},
		{"What does the ferry cost?", "i meant in winter", "in winter: What does the ferry cost?"},
		{"I like your town.", "why?", ""},
		{"", "why?", ""},
	} {
		turn := b.Turn("mira", c.message)
		if c.before != "" {
			turn.Convo = &schema.Conversation{Memory: []schema.Line{
				{Speaker: "player", TurnID: "t1", Source: schema.OriginUser, Text: c.before},
				{Speaker: "npc", TurnID: "t1", Source: schema.OriginSystem, Text: "I could not say."},
			}}
		}
		if _, err := b.Handlers[schema.PassRetrieve](t.Context(), turn); err != nil {
			t.Fatal(err)
		}
		got := ""
		if turn.Retrieval.Intent == protocol.IntentQuestion {
			got = turn.Retrieval.Query
		}
		if got != c.want {
			t.Errorf("%q after %q asks %q, want %q", c.message, c.before, got, c.want)
		}
	}
}
