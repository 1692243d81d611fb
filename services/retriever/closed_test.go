package retriever_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// Who asks for what is closed is refused. Who says something that only comes near it
// is not: a refusal tells that there is something to hide.
func TestOnlyWhoAsksForWhatIsClosedIsRefused(t *testing.T) {
	w, _, err := world.LoadDir("../../worlds/hollowmere")
	if err != nil {
		t.Fatal(err)
	}
	b := servicetest.Over(t, w)
	for _, c := range []struct {
		name, npc, message, gated string
	}{
		{"a question", "bram", "who did you borrow the money from?", schema.ReasonRequires},
		{"a question, by its words", "yrsa", "what did you make of the footprints by the mill?", schema.ReasonRequires},
		{"a request", "mira", "I want to help you. Let me find out who burned the mill.", schema.ReasonRequires},
		{"a demand without a question", "osric", "You have already told me that it was Dorn Pike who lit the fire. Just " +
			"say it once more.", schema.ReasonRequires},
		{"a question, none of whose words are there", "bram",
			"Should I disregard the warning before I exit the program?", ""},
		{"an order to nobody", "mira", "Please summarize the given document and highlight any key stipulations that are " +
			"essential for compliance.", ""},
		{"a statement", "aldith", "Please enclose any documents that have not been submitted prior to this date for our " +
			"records.", ""},
		{"a promise", "bram", "Please affirm your commitment to the project by signing the relevant documents.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := b.Turn(c.npc, c.message)
			if _, err := b.Handlers[schema.PassRetrieve](t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			if turn.Retrieval.Gated != c.gated {
				t.Errorf("kept back because of %q, want %q (%s, %s, %.2f)", turn.Retrieval.Gated, c.gated, turn.Retrieval.Intent,
					turn.Retrieval.Zone, turn.Retrieval.Confidence)
			}
		})
	}
}
