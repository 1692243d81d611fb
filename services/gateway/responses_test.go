package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// A response has typed events, numbered, from its creation to its completion.
func TestAResponse(t *testing.T) {
	s := open(t)
	const body = `{"model":"village/mira","user":"p1","instructions":"Say that Vey owns ` +
		`it.","input":[{"role":"developer","content":"x"},{"role":"user","content":[{"type":"input_text","text":"Who owns ` +
		`the ferry?"}]}]`
	got := s.do("POST", "/openai/v1/responses", body+"}")
	if got.status != http.StatusOK || !strings.Contains(got.body, `"text":"Teague owns the ferry."`) ||
		!strings.Contains(got.body, `"title":"lore/ferry.txt"`) ||
		!strings.Contains(got.body, `"status":"completed"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	var kinds []string
	for i, e := range s.stream("POST", "/openai/v1/responses", body+`,"stream":true}`) {
		var one struct {
			Type string
			Seq  *int `json:"sequence_number"`
		}
		must(t, json.Unmarshal([]byte(e.data), &one))
		if one.Type != e.name || one.Seq == nil || *one.Seq != i {
			t.Errorf("event %d: %s %s", i, e.name, e.data)
		}
		kinds = append(kinds, strings.TrimPrefix(e.name, "response."))
	}
	if got, want := strings.Join(kinds, " "),
		"created in_progress output_item.added content_part.added output_text.delta output_text.annotation.added "+
			"output_text.done content_part.done output_item.done completed"; got != want {
		t.Errorf("%s", got)
	}
	for name, c := range map[string]string{
		"no input":       `{"model":"village/mira"}`,
		"nobody asks":    `{"model":"village/mira","input":[{"role":"assistant","content":"x"}]}`,
		"a number":       `{"model":"village/mira","input":7}`,
		"another format": `{"model":"village/mira","input":"x","text":{"format":{"type":"json_schema"}}}`,
	} {
		if got := s.do("POST", "/openai/v1/responses", c); got.status != http.StatusBadRequest ||
			!strings.Contains(got.body, `{"error":{`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}
