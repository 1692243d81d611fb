package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

// What is recorded goes through the review as it streams: a sentence of the evidence is
// spoken, one that nothing shown supports is not, and the cause is told.
func TestSpeechTellsWhatIsSpoken(t *testing.T) {
	rows := []llmtest.Speech{{ID: "a/1", NPC: "teague", Name: "Teague", Message: "who owns the ferry?", Style: "good",
		Self:     "Teague is the ferryman.\nPersonality: gruff",
		Evidence: []llmtest.SpeechBlock{{ID: "E1", Text: "Teague owns the ferry. A crossing costs two bits."}},
		Sentences: []llmtest.SpeechSentence{
			{Text: "A crossing costs two bits.", Cites: []string{"E1"}, Label: llmtest.Supported},
			{Text: "Aldric of Saltmere sank it in a storm.", Cites: []string{"E1"}, Label: llmtest.Unsupported},
		}}}
	out, err := Speech(t.Context(), rows, SpeechOptions{})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := out.ByLabel[llmtest.Supported], out.ByLabel[llmtest.Unsupported]
	if out.Speeches != 1 || out.Heard != 1 || good != (Spoken{1, 1, 1}) || bad != (Spoken{N: 1}) {
		t.Errorf("%+v", out)
	}
	if len(out.Refused) != 1 || out.Refused[0].False != 1 || out.Refused[0].True != 0 || out.Refused[0].Cause == "" {
		t.Errorf("refused: %+v", out.Refused)
	}
}

// What the policies let out of natural speech that nothing was fitted on, and what a judge
// may change: a good one lets nearly all that is true out, a bad one no more that is false.
func TestRecordedSpeechMeetsItsBars(t *testing.T) {
	data := os.Getenv("FORSOOTH_TEST_DATA")
	if data == "" || os.Getenv("FORSOOTH_EVALS") == "" {
		t.Skip("it takes minutes: `make evals` runs it, where FORSOOTH_TEST_DATA names the recorded speeches")
	}
	rows, err := llmtest.ReadSpeechFile(filepath.Join(data, "npc", "speech.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		policy      grounding.Level
		judge       SpeechJudge
		least, most float64 // percent of the true sentences, and of the false ones
		silent      float64 // percent of the sentences without a claim that are kept back; 0: not looked at
		calls       float64 // of the judge, a turn
		alone       bool    // the model in process is missing, and the judge decides alone
		claims      bool    // the judge is asked about each claim of a long sentence as well
	}{
		{grounding.Balanced, RecordedJudge, 90, 1, 3, 1.3, false, false},
		{grounding.Balanced, RecordedJudge, 90, 1, 3, 1.4, false, true},
		{grounding.Balanced, RecordedJudge, 90, 1, 12, 1.3, true, false},
		{grounding.Balanced, LyingJudge, 0, 0, 0, 0, true, false},
		{grounding.Balanced, NoJudge, 25, 4, 0, 0, false, false},
		{grounding.Lively, NoJudge, 50, 8, 0, 0, false, false},
		{grounding.Strict, NoJudge, 0, 0.3, 0, 0, false, false},
		{grounding.Balanced, LyingJudge, 25, 4, 0, 0, false, false},
		{grounding.Balanced, CoinJudge, 25, 4, 0, 0, false, false},
		{grounding.Balanced, FailingJudge, 60, 4, 0, 2.5, false, false},
	} {
		t.Run(fmt.Sprintf("%s %s, alone %t, claims %t", c.policy, c.judge, c.alone, c.claims), func(t *testing.T) {
			g := grounding.DefaultSettings()
			g.Level = c.policy
			out, err := Speech(t.Context(), rows,
				SpeechOptions{Grounding: &g, Judge: c.judge, Claims: c.claims, Verifying: app.Verifying{NoModel: c.alone}})
			if err != nil {
				t.Fatal(err)
			}
			percent := func(label string) float64 { return out.ByLabel[label].Percent() }
			good, bad, none := percent(llmtest.Supported), percent(llmtest.Unsupported), percent(llmtest.NoClaim)
			t.Logf("true %.1f %%, false %.1f %%, without a claim %.1f %%, %.2f calls, %.2f of them about claims, heard %d of %d",
				good, bad, none, out.Calls, out.Claims, out.Heard, out.Speeches)
			if good < c.least || bad > c.most || out.Calls > c.calls || c.silent > 0 && none < 100-c.silent {
				t.Error("a bar is not met")
			}
		})
	}
}
