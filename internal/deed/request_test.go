package deed_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// baker is an NPC of no world, with an action of each kind.
func baker() []schema.ActionSpec {
	return []schema.ActionSpec{
		{Name: "give_quest", Parameters: json.RawMessage(`{"type":"object","properties":{"quest":{"const":"lost_oven"}}}`)},
		{Name: "sell_bread", Description: "Sell the player bread or cake", Parameters: json.RawMessage(
			`{"type":"object","properties":{"item":{"type":"string","enum":["rye_loaf","plum_cake"]},` +
				`"coins":{"type":"integer","minimum":1,"maximum":20}},"required":["item"]}`),
			Phrasings: []string{"A loaf of bread, please.", "Could I have some cake?"},
			Words:     map[string][]string{"rye_loaf": {"loaf", "bread"}, "plum_cake": {"cake"}},
			Asks:      []string{"Bread or cake?"}},
		{Name: "send_message", Description: "Send a message to somebody", Parameters: json.RawMessage(
			`{"type":"object","properties":{"to":{"type":"string","enum":["miller","smith"]},"text":{"type":"string"}},` +
				`"required":["to","text"]}`), Asks: []string{"Who is it for, and what shall I say?"}},
	}
}

func reader(t *testing.T) *deed.Reader {
	t.Helper()
	encoder, err := app.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	return deed.NewReader(encoder)
}

func TestRequestsInOrdinaryWords(t *testing.T) {
	r := reader(t)
	type params = map[string]any
	cases := []struct {
		name   string
		asked  deed.Asked
		kind   deed.RequestKind
		action string
		params params
	}{
		{"work", deed.Asked{Message: "Give me a quest."}, deed.Act, "give_quest", params{"quest": "lost_oven"}},
		{"goods", deed.Asked{Message: "Could I have some cake, please?"}, deed.Act, "sell_bread",
			params{"item": "plum_cake"}},
		{"goods and price", deed.Asked{Message: "Please sell me a rye loaf for three coins."}, deed.Act, "sell_bread",
			params{"item": "rye_loaf", "coins": 3.0}},
		{"a number of something else before", deed.Asked{Message: "Please sell me a rye loaf.", ByNPC: true,
			Before: "Twelve years I have baked here."}, deed.Act, "sell_bread", params{"item": "rye_loaf"}},
		{"a message", deed.Asked{Message: "Please send the smith a message saying that the hinge broke."}, deed.Act,
			"send_message", params{"to": "smith", "text": "the hinge broke"}},
		{"a message without words", deed.Asked{Message: "Please send a message to the smith for me."}, deed.Unclear,
			"send_message", nil},
		{"the answer to the NPC's question", deed.Asked{Message: "The cake.", Before: "Bread or cake?", ByNPC: true,
			Earlier: "Sell me something."}, deed.Act, "sell_bread", params{"item": "plum_cake"}},
		{"what was named before stands", deed.Asked{Message: "The hinge broke.", ByNPC: true,
			Before: "Who is it for, and what shall I say?", Earlier: "Send a message to the smith."}, deed.Act,
			"send_message", params{"to": "smith", "text": "The hinge broke"}},
		{"a tale", deed.Asked{Message: "I bought a rye loaf from you last week."}, deed.NothingAsked, "", nil},
		{"a question about it", deed.Asked{Message: "What do you put into the plum cake?"}, deed.NothingAsked, "", nil},
		{"a denial", deed.Asked{Message: "No cake for me today."}, deed.NothingAsked, "", nil},
		{"another's words", deed.Asked{Message: "The smith told me that the hinge broke."}, deed.NothingAsked, "", nil},
		{"no answer to the question", deed.Asked{Message: "Who baked it?", Before: "Bread or cake?", ByNPC: true},
			deed.NothingAsked, "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := r.Read(t.Context(), c.asked, baker())
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != c.kind || got.Spec.Name != c.action {
				t.Fatalf("reads %q %s %v, missing %v (meant %.2f, sure %.2f); want %q %s", got.Kind, got.Spec.Name,
					got.Parameters, got.Missing, got.Meant, got.Sure, c.kind, c.action)
			}
			if c.params != nil && !deed.SameParameters(c.params, got.Parameters) {
				t.Errorf("fills %v, want %v", got.Parameters, c.params)
			}
		})
	}
}

func TestOfTwoNumbersNoneIsGuessed(t *testing.T) {
	spec := schema.ActionSpec{Name: "book_bed", Description: "Book beds", Parameters: json.RawMessage(
		`{"type":"object","properties":{"beds":{"type":"integer","minimum":1,"maximum":9}},"required":["beds"]}`)}
	r := reader(t)
	for message, missing := range map[string]bool{
		"Please book two beds.":          false,
		"Please book two or three beds.": true,
	} {
		got, err := r.Read(t.Context(), deed.Asked{Message: message}, []schema.ActionSpec{spec})
		if err != nil {
			t.Fatal(err)
		}
		if got.Spec.Name == "" || slices.Contains(got.Missing, "beds") != missing {
			t.Errorf("%q: %s, missing %v", message, got.Kind, got.Missing)
		}
	}
}

func TestTheFitIsOfTheEncoderThatShips(t *testing.T) {
	encoder, err := app.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	if got := deed.FittedOn(); got != encoder.ID() {
		t.Errorf("fit.json was fitted on %s and the encoder is %s; run `make fitting` and bin/deedfit", got, encoder.ID())
	}
}
