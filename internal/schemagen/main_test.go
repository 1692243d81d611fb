package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const committed = "../../docs/schema"

func TestCommittedSchemasAreCurrent(t *testing.T) {
	files, err := generate(schemaDir, protocolDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/schema/%s is not current (%v); run go generate ./internal/schemagen", name, err)
		}
	}
	entries, err := os.ReadDir(committed)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) && files[e.Name()] == nil {
			t.Errorf("docs/schema/%s belongs to no type; delete it", e.Name())
		}
	}
}

// compiled is a committed schema, with references between the files followed.
func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	path, err := filepath.Abs(filepath.Join(committed, name+suffix))
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEverySchemaCompiles(t *testing.T) {
	for _, d := range documents {
		compiled(t, d.name)
	}
}

// What the schema of a request says and what Validate says are one rule.
func TestRequestSchemaAgreesWithValidation(t *testing.T) {
	s := compiled(t, "turn-request")
	const good = `{"turn_id":"t1","world":"hollowmere","npc":"mira","player":"p42","message":"Who burned the mill?"}`
	with := func(field, value string) string {
		var m map[string]json.RawMessage
		if err := json.Unmarshal([]byte(good), &m); err != nil {
			t.Fatal(err)
		}
		m[field] = json.RawMessage(value)
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, c := range []struct {
		name, data string
		ok         bool
	}{
		{"the least", good, true},
		{"no player", strings.Replace(good, `"player":"p42",`, "", 1), false},
		{"an empty message", with("message", `"  "`), false},
		{"a dot in an id", with("npc", `"mi.ra"`), false},
		{"the reserved id", with("player", `"_"`), false},
		{"an id of 65", with("turn_id", `"`+strings.Repeat("a", 65)+`"`), false},
		{"an id of 64", with("turn_id", `"`+strings.Repeat("a", 64)+`"`), true},
		{"a deadline too short", with("deadline_ms", `1999`), false},
		{"a deadline too long", with("deadline_ms", `60001`), false},
		{"a deadline", with("deadline_ms", `2000`), true},
		{"no deadline", with("deadline_ms", `0`), true},
		{"trust", with("trust", `-100`), true},
		{"too much trust", with("trust", `101`), false},
		{"a newer minor", with("schema_version", `"1.7"`), true},
		{"another major", with("schema_version", `"2.0"`), false},
		{"an unknown field", with("weather", `"fog"`), true},
		{"a field of another kind", with("flags", `"one"`), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(c.data))
			if err != nil {
				t.Fatal(err)
			}
			bySchema := s.Validate(doc)
			_, byCode := schema.DecodeRequest([]byte(c.data))
			if (bySchema == nil) != c.ok || (byCode == nil) != c.ok {
				t.Errorf("%s: want ok=%v; schema says %v, Validate says %v", c.data, c.ok, bySchema, byCode)
			}
		})
	}
}

// A turn that has run fits its schema.
func TestTurnAndReplyFitTheirSchemas(t *testing.T) {
	turn := &protocol.Turn{Request: schema.Request{TurnID: "t1", World: "w", NPC: "n", Player: "p", Message: "Well?"},
		Hop: 3, Pass: schema.PassSpeak,
		Retrieval: &protocol.Retrieval{Intent: protocol.IntentQuestion, Zone: protocol.ZoneExtractive, Confidence: 0.5},
		Evidence: []protocol.Evidence{
			{ID: "E1", Path: "lore/a.txt", Text: "So.", Provenance: protocol.Provenance{Source: schema.OriginCorpus}}},
		Decision: &protocol.Decision{Plan: []string{"say it"}, Kind: protocol.KindAnswer}}
	data, err := protocol.EncodeTurn(turn)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := json.Marshal(schema.Reply{SchemaVersion: schema.Version, TurnID: "t1", World: "w", NPC: "n", Player: "p",
		Status: schema.StatusExtractive,
		Audit:  schema.FullyCited, Sentences: []schema.Sentence{
			{Seq: 1, Text: "So.", Evidence: []schema.EvidenceRef{{ID: "E1", Source: schema.OriginCorpus}}}},
		SourceCounts: map[schema.Origin]int{schema.OriginCorpus: 1}, Passes: []schema.PassRecord{{Pass: schema.PassAct}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"turn": data, "reply": reply} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled(t, name).Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
