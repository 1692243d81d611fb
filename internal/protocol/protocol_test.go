package protocol_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestTurnCarriesUnknownFields(t *testing.T) {
	in := `{"turn_id":"t1","world":"w","npc":"n","player":"p","message":"hi","hop":0,"pass":"think","mood":{"a":[1,2]}}`
	turn, err := protocol.DecodeTurn([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	out, err := protocol.EncodeTurn(turn)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if string(got["mood"]) != `{"a":[1,2]}` {
		t.Errorf("mood = %s, want it unchanged", got["mood"])
	}
}

// A message that moderation blocked is taken out of its turn, and the turn goes on
// to its authored line.
func TestATurnWithAnEndingTravelsWithoutItsMessage(t *testing.T) {
	turn := &protocol.Turn{Pass: schema.PassSpeak, AcceptedAt: time.Unix(0, 0).UTC(),
		Request: schema.Request{TurnID: "t", World: "w", NPC: "n", Player: "p"}}
	if err := turn.Validate(); err == nil {
		t.Error("a turn without a message and without an ending is taken")
	}
	turn.Ending = &protocol.Ending{Status: schema.StatusWithheld, Reason: schema.ReasonModerated, Line: "refuse"}
	data, err := protocol.EncodeTurn(turn)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := protocol.DecodeTurn(data); err != nil || got.Message != "" {
		t.Errorf("%+v, %v", got, err)
	}
	turn.NPC = ""
	if err := turn.Validate(); err == nil {
		t.Error("an ending excuses a turn from naming its NPC")
	}
}

func TestSubjectsRoundTrip(t *testing.T) {
	c := schema.ConversationID{World: "w", NPC: "n", Player: "p"}
	for subject, want := range map[string]protocol.Subject{
		protocol.SubjectTurn(c):                        {Kind: "turn", Conversation: c},
		protocol.SubjectPass(schema.PassThink, c, "t"): {Kind: "pass", Pass: "think", Conversation: c, Turn: "t"},
		protocol.SubjectReply(c, "t"):                  {Kind: "reply", Conversation: c, Turn: "t"},
		protocol.SubjectDue(c, "t"):                    {Kind: "due", Conversation: c, Turn: "t"},
		protocol.SubjectAction(c, "t", 2):              {Kind: "action", Conversation: c, Turn: "t", Index: "2"},
	} {
		got, err := protocol.ParseSubject(subject)
		if err != nil || got != want {
			t.Errorf("ParseSubject(%s) = %+v, %v; want %+v", subject, got, err, want)
		}
	}
	for _, bad := range []string{"", "x", protocol.Prefix, protocol.Prefix + "pass", protocol.Prefix + "turn.a.b"} {
		if _, err := protocol.ParseSubject(bad); err == nil {
			t.Errorf("ParseSubject(%q) took it", bad)
		}
	}
}

func FuzzDecodeTurn(f *testing.F) {
	f.Add([]byte(`{"turn_id":"t1","world":"w","npc":"n","player":"p","message":"hi","hop":0,"pass":"think","x":1}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`[1]`))
	f.Add([]byte(`{"turn_id":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		turn, err := protocol.DecodeTurn(data)
		if err != nil {
			return
		}
		out, err := protocol.EncodeTurn(turn)
		if err != nil {
			if errors.Is(err, schema.ErrInvalid) {
				return
			}
			t.Fatal(err)
		}
		if _, err := protocol.DecodeTurn(out); err != nil {
			t.Fatalf("what was encoded does not decode: %v\n%s", err, out)
		}
	})
}
