package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// documents are the messages of the mesh by the name of their file.
var documents = []struct {
	name string
	of   any
}{
	{"turn-request", schema.Request{}},
	{"turn", schema.Turn{}},
	{"reply", schema.Reply{}},
	{"said", schema.Said{}},
	{"review-record", schema.ReviewRecord{}},
	{"trace", schema.Trace{}},
	{"action", schema.Action{}},
	{"action-result", schema.ActionResult{}},
	{"conversation", schema.Conversation{}},
	{"turn-query", schema.TurnQuery{}},
	{"turn-outcome", schema.TurnOutcome{}},
	{"actions-query", schema.ActionsQuery{}},
	{"actions-found", schema.ActionsFound{}},
	{"dead-letter", schema.DeadLetter{}},
	{"chunk", schema.Chunk{}},
	{"occurrence", schema.Occurrence{}},
	{"memory-event", schema.MemoryEvent{}},
	{"due", schema.Due{}},
	{"taken", schema.Taken{}},
	{"crowded", schema.Crowded{}},
	{"worlds-found", schema.WorldsFound{}},
	{"conversation-query", schema.ConversationQuery{}},
	{"memories-query", schema.MemoriesQuery{}},
	{"memories-found", schema.MemoriesFound{}},
	{"check-query", schema.CheckQuery{}},
	{"check-result", schema.CheckResult{}},
}

const suffix = ".schema.json"

// generate makes every schema from the types; source is the folder of
// pkg/schema, whose comments become descriptions.
func generate(source string) (map[string][]byte, error) {
	comments, err := readComments(source)
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
	reflect.TypeFor[schema.Status](): words(schema.StatusAnswered, schema.StatusExtractive, schema.StatusUnknown, schema.StatusWithheld,
		schema.StatusPartial, schema.StatusAuthored, schema.StatusAborted),
	reflect.TypeFor[schema.Pass]():      words(append(append([]schema.Pass{""}, schema.Passes...), schema.PassDone)...),
	reflect.TypeFor[schema.Class]():     words(schema.ClassGreeting, schema.ClassMedium, schema.ClassComplex),
	reflect.TypeFor[schema.Zone]():      words(schema.ZoneUnknown, schema.ZoneNear, schema.ZoneExtractive, schema.ZoneModel, schema.ZoneNone),
	reflect.TypeFor[schema.Origin]():    words(schema.OriginCorpus, schema.OriginUser, schema.OriginModel, schema.OriginSystem),
	reflect.TypeFor[schema.SaidKind]():  words(schema.SaidAccepted, schema.SaidThinking, schema.SaidSentence, schema.SaidClosed, schema.SaidDone, schema.SaidAborted),
	reflect.TypeFor[schema.ClaimKind](): words(schema.ClaimWorld, schema.ClaimState, schema.ClaimSharedPast, schema.ClaimSelf, schema.ClaimNone),
	reflect.TypeFor[schema.Label]():     words(schema.Supported, schema.Contradicted, schema.Unverifiable),
	reflect.TypeFor[schema.IssueType](): words(schema.IssueUncited, schema.IssueInvalidSource, schema.IssueNotEntailed, schema.IssueSelfMisuse,
		schema.IssueEvasion, schema.IssueContradicted, schema.IssueSecret, schema.IssueForm),
	reflect.TypeFor[schema.ReviewVerdict](): words(schema.Approved, schema.IssuesFound),
	reflect.TypeFor[schema.Audit]():         words(schema.FullyCited, schema.PartiallyCited, schema.Uncited),
	reflect.TypeFor[schema.ReplyKind]():     words(schema.KindAnswer, schema.KindUnknown, schema.KindWithhold, schema.KindSocial),
	reflect.TypeFor[schema.TurnState]():     words(schema.TurnUnknown, schema.TurnWaiting, schema.TurnEnded),
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
		p.AnyOf = []*jsonschema.Schema{{Const: 0}, {Minimum: number(schema.MinDeadlineMS), Maximum: number(schema.MaxDeadlineMS)}}
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

func number(n int) json.Number { return json.Number(fmt.Sprint(n)) }

// readComments gives the reflector the comments of a package by its import path.
func readComments(source string) (map[string]string, error) {
	var r jsonschema.Reflector
	if err := r.AddGoComments("", source); err != nil {
		return nil, fmt.Errorf("comments of %s: %w", source, err)
	}
	path := reflect.TypeFor[schema.Turn]().PkgPath()
	out := map[string]string{}
	for key, text := range r.CommentMap {
		_, name, ok := strings.Cut(key, "/schema.")
		if !ok {
			continue
		}
		out[path+"."+name] = strings.Join(strings.Fields(text), " ")
	}
	return out, nil
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
