package speaker_test

import (
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// In a turn of one call the speech names its actions at its end. A speech that is sent
// back names them again, and each is taken once.
func TestASpeechThatIsRepeatedTakesItsActionsOnce(t *testing.T) {
	url, asked := servicetest.Model(t, map[string]string{"lean": `{"plan":"Send it.","sentences":[` +
		`{"text":"Teague owns the ferry.","citations":[{"claim":"","evidence_id":"E1"}]},` +
		`{"text":"Teague drowned a man once.","citations":[{"claim":"","evidence_id":"E1"}]}],"actions":["send_letter"]}`})
	files := servicetest.Village()
	files["world.yaml"] = &fstest.MapFile{Data: append(files["world.yaml"].Data, "depth: lean\n"...)}
	b := servicetest.NewWithModel(t, files, url)
	turn := b.Turn("mira", "Who owns the ferry?")
	turn.AllowedActions = []schema.ActionSpec{{Name: "send_letter"}}
	for pass := schema.PassRetrieve; pass != schema.PassSpeak; {
		turn.Passes = append(turn.Passes, schema.PassRecord{Pass: pass, Attempt: 1})
		var err error
		if pass, err = b.Handlers[pass](t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	turn.Retrieval.Query = "Who owns the ferry? Send a letter to him."
	r := b.Walk(t, turn, schema.PassSpeak)
	if n := len(asked("lean")); n < 2 {
		t.Fatalf("the model spoke %d times, so this shows nothing: %s %q", n, r.Status, r.Text)
	}
	if len(r.Actions) != 1 || !r.Actions[0].Checked {
		t.Errorf("takes %+v", r.Actions)
	}
}
