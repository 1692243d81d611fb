package reviewer_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Feedback asks for the evidence's own words as the NPC was shown them: a model that
// was shown "I forged" is not told to say "Teague forged".
func TestFeedbackIsInTheNPCsPerson(t *testing.T) {
	b, _ := staged(t, stage{})
	turn := draft(t, b, cite("I was the one behind the making of the new bell.", "ferry"))
	turn.SpeechReview, turn.Speech.Attempt = nil, 1
	turn.Evidence[0].Text = "Mira forged the new bell."
	turn.Speech.Sentences[0].Citations[0].EvidenceID = turn.Evidence[0].ID
	if next, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil || next != schema.PassSpeak {
		t.Fatalf("next %s, %v", next, err)
	}
	if i := turn.SpeechReview.Issues; len(i) != 1 || !strings.Contains(i[0].Correction, "say it in its own words: "+
		"“I forged the new bell.”") {
		t.Errorf("issues %+v", i)
	}
}
