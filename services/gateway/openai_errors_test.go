package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Errors have OpenAI's shape.
func TestErrorsOfOpenAI(t *testing.T) {
	s := open(t)
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"no model":    {`{"messages":[{"role":"user","content":"x"}]}`, 404, "model_not_found"},
		"no messages": {`{"model":"village/mira"}`, 400, `"param":"messages"`},
		"nobody asks": {`{"model":"village/mira","messages":[{"role":"system","content":"x"}]}`, 400,
			`"param":"messages"`},
		"an empty message": {said(" ", ""), 400, `"param":"message"`},
		"two answers":      {said("x", `,"n":2`), 400, `"param":"n"`},
		"as JSON": {said("x", `,"response_format":{"type":"json_object"}`), 400,
			`"param":"response_format"`},
		"no JSON":             {`{`, 400, `"param":"body"`},
		"a number for a text": {`{"model":7}`, 400, `"param":"model"`},
		"content of numbers": {`{"model":"village/mira","messages":[{"role":"user","content":7}]}`, 400,
			`"param":"messages"`},
		"too long a message": {said(strings.Repeat("x", schema.MaxMessageBytes+1), ""), 400, `"param":"message"`},
		"too long a body":    {said(strings.Repeat("x", 5<<20), ""), 413, "too_large"},
	} {
		got := s.do("POST", completions, c.body)
		var e struct {
			Error *struct {
				Message, Type string
				Param, Code   *string
			}
		}
		got.json(t, &e)
		if got.status != c.status || !strings.Contains(got.body, c.want) || e.Error == nil || e.Error.Message == "" ||
			e.Error.Type != "invalid_request_error" ||
			e.Error.Code == nil {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := s.do("GET", completions, ""); got.status != http.StatusMethodNotAllowed ||
		!strings.Contains(got.body, `{"error":{`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}
