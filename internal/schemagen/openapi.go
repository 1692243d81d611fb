package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/replay"
	lore "github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// openapiFile is the OpenAPI document of the gateway, which carries it.
const openapiFile = "../../services/gateway/openapi.json"

// door is an operation of the gateway.
type door struct {
	pattern string // method and path, as the gateway routes it
	about   string
	right   access.Right
	query   []string // names of parameters, with what they are after a colon
	takes   any      // nil: no body
	status  int
	gives   any      // nil: nothing
	events  any      // what is streamed to whoever accepts text/event-stream
	headers []string // those that mean something here, as query
}

const (
	world     = "/v1/worlds/{world}"
	npc       = world + "/npcs/{npc}"
	scene     = world + "/scenes/{scene}"
	playerArg = "player: Who speaks. A player's token needs none."
	replayArg = "Last-Event-ID: Of a stream, the number of the last event that was seen. What follows is shown."
)

// doors are all of them, in the order of the document.
var doors = []door{
	{"POST " + npc + "/turns", "Says something to an NPC. The same turn id said again is the same turn.", access.Play,
		nil, schema.Request{}, 200, gateway.Reply{}, gateway.Event{},
		[]string{"Idempotency-Key: The turn's id.", replayArg}},
	{"GET " + npc + "/turns/{turn}", "What became of a turn; streamed, the turn from its beginning.", access.Play,
		[]string{playerArg, "view: full, with the right to read: the stored reply with every pass."},
		nil, 200, gateway.Outcome{}, gateway.Event{}, []string{replayArg}},
	{"DELETE " + npc + "/turns/{turn}", "Ends a turn with what was said so far.", access.Play, []string{playerArg}, nil,
		204, nil, nil, nil},
	{"POST " + npc + "/turns/{turn}/actions/{index}", "The game's answer to an action. The first stands.", access.Play,
		[]string{playerArg}, schema.ActionResult{}, 204, nil, nil, nil},
	{"POST " + scene + "/turns", "A player says something that all in a scene hear; npc may be left out. Or, with " +
		"scene.enter or scene.leave, the game's backend has somebody enter or leave. Streamed, the turns of all who " +
		"speak upon it.", access.Play, nil, schema.Request{}, 200, gateway.Talk{}, gateway.Event{},
		[]string{"Idempotency-Key: The turn's id.", replayArg}},
	{"GET " + scene + "/turns/{turn}", "What became of a turn of a scene; streamed, from its beginning, with those " +
		"that follow.", access.Play, []string{"view: full, with the right to read: the stored reply with every pass."},
		nil, 200, gateway.Outcome{}, gateway.Event{}, []string{replayArg}},
	{"DELETE " + scene + "/turns/{turn}", "Ends a turn of a scene with what was said so far.", access.Play, nil, nil,
		204, nil, nil, nil},
	{"POST " + scene + "/turns/{turn}/actions/{index}", "The game's answer to an action of a scene. The first stands.",
		access.Play, nil, schema.ActionResult{}, 204, nil, nil, nil},
	{"GET " + scene, "Who is in a scene. One that nobody has entered is empty.", access.Play, nil, nil, 200,
		gateway.Scene{}, nil, nil},
	{"GET " + npc + "/conversations/{player}", "What an NPC keeps in mind of a player.", access.Read, nil, nil, 200,
		schema.Conversation{}, nil, nil},
	{"DELETE " + npc + "/conversations/{player}",
		"Has the NPC forget the conversation. What it remembers beyond it stays.", access.Operate, nil, nil, 200,
		schema.Conversation{}, nil, nil},
	{"GET " + npc, "An NPC.", access.Play, nil, nil, 200, schema.NPCInfo{}, nil, nil},
	{"GET " + world + "/npcs", "The NPCs of a world.", access.Play, nil, nil, 200, gateway.NPCs{}, nil, nil},
	{"GET " + world, "A world.", access.Play, nil, nil, 200, schema.WorldInfo{}, nil, nil},
	{"GET /v1/worlds", "The worlds in which the caller may do something.", access.Play, nil, nil, 200,
		protocol.WorldsFound{}, nil, nil},
	{"GET " + world + "/memories", "What the NPCs of a world remember.", access.Read,
		[]string{"npc: Of this NPC alone.", "player: Of this player alone.", "status: Of this status alone.",
			"after: Those behind the memory of this id.", "limit: At most so many, 1 to 200."}, nil, 200,
		schema.MemoriesFound{}, nil, nil},
	{"GET " + world + "/memories/{memory}", "One memory, with the entries of the log that made it.", access.Read, nil,
		nil, 200, schema.MemoriesFound{}, nil, nil},
	{"POST " + world + "/events", "What the game saw happen: a memory of exactly the NPCs among its witnesses.",
		access.Play, nil, schema.Occurrence{}, 202, gateway.Told{}, nil, []string{"Idempotency-Key: The event's id."}},
	{"GET " + world + "/actions", "The actions that the world's NPCs propose, streamed.", access.Play,
		[]string{"since: From this time on, such as 2026-05-03T18:00:00Z; from now otherwise."}, nil, 200, nil,
		gateway.Action{}, nil},
	{"POST /v1/check", "Says which claims of a text its sources support.", access.Read, nil, schema.CheckQuery{}, 200,
		schema.CheckResult{}, nil, nil},
	{"POST /v1/tokens", "Makes a token by which a game's client speaks as one player, for a while.", access.Play, nil,
		gateway.TokenRequest{}, 201, gateway.Token{}, nil, nil},
	{"GET " + npc + "/turns/{turn}/trace", "Every pass of a turn, with the turn as it left the pass. Kept for seven " +
		"days.", access.Read, []string{playerArg}, nil, 200, gateway.Traced{}, nil, nil},
	{"GET " + scene + "/turns/{turn}/trace", "Every pass of a turn of a scene.", access.Read, nil, nil, 200,
		gateway.Traced{}, nil, nil},
	{"GET " + world + "/outcomes", "Turns as they end, streamed.", access.Read,
		[]string{"since: From this time on, such as 2026-05-03T18:00:00Z; from now otherwise.",
			"npc: Of this NPC alone.", "player: Of this player alone.", "scene: Of this scene alone.",
			"status: Of this status alone.", "reason: Of this reason alone."}, nil, 200, nil, gateway.Ended{},
		[]string{replayArg}},
	{"GET " + world + "/letters", "Dead letters: messages that could not be handled. Kept for fourteen days.",
		access.Operate, []string{"after: Those behind the letter of this number."}, nil, 200, schema.LettersFound{}, nil,
		nil},
	{"POST " + world + "/letters/{number}/retry", "Has the reader of a dead letter try its message again. The letter " +
		"goes where that succeeds.", access.Operate, nil, nil, 204, nil, nil, nil},
	{"POST " + world + "/memories/{memory}/resolve", "Settles a contradiction between memories, and gives the entry " +
		"of the log.", access.Operate, nil, gateway.Resolution{}, 200, schema.MemoryEvent{}, nil, nil},
	{"GET " + world + "/players/{player}", "What an erasure of this player would take away.", access.Operate, nil, nil,
		200, admin.Plan{}, nil, nil},
	{"DELETE " + world + "/players/{player}", "Takes a player out of a world, and gives the receipt.", access.Operate, nil,
		nil, 200, admin.Receipt{}, nil, nil},
	{"POST " + world + "/drafts/check", "What lint would say of lore that is proposed. Nothing is written.", access.Read,
		nil, gateway.Draft{}, 200, lore.Drafted{}, nil, nil},
	{"POST " + world + "/drafts", "Writes proposed lore into the folder drafts/ of a world, where it waits for a " +
		"person.", access.Operate, nil, gateway.Draft{}, 201, lore.Drafted{}, nil, nil},
	{"POST " + npc + "/turns/{turn}/replay", "Runs a turn again with another threshold, policy or model, beside what " +
		"it was. Nothing is written.", access.Operate, []string{playerArg}, replay.Change{}, 200, replay.Comparison{}, nil,
		nil},
	{"GET " + npc + "/lore", "What an NPC may tell a player now, what is closed to the player and why, and what the NPC " +
		"does not know. No text.", access.Read, []string{"player: To whom; otherwise a stranger."}, nil, 200,
		lore.Catalogue{}, nil, nil},
	{"GET " + npc + "/relations/{player}", "How an NPC and a player stand, and what moved it.", access.Read, nil, nil, 200,
		schema.Relation{}, nil, nil},
	{"GET " + world + "/reports", "What the guards of memory did: the weekly reports, and the week that ends now.",
		access.Read, nil, nil, 200, gateway.Weeks{}, nil, nil},
	{"GET /v1/queues", "What waits for each service.", access.Operate, nil, nil, 200, gateway.Queues{}, nil, nil},
	{"GET /v1/suites", "Results of suites in the folder that http.results names.", access.Read, nil, nil, 200, eval.Runs{},
		nil, nil},
	{"GET /v1/suites/compare", "A run of a suite against an earlier one.", access.Read,
		[]string{"old: File of the earlier run.", "new: File of the run."}, nil, 200, eval.Comparison{}, nil, nil},
	{"GET /v1/ws", "A WebSocket for many players: the client sends Frame, and receives Shown, each one JSON text. A " +
		"browser shows its token as a protocol, bearer. and the token.", access.Play, nil, nil, 101, nil, nil, nil},
	{"POST /mcp", "The Model Context Protocol for assistants: streamable HTTP without sessions, one message a " +
		"request. Each tool takes a right.", "", nil, gateway.RPC{}, 200, gateway.RPC{}, nil, nil},
}

// openapi writes the document from the table of doors and the types behind it.
func openapi() ([]byte, error) {
	o := &openapiWriter{schemas: map[string]any{}}
	paths := map[string]map[string]any{}
	for i := range doors {
		method, path, _ := strings.Cut(doors[i].pattern, " ")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = o.operation(&doors[i], path)
	}
	o.ref(gateway.Frame{})
	o.ref(gateway.Shown{})
	doc := map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "Forsooth's gateway", "version": schema.Version,
			"license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "NPCs that say only what they may know, over HTTP. Made by go generate " +
				"./internal/schemagen; do not edit."},
		"servers":  []any{map[string]any{"url": "http://127.0.0.1:8080"}},
		"security": []any{map[string]any{"bearer": []any{}}},
		"paths":    paths,
		"components": map[string]any{"schemas": o.schemas, "securitySchemes": map[string]any{
			"bearer": map[string]any{"type": "http", "scheme": "bearer", "description": "A key of `forsooth keys " +
				"add`, or a player's token. On the gateway's own machine, without a file of keys, none."}}},
	}
	if o.err != nil {
		return nil, o.err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(doc)
	return bytes.ReplaceAll(out.Bytes(), []byte(`"#/$defs/`), []byte(`"#/components/schemas/`)), err
}

type openapiWriter struct {
	schemas map[string]any
	err     error
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

func (o *openapiWriter) operation(d *door, path string) map[string]any {
	var all []any
	parameter := func(in, text string, required bool) {
		name, about, _ := strings.Cut(text, ": ")
		all = append(all, map[string]any{"name": name, "in": in, "required": required, "description": about,
			"schema": map[string]any{"type": "string"}})
	}
	for _, m := range inPath.FindAllStringSubmatch(path, -1) {
		about := parameters[m[1]]
		switch m[1] {
		case "memory":
			about = "Id of a memory."
		case "number":
			about = "Number of a dead letter."
		case "scene":
			about = "Id of a scene."
		}
		parameter("path", m[1]+": "+about, true)
	}
	for _, q := range d.query {
		parameter("query", q, false)
	}
	for _, h := range d.headers {
		parameter("header", h, false)
	}
	op := map[string]any{"summary": d.about, "operationId": idOf(d.pattern), "parameters": all,
		"responses": o.responses(d)}
	if d.right != "" {
		op["x-right"] = d.right
	}
	if d.takes != nil {
		op["requestBody"] = map[string]any{"required": true,
			"content": map[string]any{"application/json": map[string]any{"schema": o.ref(d.takes)}}}
	}
	return op
}

func (o *openapiWriter) responses(d *door) map[string]any {
	fine := map[string]any{"description": http.StatusText(d.status)}
	content := map[string]any{}
	if d.gives != nil {
		content["application/json"] = map[string]any{"schema": o.ref(d.gives)}
	}
	if d.events != nil {
		content["text/event-stream"] = map[string]any{"schema": map[string]any{"type": "string",
			"description": "Events, of which each data is the JSON of this.", "x-data": o.ref(d.events)}}
	}
	if len(content) > 0 {
		fine["content"] = content
	}
	return map[string]any{fmt.Sprint(d.status): fine,
		"default": map[string]any{"description": "What went wrong, with a code.",
			"content": map[string]any{"application/problem+json": map[string]any{"schema": o.ref(gateway.Problem{})}}}}
}

// idOf names an operation by its method and path.
func idOf(pattern string) string {
	words := strings.FieldsFunc(strings.ToLower(pattern), func(r rune) bool { return !('a' <= r && r <= 'z') })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "v" }), "_")
}

// ref keeps the schemas of a type, and those that it is made of.
func (o *openapiWriter) ref(v any) map[string]any {
	r := &jsonschema.Reflector{AllowAdditionalProperties: true, Anonymous: true, Namer: nameOf,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if words, ok := values[t]; ok {
				return &jsonschema.Schema{Type: "string", Enum: words}
			}
			return nil
		}}
	data, err := json.Marshal(r.Reflect(v))
	var doc struct {
		Defs map[string]any `json:"$defs"`
	}
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		o.err = err
	}
	for name, s := range doc.Defs {
		o.schemas[name] = s
	}
	if said, ok := o.schemas["Request"].(map[string]any); ok {
		delete(said["properties"].(map[string]any), "begin") // the mesh alone sets it
		delete(said, "required")                             // path, token and scene give what a body leaves out
	}
	if _, is := v.(schema.CheckQuery); is {
		orTextOf(doc.Defs[nameOf(reflect.TypeOf(v))])
	}
	return map[string]any{"$ref": "#/components/schemas/" + nameOf(reflect.TypeOf(v))}
}

// orTextOf lets each source of a check be a plain text, as orText does.
func orTextOf(query any) {
	sources := query.(map[string]any)["properties"].(map[string]any)["sources"].(map[string]any)
	sources["items"] = map[string]any{"anyOf": []any{map[string]any{"type": "string"}, sources["items"]}}
}

// nameOf keeps apart what the doors, the mesh and those behind them call alike.
func nameOf(t reflect.Type) string {
	if t.PkgPath() == reflect.TypeFor[schema.Reply]().PkgPath() && slices.Contains(meshed, t.Name()) {
		return "Mesh" + t.Name()
	}
	return prefixes[t.PkgPath()] + t.Name()
}

// meshed are the types of the mesh of which the gateway has one of the same name.
var meshed = []string{"Reply", "Action", "Scene"}

// prefixes are those of the names of types, by package.
var prefixes = map[string]string{
	reflect.TypeFor[replay.Comparison]().PkgPath(): "Replay", reflect.TypeFor[console.Answer]().PkgPath(): "Replayed",
	reflect.TypeFor[eval.Run]().PkgPath(): "Suite", reflect.TypeFor[report.Report]().PkgPath(): "Guards",
}
