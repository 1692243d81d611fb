package bench

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/recorded"
)

// What is recorded goes through the review as it streams: a sentence of the evidence is
// spoken, one that nothing shown supports is not, and the cause is told.
func TestSpeechTellsWhatIsSpoken(t *testing.T) {
	rows := []recorded.Row{{ID: "a/1", NPC: "teague", Name: "Teague", Message: "who owns the ferry?", Style: "good",
		Self:     "Teague is the ferryman.\nPersonality: gruff",
		Evidence: []recorded.Block{{ID: "E1", Text: "Teague owns the ferry. A crossing costs two bits."}},
		Sentences: []recorded.Sentence{
			{Text: "A crossing costs two bits.", Cites: []string{"E1"}, Label: recorded.Supported},
			{Text: "Aldric of Saltmere sank it in a storm.", Cites: []string{"E1"}, Label: recorded.Unsupported},
		}}}
	out, err := Speech(t.Context(), rows, SpeechOptions{})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := out.ByLabel[recorded.Supported], out.ByLabel[recorded.Unsupported]
	if out.Speeches != 1 || out.Heard != 1 || good != (Spoken{1, 1, 1}) || bad != (Spoken{N: 1}) {
		t.Errorf("%+v", out)
	}
	if len(out.Refused) != 1 || out.Refused[0].False != 1 || out.Refused[0].True != 0 || out.Refused[0].Cause == "" {
		t.Errorf("refused: %+v", out.Refused)
	}
}
