package speaker_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
	"github.com/forsooth-npc/forsooth/services/speaker"
)

// hears reads every message as one request.
type hears deed.Reading

func (h hears) Read(context.Context, deed.Asked, []schema.ActionSpec) (deed.Reading, error) {
	return deed.Reading(h), nil
}

func TestWhatBecomesOfARequest(t *testing.T) {
	lend := schema.ActionSpec{Name: "lend_tool", Requires: "trust >= 20 and not flags.siege",
		Parameters: json.RawMessage(`{"type":"object","properties":{"tool":{"enum":["hammer"]}},"required":["tool"]}`),
		SpeechActs: []string{"Take the hammer, and bring it back."}, Asks: []string{"Which tool?"}}
	hammer := map[string]any{"tool": "hammer"}
	cases := []struct {
		name    string
		reading deed.Reading
		trust   int
		flags   []string
		want    schema.Deed
		lines   []string // one of these is said
	}{
		{"it is done", deed.Reading{Kind: deed.Act, Spec: lend, Parameters: hammer, Meant: 0.9}, 20, nil,
			schema.Deed{Outcome: schema.DeedTaken, Action: "lend_tool"}, lend.SpeechActs},
		{"more trust would do", deed.Reading{Kind: deed.Act, Spec: lend, Parameters: hammer, Meant: 0.9}, 19, nil,
			schema.Deed{Outcome: schema.DeedRefused, Action: "lend_tool", Reason: schema.RefusedTrust},
			line(world.LineDeedTrust)},
		{"trust alone would not", deed.Reading{Kind: deed.Act, Spec: lend, Parameters: hammer, Meant: 0.9}, 50,
			[]string{"siege"}, schema.Deed{Outcome: schema.DeedRefused, Action: "lend_tool", Reason: schema.RefusedRequires},
			line(world.LineDeedRequires)},
		{"it is none of the NPC's", deed.Reading{Kind: deed.NotMine, Meant: 0.9}, 20, nil,
			schema.Deed{Outcome: schema.DeedRefused, Reason: schema.RefusedNotMine}, line(world.LineDeedNotMine)},
		{"it is asked back", deed.Reading{Kind: deed.Unclear, Spec: lend, Missing: []string{"tool"}, Meant: 0.9}, 20,
			nil, schema.Deed{Outcome: schema.DeedAsked, Action: "lend_tool"}, lend.Asks},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := asked(t, c.reading, lend, c.trust, c.flags)
			if r.Deed == nil || r.Deed.Outcome != c.want.Outcome || r.Deed.Action != c.want.Action ||
				r.Deed.Reason != c.want.Reason {
				t.Fatalf("came to %+v, want %+v", r.Deed, c.want)
			}
			if !slices.Contains(c.lines, r.Text) {
				t.Errorf("says %q, want one of %q", r.Text, c.lines)
			}
			if taken := len(r.Actions) == 1 && r.Actions[0].Checked; taken != (c.want.Outcome == schema.DeedTaken) {
				t.Errorf("took %+v", r.Actions)
			}
		})
	}
}

// The check of package deed is the last gate, whatever a reader has read.
func TestAReadRequestThatFailsItsCheckIsNotDone(t *testing.T) {
	lend := schema.ActionSpec{Name: "lend_tool", SpeechActs: []string{"Take it."}, Parameters: json.RawMessage(
		`{"type":"object","properties":{"tool":{"enum":["hammer"]}},"required":["tool"]}`)}
	crown := map[string]any{"tool": "crown"}
	r := asked(t, deed.Reading{Kind: deed.Act, Spec: lend, Parameters: crown, Meant: 1}, lend, 90, nil)
	if r.Deed != nil || slices.ContainsFunc(r.Actions, func(a schema.Action) bool { return a.Checked }) {
		t.Errorf("came to %+v and took %+v", r.Deed, r.Actions)
	}
}

func asked(t *testing.T, reading deed.Reading, spec schema.ActionSpec, trust int, flags []string) *schema.Reply {
	t.Helper()
	b := servicetest.New(t, servicetest.Village())
	s := speaker.New(b.Library, speaker.Options{Requests: hears(reading),
		Similar: func(_ string, all []string) []float64 { return make([]float64, len(all)) }})
	b.Handlers[schema.PassDecide], b.Handlers[schema.PassSpeak] = s.Decide, s.Speak
	turn := b.Turn("mira", "Do that thing for me now, would you?")
	turn.Trust, turn.Flags, turn.AllowedActions = &trust, flags, []schema.ActionSpec{spec}
	return b.Walk(t, turn, schema.PassRetrieve)
}

func line(kind string) []string {
	var mira world.NPC
	return mira.Line(kind, "en")
}
