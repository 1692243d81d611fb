package deed_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestCheck(t *testing.T) {
	give := schema.ActionSpec{Name: "give_item", Requires: "trust >= 20",
		Parameters: json.RawMessage(`{"type":"object","required":["item"],"properties":{"item":{"enum":["key"]}}` +
			`,"additionalProperties":false}`)}
	remote := schema.ActionSpec{Name: "remote", Parameters: json.RawMessage(`{"$ref":"file:///etc/passwd"}`)}
	trust := schema.ActionSpec{Name: deed.Trust}
	allowed := []schema.ActionSpec{give, remote, trust}
	cases := []struct {
		name    string
		action  schema.Action
		trust   int
		refused string // part of the reason; empty means allowed
	}{
		{"all holds", schema.Action{Name: "give_item", Parameters: map[string]any{"item": "key"}}, 20, ""},
		{"not allowed", schema.Action{Name: "kill"}, 90, "not an action"},
		{"requires fails", schema.Action{Name: "give_item", Parameters: map[string]any{"item": "key"}}, 19, "requires trust"},
		{"wrong parameter", schema.Action{Name: "give_item", Parameters: map[string]any{"item": "crown"}}, 20, "parameters"},
		{"missing parameter", schema.Action{Name: "give_item"}, 20, "parameters"},
		{"a schema that wants a file", schema.Action{Name: "remote"}, 20, "not followed"},
		{"trust in bounds", schema.Action{Name: deed.Trust, Parameters: map[string]any{"delta": 10.0}}, 0, ""},
		{"trust out of bounds", schema.Action{Name: deed.Trust, Parameters: map[string]any{"delta": 11.0}}, 0, "delta"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := deed.Check(c.action, allowed, world.Facts{Trust: c.trust})
			if got.Checked != (c.refused == "") || !strings.Contains(got.Refused, c.refused) {
				t.Errorf("checked %v, refused %q; want %q", got.Checked, got.Refused, c.refused)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	spec := schema.ActionSpec{Parameters: json.RawMessage(`{"properties":{"quest":{"const":"mill"},"n":{"default":1}` +
		`,"to":{"enum":["a"]},"free":{"type":"string"}}}`)}
	got := deed.Defaults(spec)
	if len(got) != 3 || got["quest"] != "mill" || got["to"] != "a" {
		t.Errorf("got %v", got)
	}
}
