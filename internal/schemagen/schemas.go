// Command schemagen writes the JSON Schemas of the wire contract, made from the
// types of pkg/schema and internal/protocol, into docs/schema, the AsyncAPI document of
// the subjects beside that folder, and the gateway's OpenAPI document. It is run by go generate.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

//go:generate go run . ../../docs/schema

// The packages of the contract as seen from this package's folder, where go generate
// and the tests run.
const (
	schemaDir   = "../../pkg/schema"
	protocolDir = "../protocol"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: schemagen DIR; run it by go generate ./internal/schemagen")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files, err := generate(schemaDir, protocolDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	api, err := asyncapi()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "..", asyncapiFile), api, 0o644); err != nil {
		return err
	}
	doors, err := openapi()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "..", "..", "services", "gateway", "openapi.json"), doors, 0o644)
}

// documents are the messages of the mesh by the name of their file.
var documents = []struct {
	name string
	of   any
}{
	{"turn-request", schema.Request{}},
	{"turn", protocol.Turn{}},
	{"reply", schema.Reply{}},
	{"said", schema.Said{}},
	{"review-record", protocol.ReviewRecord{}},
	{"trace", protocol.Trace{}},
	{"action", schema.Action{}},
	{"action-result", schema.ActionResult{}},
	{"conversation", schema.Conversation{}},
	{"turn-query", protocol.TurnQuery{}},
	{"turn-outcome", schema.TurnOutcome{}},
	{"actions-query", protocol.ActionsQuery{}},
	{"actions-found", protocol.ActionsFound{}},
	{"dead-letter", schema.DeadLetter{}},
	{"chunk", protocol.Chunk{}},
	{"occurrence", schema.Occurrence{}},
	{"memory-event", schema.MemoryEvent{}},
	{"due", protocol.Due{}},
	{"taken", protocol.Taken{}},
	{"crowded", protocol.Crowded{}},
	{"worlds-found", protocol.WorldsFound{}},
	{"conversation-query", protocol.ConversationQuery{}},
	{"memories-query", schema.MemoriesQuery{}},
	{"memories-found", schema.MemoriesFound{}},
	{"knowledge-query", schema.KnowledgeQuery{}},
	{"knowledge-found", schema.KnowledgeFound{}},
	{"trace-found", protocol.TraceFound{}},
	{"outcomes-query", schema.OutcomesQuery{}},
	{"outcomes-found", schema.OutcomesFound{}},
	{"letters-query", schema.LettersQuery{}},
	{"letters-found", schema.LettersFound{}},
	{"retry-query", schema.RetryQuery{}},
	{"retried", schema.Retried{}},
	{"resolve-query", schema.ResolveQuery{}},
	{"check-query", schema.CheckQuery{}},
	{"check-result", schema.CheckResult{}},
}

const suffix = ".schema.json"

// generate makes every schema from the types; sources are the folders of pkg/schema and
// internal/protocol, whose comments become descriptions.
func generate(sources ...string) (map[string][]byte, error) {
	comments, err := readComments(sources...)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, d := range documents {
		s := reflectorFor(reflect.TypeOf(d.of), comments).Reflect(d.of)
		s.ID = jsonschema.ID(d.name + suffix)
		constrain(s)
		data, err := encode(s)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", d.name, err)
		}
		out[d.name+suffix] = data
	}
	return out, nil
}

// reflectorFor reads one document. Messages are open: a reader takes fields that
// a newer minor added. A document inside another is a reference to its file.
func reflectorFor(root reflect.Type, comments map[string]string) *jsonschema.Reflector {
	files := map[reflect.Type]string{}
	for _, d := range documents {
		if t := reflect.TypeOf(d.of); t != root {
			files[t] = d.name + suffix
		}
	}
	return &jsonschema.Reflector{
		AllowAdditionalProperties: true,
		ExpandedStruct:            true,
		CommentMap:                comments,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if file, ok := files[t]; ok && file != "action"+suffix && file != "turn-request"+suffix {
				return &jsonschema.Schema{Ref: file}
			}
			if values, ok := values[t]; ok {
				return &jsonschema.Schema{Type: "string", Enum: values}
			}
			return nil
		},
	}
}

// values are the types that take certain words only.
var values = map[reflect.Type][]any{
	reflect.TypeFor[schema.Status](): words(schema.StatusAnswered, schema.StatusExtractive, schema.StatusUnknown,
		schema.StatusWithheld,
		schema.StatusPartial, schema.StatusAuthored, schema.StatusAborted),
	reflect.TypeFor[schema.Pass]():    words(append(append([]schema.Pass{""}, protocol.Passes...), schema.PassDone)...),
	reflect.TypeFor[protocol.Class](): words(protocol.ClassGreeting, protocol.ClassMedium, protocol.ClassComplex),
	reflect.TypeFor[protocol.Zone](): words(protocol.ZoneUnknown, protocol.ZoneNear, protocol.ZoneExtractive,
		protocol.ZoneModel, protocol.ZoneNone),
	reflect.TypeFor[schema.Origin](): words(schema.OriginCorpus, schema.OriginUser, schema.OriginModel,
		schema.OriginSystem),
	reflect.TypeFor[schema.SaidKind](): words(schema.SaidAccepted, schema.SaidThinking, schema.SaidSentence,
		schema.SaidClosed, schema.SaidDone, schema.SaidAborted),
	reflect.TypeFor[schema.ClaimKind](): words(schema.ClaimWorld, schema.ClaimState, schema.ClaimSharedPast,
		schema.ClaimSelf, schema.ClaimNone),
	reflect.TypeFor[schema.SplitBy](): words(schema.SplitModel, schema.SplitRules),
	reflect.TypeFor[schema.Label]():   words(schema.Supported, schema.Contradicted, schema.Unverifiable),
	reflect.TypeFor[schema.IssueType](): words(schema.IssueUncited, schema.IssueInvalidSource, schema.IssueNotEntailed,
		schema.IssueSelfMisuse,
		schema.IssueEvasion, schema.IssueContradicted, schema.IssueSecret, schema.IssueForm),
	reflect.TypeFor[protocol.ReviewVerdict](): words(protocol.Approved, protocol.IssuesFound),
	reflect.TypeFor[schema.Audit]():           words(schema.FullyCited, schema.PartiallyCited, schema.Uncited),
	reflect.TypeFor[protocol.ReplyKind](): words(protocol.KindAnswer, protocol.KindUnknown, protocol.KindWithhold,
		protocol.KindSocial),
	reflect.TypeFor[schema.JudgeUse](): words(schema.JudgeAsked, schema.JudgeNotNeeded, schema.JudgeNone,
		schema.JudgeFailed),
	reflect.TypeFor[schema.TurnState](): words(schema.TurnUnknown, schema.TurnWaiting, schema.TurnEnded),
}

func words[T ~string](all ...T) []any {
	out := make([]any, len(all))
	for i, w := range all {
		out[i] = string(w)
	}
	return out
}

// constrain adds what validation asks of a message beyond its Go types.
func constrain(s *jsonschema.Schema) {
	if _, named := s.Properties.Get("turn_id"); named {
		for _, name := range []string{"turn_id", "world", "npc", "player", "supersedes"} {
			if p, ok := s.Properties.Get(name); ok {
				p.Pattern, p.Not = `^[A-Za-z0-9_-]{1,64}$`, &jsonschema.Schema{Const: "_"}
			}
		}
	}
	if p, ok := s.Properties.Get("deadline_ms"); ok {
		p.AnyOf = []*jsonschema.Schema{{Const: 0},
			{Minimum: number(schema.MinDeadlineMS), Maximum: number(schema.MaxDeadlineMS)}}
	}
	if p, ok := s.Properties.Get("sources"); ok && s.ID == "check-query"+suffix {
		orText(p)
	}
	if p, ok := s.Properties.Get("max_unverifiable_ratio"); ok {
		p.Minimum, p.Maximum, p.Default = number(0), number(1), schema.DefaultUnverifiableRatio
	}
	if p, ok := s.Properties.Get("trust"); ok {
		p.Minimum, p.Maximum = number(schema.MinTrust), number(schema.MaxTrust)
	}
	if p, ok := s.Properties.Get("schema_version"); ok {
		major, _, _ := strings.Cut(schema.Version, ".")
		p.Pattern = `^(` + major + `\.[0-9]+)?$`
	}
	// Only a request needs a message: the reply of a turn that could not be read
	// carries none.
	if p, ok := s.Properties.Get("message"); ok && s.ID == "turn-request"+suffix {
		p.Pattern = `\S`
	}
}

// orText lets each source of a check be a plain text.
func orText(sources *jsonschema.Schema) {
	sources.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, sources.Items}}
}

func number(n int) json.Number { return json.Number(fmt.Sprint(n)) }

// readComments gives the reflector the comments of the contract's packages by their import paths.
func readComments(sources ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, source := range sources {
		var r jsonschema.Reflector
		if err := r.AddGoComments("", source); err != nil {
			return nil, fmt.Errorf("comments of %s: %w", source, err)
		}
		for key, text := range r.CommentMap {
			if pkg, name, ok := strings.Cut(path.Base(key), "."); ok && imports[pkg] != "" {
				out[imports[pkg]+"."+name] = strings.Join(strings.Fields(text), " ")
			}
		}
	}
	return out, nil
}

// imports are the import paths of the contract's packages by their names.
var imports = map[string]string{
	"schema":   reflect.TypeFor[schema.Request]().PkgPath(),
	"protocol": reflect.TypeFor[protocol.Turn]().PkgPath(),
}

func encode(s *jsonschema.Schema) ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
