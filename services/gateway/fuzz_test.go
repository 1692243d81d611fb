package gateway

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Whatever comes as a body, it is read, or refused by one problem that is the caller's.
func FuzzBodies(f *testing.F) {
	for _, s := range []string{`{"player":"p1","message":"x"}`,
		`{"model":"a/b","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"stream_options":null}`,
		`{"input":[{"role":"user","content":"x"}]}`, `{"type":"say","say":{"player":7}}`,
		`{"messages":[{"role":"tool","tool_call_id":"call_t_1","content":"{\"error\":\"x\"}"}]}`,
		`{"game_time":"x"}`, "{\"\xff\":1}", `{"a":`, `{}{}`, "### Task:\n\"title\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var chat chatRequest
		var typed responsesRequest
		for _, into := range []any{&schema.Request{}, &schema.Occurrence{}, &schema.CheckQuery{},
			&schema.ActionResult{}, &TokenRequest{}, &Frame{}} {
			refused(t, decode(data, into, true))
		}
		refused(t, decode(data, &typed, false))
		err := decode(data, &chat, false)
		refused(t, err)
		if err == nil {
			refused(t, chat.check())
			_, err := chat.said()
			refused(t, err)
			for _, r := range chat.results() {
				if r.index >= 0 && schema.CheckToken("turn", r.turn) != nil {
					t.Errorf("%+v", r)
				}
			}
		}
		if answer, is := errand(string(data), "Mira"); is && !utf8.ValidString(answer) {
			t.Errorf("%q", answer)
		}
	})
}

func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	p := asProblem(err)
	body, encoded := json.Marshal(p)
	if p.Status < 400 || p.Status > 499 || encoded != nil || len(body) > 2000 {
		t.Errorf("%v: %d %s", err, p.Status, body)
	}
}
