package schema_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestTurnCarriesUnknownFields(t *testing.T) {
	in := `{"turn_id":"t1","world":"w","npc":"n","player":"p","message":"hi","hop":0,"pass":"think","mood":{"a":[1,2]}}`
	turn, err := schema.DecodeTurn([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	out, err := schema.EncodeTurn(turn)
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

func TestRequestValidation(t *testing.T) {
	good := func() schema.Request {
		return schema.Request{TurnID: "t", World: "w", NPC: "n", Player: "p", Message: "hi"}
	}
	cases := []struct {
		name  string
		edit  func(*schema.Request)
		field string
	}{
		{"a good request", func(*schema.Request) {}, ""},
		{"no npc", func(r *schema.Request) { r.NPC = "" }, "npc"},
		{"underscore alone", func(r *schema.Request) { r.Player = "_" }, "player"},
		{"a dot in an id", func(r *schema.Request) { r.World = "a.b" }, "world"},
		{"65 characters", func(r *schema.Request) { r.TurnID = strings.Repeat("x", 65) }, "turn_id"},
		{"blank message", func(r *schema.Request) { r.Message = " \n" }, "message"},
		{"64 KiB and one", func(r *schema.Request) { r.Message = strings.Repeat("x", 64<<10+1) }, "message"},
		{"not UTF-8", func(r *schema.Request) { r.Message = "\xff" }, "message"},
		{"deadline too short", func(r *schema.Request) { r.DeadlineMS = 1 }, "deadline_ms"},
		{"trust out of range", func(r *schema.Request) { n := 101; r.Trust = &n }, "trust"},
		{"another major", func(r *schema.Request) { r.SchemaVersion = "2.0" }, "schema_version"},
		{"another minor", func(r *schema.Request) { r.SchemaVersion = "1.9" }, ""},
		{"supersedes itself", func(r *schema.Request) { r.Supersedes = "t" }, "supersedes"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := good()
			c.edit(&r)
			err := r.Validate()
			if c.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var fe *schema.FieldError
			if !errors.As(err, &fe) || fe.Field != c.field || !errors.Is(err, schema.ErrInvalid) {
				t.Fatalf("err = %v, want one about %s", err, c.field)
			}
		})
	}
}

// A message that moderation blocked is taken out of its turn, and the turn goes on
// to its authored line.
func TestATurnWithAnEndingTravelsWithoutItsMessage(t *testing.T) {
	turn := &schema.Turn{Pass: schema.PassSpeak, AcceptedAt: time.Unix(0, 0).UTC(), Request: schema.Request{TurnID: "t", World: "w", NPC: "n", Player: "p"}}
	if err := turn.Validate(); err == nil {
		t.Error("a turn without a message and without an ending is taken")
	}
	turn.Ending = &schema.Ending{Status: schema.StatusWithheld, Reason: schema.ReasonModerated, Line: "refuse"}
	data, err := schema.EncodeTurn(turn)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := schema.DecodeTurn(data); err != nil || got.Message != "" {
		t.Errorf("%+v, %v", got, err)
	}
	turn.NPC = ""
	if err := turn.Validate(); err == nil {
		t.Error("an ending excuses a turn from naming its NPC")
	}
}

func TestSubjectsRoundTrip(t *testing.T) {
	c := schema.ConversationID{World: "w", NPC: "n", Player: "p"}
	for subject, want := range map[string]schema.Subject{
		schema.SubjectTurn(c):                        {Kind: "turn", Conversation: c},
		schema.SubjectPass(schema.PassThink, c, "t"): {Kind: "pass", Pass: "think", Conversation: c, Turn: "t"},
		schema.SubjectReply(c, "t"):                  {Kind: "reply", Conversation: c, Turn: "t"},
		schema.SubjectDue(c, "t"):                    {Kind: "due", Conversation: c, Turn: "t"},
		schema.SubjectAction(c, "t", 2):              {Kind: "action", Conversation: c, Turn: "t", Index: "2"},
	} {
		got, err := schema.ParseSubject(subject)
		if err != nil || got != want {
			t.Errorf("ParseSubject(%s) = %+v, %v; want %+v", subject, got, err, want)
		}
	}
	for _, bad := range []string{"", "x", schema.Prefix, schema.Prefix + "pass", schema.Prefix + "turn.a.b"} {
		if _, err := schema.ParseSubject(bad); err == nil {
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
		turn, err := schema.DecodeTurn(data)
		if err != nil {
			return
		}
		out, err := schema.EncodeTurn(turn)
		if err != nil {
			if errors.Is(err, schema.ErrInvalid) {
				return
			}
			t.Fatal(err)
		}
		if _, err := schema.DecodeTurn(out); err != nil {
			t.Fatalf("what was encoded does not decode: %v\n%s", err, out)
		}
	})
}
