package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const committedAPI = "../../docs/" + asyncapiFile

// read is the committed document as anybody's reader has it.
func read(t *testing.T) map[string]any {
	t.Helper()
	data, err := os.ReadFile(committedAPI)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := yaml.UnmarshalWithOptions(data, &out, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCommittedAsyncAPIIsCurrent(t *testing.T) {
	want, err := asyncapi()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(committedAPI)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/%s is not current (%v); run go generate ./internal/schemagen", asyncapiFile, err)
	}
}

// A subject that internal/protocol builds and the document does not have would be one that
// a backend's author never hears of.
func TestEverySubjectOfTheContractHasAChannel(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(protocolDir, "subjects.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	builders := map[string]bool{}
	note := func(name string) {
		if strings.HasPrefix(name, "Subject") {
			builders[name] = true
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				note(d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					for _, n := range v.Names {
						note(n.Name)
					}
				}
			}
		}
	}
	if len(builders) < 16 {
		t.Fatalf("only %d subjects were found in subjects.go", len(builders))
	}
	for b := range builders {
		if !named(b) {
			t.Errorf("protocol.%s has no channel in channels.go", b)
		}
	}
	for _, c := range channels {
		if c.subject != "" && !builders[c.subject] {
			t.Errorf("channel %s is built by protocol.%s, which is not there", c.name, c.subject)
		}
	}
}

// What the document calls a subject is one that internal/protocol reads as that.
func TestAddressesAreRead(t *testing.T) {
	fill := strings.NewReplacer("{world}", "w", "{npc}", "n", "{player}", "p", "{turn}", "t1", "{pass}", "speak",
		"{index}", "0")
	for _, c := range channels {
		if !strings.Contains(c.address, convo.String()) || !strings.HasPrefix(c.address, protocol.Prefix) ||
			strings.Contains(c.address, ".live.") {
			continue
		}
		s, err := protocol.ParseSubject(fill.Replace(c.address))
		if err != nil || s.Kind != c.name || s.Conversation != (schema.ConversationID{World: "w", NPC: "n", Player: "p"}) {
			t.Errorf("%s: %+v, %v", c.address, s, err)
		}
	}
}

// Each example fits the schema that its message names.
func TestExamplesFitTheirSchemas(t *testing.T) {
	messages := read(t)["components"].(map[string]any)["messages"].(map[string]any)
	validated := 0
	for name, m := range messages {
		message := m.(map[string]any)
		examples, ok := message["examples"].([]any)
		if !ok || len(examples) == 0 {
			t.Errorf("message %s has no example", name)
			continue
		}
		reference, ok := message["payload"].(map[string]any)["$ref"].(string)
		if !ok {
			continue
		}
		s := compiled(t, strings.TrimSuffix(strings.TrimPrefix(reference, "schema/"), suffix))
		for _, e := range examples {
			data, err := json.Marshal(e.(map[string]any)["payload"])
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(doc); err != nil {
				t.Errorf("example of %s: %v", name, err)
			}
			validated++
		}
	}
	if validated < len(messages)/2 {
		t.Errorf("only %d examples were held against a schema", validated)
	}
	if err := compiled(t, "turn-request").Validate(map[string]any{"world": "w"}); err == nil {
		t.Error("a request without a message fits")
	}
}

func TestReferencesOfTheDocumentLeadSomewhere(t *testing.T) {
	doc := read(t)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for key, x := range v {
				if to, ok := x.(string); ok && key == "$ref" {
					follow(t, doc, to)
				}
				walk(x)
			}
		}
	}
	walk(doc)
}

func follow(t *testing.T, doc map[string]any, to string) {
	t.Helper()
	if file, ok := strings.CutPrefix(to, "schema/"); ok {
		if _, err := os.Stat(filepath.Join(committed, file)); err != nil {
			t.Errorf("%s: %v", to, err)
		}
		return
	}
	var at any = doc
	for _, part := range strings.Split(strings.TrimPrefix(to, "#/"), "/") {
		m, _ := at.(map[string]any)
		if at = m[part]; at == nil {
			t.Errorf("%s leads nowhere", to)
			return
		}
	}
}

// A header of the mesh's own, and one of the NATS client's constants.
var (
	headerConst  = regexp.MustCompile(`header[A-Z]\w*\s*=\s*"([^"]+)"`)
	headerOfNATS = regexp.MustCompile(`jetstream\.((?:\w+Header|MsgRollup))\b`)
)

// natsHeaders are the headers behind the constants of the NATS client.
var natsHeaders = map[string]string{
	"MsgIDHeader": "Nats-Msg-Id", "ExpectedLastSubjSeqHeader": "Nats-Expected-Last-Subject-Sequence",
	"MsgTTLHeader": "Nats-TTL", "MsgRollup": "Nats-Rollup", "MarkerReasonHeader": "Nats-Marker-Reason",
	"ScheduleHeader": "Nats-Schedule", "ScheduleTargetHeader": "Nats-Schedule-Target",
	"ScheduleTimeZoneHeader": "Nats-Schedule-Time-Zone", "LastSequenceHeader": "Nats-Last-Sequence",
	"StreamHeader": "Nats-Stream", "SequenceHeader": "Nats-Sequence", "SubjectHeader": "Nats-Subject",
}

// Headers that only the broker writes, or that no message of the contract carries.
var notOfMessages = map[string]bool{
	"Nats-Marker-Reason": true, "Nats-Time-Stamp": true, "Nats-Last-Sequence": true, "KV-Operation": true,
	"Nats-Num-Pending": true, // of a batch that is read, as are the next three
	"Nats-Stream":      true, "Nats-Sequence": true, "Nats-Subject": true,
	"Nats-Incr": true, // counters are the mesh's own
}

// The document's headers are those that the mesh writes.
func TestHeadersAreThoseOfTheMesh(t *testing.T) {
	var files []string
	for _, dir := range []string{"../mesh/*.go", "../mesh/transport/*.go", "../mesh/admin/*.go"} {
		of, err := filepath.Glob(dir)
		if err != nil || len(of) == 0 {
			t.Fatalf("no sources of the mesh in %s: %v", dir, err)
		}
		files = append(files, of...)
	}
	written := map[string]bool{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range headerConst.FindAllSubmatch(data, -1) {
			written[string(m[1])] = true
		}
		for _, m := range headerOfNATS.FindAllSubmatch(data, -1) {
			name, known := natsHeaders[string(m[1])]
			if !known {
				t.Errorf("%s: jetstream.%s is in no table of this test", f, m[1])
			}
			written[name] = true
		}
	}
	told := map[string]bool{}
	for _, c := range channels {
		for _, h := range c.headers {
			told[h.name] = true
			if !written[h.name] {
				t.Errorf("channel %s has header %s, which the mesh does not know", c.name, h.name)
			}
		}
	}
	for h := range written {
		if !told[h] && !notOfMessages[h] {
			t.Errorf("header %s of the mesh stands in no message of the document", h)
		}
	}
}
