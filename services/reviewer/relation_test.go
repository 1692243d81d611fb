package reviewer_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// What is owed is told from the record, with its source. The same record grounds no claim
// about the world, whoever drafts it and whatever it cites.
func TestAFavourIsToldAndGroundsNothingOfTheWorld(t *testing.T) {
	owed := &schema.Conversation{World: "village", NPC: "mira", Player: "p1", Ledger: []schema.Favour{{
		What: "the planks of the weir that broke in March", Owes: schema.SideNPC, TurnID: "t0", Source: schema.OriginSystem}}}
	const said = "I owe you for the planks of the weir that broke in March."
	b := servicetest.New(t, servicetest.Village())
	turn := b.Turn("mira", "Do you owe me anything?")
	turn.Convo = owed
	r := b.Walk(t, turn, schema.PassRetrieve)
	if r.Text != said || !r.Sentences[0].Authored || len(r.Sentences[0].Evidence) != 1 ||
		r.Sentences[0].Evidence[0].Path != "turn:t0" {
		t.Fatalf("%s: %+v", r.Text, r.Sentences)
	}
	for _, draft := range []protocol.DraftSentence{
		{Text: "The weir broke in March.", Citations: []protocol.Citation{{EvidenceID: "R1"}}},
		{Text: "The weir broke in March.", Authored: true, Citations: []protocol.Citation{{EvidenceID: "R1"}}},
		{Text: "The weir of the mere broke in March.", Citations: []protocol.Citation{{EvidenceID: "R1"}}},
	} {
		turn := b.Turn("mira", "Do you owe me anything?")
		turn.Convo = owed
		if _, err := b.Handlers[schema.PassRetrieve](t.Context(), turn); err != nil || len(turn.Evidence) != 1 {
			t.Fatalf("%v: %+v", err, turn.Evidence)
		}
		turn.Decision = &protocol.Decision{Kind: protocol.KindAnswer, Share: []string{"R1"}}
		for range 3 { // it may be sent back before it is stripped
			turn.Speech = &protocol.Speech{Speaker: "model", Attempt: 3, Sentences: []protocol.DraftSentence{draft}}
			if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range turn.Released {
			if s.Text == draft.Text {
				t.Errorf("%+v was released", draft)
			}
		}
	}
}
