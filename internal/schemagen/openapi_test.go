package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/services/gateway"
)

// The document that the gateway carries is made from its types, and names every door
// that there is, and none that there is not.
func TestTheOpenAPIDocumentIsCurrent(t *testing.T) {
	want, err := openapi()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(openapiFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not current (%v); run go generate ./internal/schemagen", openapiFile, err)
	}
	var named []string
	for _, d := range doors {
		named = append(named, d.pattern)
	}
	routed := gateway.Patterns()
	slices.Sort(named)
	slices.Sort(routed)
	if !slices.Equal(named, routed) {
		t.Errorf("the document names %v\nthe gateway routes %v", named, routed)
	}
	for _, d := range doors {
		if right := gateway.RightOf(d.pattern); right != d.right {
			t.Errorf("%s takes the right %q, the document says %q", d.pattern, right, d.right)
		}
	}
}

// Every reference leads to a schema, no two operations have one name, and a parameter has
// a name that can be sent.
func TestTheOpenAPIDocumentIsWhole(t *testing.T) {
	data, err := openapi()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			ID         string                               `json:"operationId"`
			Parameters []struct{ Name, Description string } `json:"parameters"`
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"\$ref": "#/components/schemas/(\w+)"`).FindAllSubmatch(data, -1) {
		if doc.Components.Schemas[string(m[1])] == nil {
			t.Errorf("%s leads nowhere", m[1])
		}
	}
	seen := map[string]bool{}
	for path, ops := range doc.Paths {
		for method, op := range ops {
			if seen[op.ID] {
				t.Errorf("%s %s is named %s as another is", method, path, op.ID)
			}
			seen[op.ID] = true
			for _, p := range op.Parameters {
				if !regexp.MustCompile(`^[A-Za-z][A-Za-z_-]*$`).MatchString(p.Name) || p.Description == "" {
					t.Errorf("%s %s has a parameter named %q: %q", method, path, p.Name, p.Description)
				}
			}
		}
	}
	for _, name := range []string{"Reply", "MeshReply", "Event", "Frame", "Shown", "Problem", "Request"} {
		if doc.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
}
