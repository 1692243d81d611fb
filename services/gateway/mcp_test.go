package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/mcp"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/gateway"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// bearer shows a key with each request.
type bearer struct {
	key  string
	next http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return b.next.RoundTrip(r)
}

// assistant connects the protocol's own client to the door for assistants.
func (s *site) assistant(url, key string) (*sdk.ClientSession, error) {
	s.t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(s.t.Context(), &sdk.StreamableClientTransport{Endpoint: url + "/mcp", MaxRetries: -1,
		HTTPClient: &http.Client{Transport: bearer{key, s.http.Transport}}}, nil)
	if err == nil {
		s.t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

func tools(t *testing.T, a *sdk.ClientSession) (out []string) {
	t.Helper()
	for tool, err := range a.Tools(t.Context(), nil) {
		must(t, err)
		out = append(out, tool.Name)
	}
	slices.Sort(out)
	return out
}

func call(t *testing.T, a *sdk.ClientSession, tool string, args any) (text string, failed bool) {
	t.Helper()
	got, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range got.Content {
		if words, is := c.(*sdk.TextContent); is {
			text += words.Text
		}
	}
	return text, got.IsError
}

type args = map[string]any

// inFolder gives a gateway the files of the village.
func inFolder(t *testing.T) (set func(*gateway.Options), dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.CopyFS(dir, servicetest.Village()))
	return func(o *gateway.Options) {
		o.Folders = map[string]mcp.Folder{"village": {Dir: dir, FS: os.DirFS(dir),
			Lint: func() []world.Problem { return nil }}}
	}, dir
}

// An assistant calls over HTTP, and each call may reach another replica: nothing is kept
// between them. Without world folders the tools that need one are not there.
func TestAnAssistantCallsOverHTTP(t *testing.T) {
	s := open(t)
	other, stop := s.gateway()
	a, err := s.assistant(s.url, "")
	must(t, err)
	b, err := s.assistant(other, "")
	must(t, err)
	if got, want := tools(t, a), []string{"ask_npc", "check_grounding", "explain_turn", "list_worlds", "memories",
		"what_does_npc_know"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	text, failed := call(t, a, "ask_npc", args{"npc": "mira", "message": "Who owns the ferry?"})
	var said struct {
		TurnID string `json:"turn_id"`
	}
	if failed || !strings.Contains(text, "Teague owns the ferry.") || json.Unmarshal([]byte(text), &said) != nil {
		t.Fatalf("%s", text)
	}
	if text, failed := call(t, b, "explain_turn", args{"turn_id": said.TurnID}); failed ||
		!strings.Contains(text, `"path":"lore/ferry.txt"`) {
		t.Errorf("another replica: %s", text)
	}
	if text, failed := call(t, b, "what_does_npc_know", args{"question": "Who owns the ferry?"}); failed ||
		!strings.Contains(text, "lore/ferry.txt") {
		t.Errorf("%s", text)
	}
	for range a.Resources(t.Context(), nil) {
		t.Error("the lore is read over HTTP")
		break
	}
	stop()
	if text, failed := call(t, a, "list_worlds", args{}); failed || !strings.Contains(text, "village") {
		t.Errorf("%s", text)
	}
}

// A key has the tools of its rights, in its worlds; a token speaks as its player alone.
func TestRightsOfAssistants(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "all", Rights: access.Rights},
		access.Key{Name: "play", Rights: []access.Right{access.Play}},
		access.Key{Name: "read", Rights: []access.Right{access.Read}},
		access.Key{Name: "operate", Rights: []access.Right{access.Operate}},
		access.Key{Name: "elsewhere", Rights: access.Rights, Worlds: []string{"elsewhere"}},
		access.Key{Name: "one", Rights: access.Rights, Player: "p1"})
	folder, dir := inFolder(t)
	s := open(t, with, folder)
	s.key = texts["play"]
	var token gateway.Token
	s.do("POST", "/v1/tokens", `{"world":"village","player":"p1"}`).json(t, &token)
	texts["token"] = token.Token
	reads := []string{"check_grounding", "explain_turn", "lint_world", "list_worlds", "memories", "what_does_npc_know"}
	of := map[string]*sdk.ClientSession{}
	for name, want := range map[string][]string{"play": {"ask_npc", "list_worlds"}, "token": {"ask_npc", "list_worlds"},
		"read": reads, "operate": {"add_lore_draft", "list_worlds"}, "all": append([]string{"add_lore_draft", "ask_npc"},
			reads...), "elsewhere": nil, "one": nil} {
		a, err := s.assistant(s.url, texts[name])
		must(t, err)
		of[name] = a
		if got := tools(t, a); want != nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	hello := func(more args) args {
		out := args{"npc": "mira", "message": "Who owns the ferry?"}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	for _, c := range []struct {
		key, tool string
		args      args
		want      string // in what is refused; empty: it is not
	}{
		{"play", "ask_npc", hello(args{"player": "p9", "world": "village"}), ""},
		{"play", "ask_npc", hello(nil), "player"},
		{"play", "memories", args{}, "unknown tool"},
		{"read", "ask_npc", hello(nil), "unknown tool"},
		{"token", "ask_npc", hello(args{"player": "p2"}), "FORBIDDEN"},
		{"token", "ask_npc", hello(nil), ""},
		{"elsewhere", "ask_npc", hello(args{"world": "village", "player": "p1"}), "FORBIDDEN"},
		{"elsewhere", "memories", args{"world": "village"}, "FORBIDDEN"},
		{"elsewhere", "add_lore_draft", args{"world": "village", "name": "x", "text": "The bridge fell."}, "INVALID"},
		{"elsewhere", "lint_world", args{"world": "village"}, "INVALID"},
		{"one", "memories", args{"player": "p2"}, "FORBIDDEN"},
		{"one", "explain_turn", args{"player": "p2", "turn_id": "t1"}, "FORBIDDEN"},
		{"one", "memories", args{}, ""},
		{"read", "lint_world", args{}, ""},
		{"read", "add_lore_draft", args{"name": "x", "text": "The bridge fell."}, "unknown tool"},
		{"operate", "add_lore_draft", args{"name": "x", "text": "The bridge fell at dawn."}, ""},
		{"operate", "add_lore_draft", args{"name": "x", "text": "The bridge fell at dawn."}, "there already"},
		{"operate", "add_lore_draft", args{"name": "../lore/x", "text": "The bridge fell at dawn."}, "INVALID"},
	} {
		text, failed := call(t, of[c.key], c.tool, c.args)
		if failed != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s %s %v: failed %v, %s", c.key, c.tool, c.args, failed, text)
		}
		if c.key == "token" && strings.Contains(text, "ferry.txt") {
			t.Errorf("a player's game sees the evidence: %s", text)
		}
		if failed && strings.Contains(text, dir) {
			t.Errorf("the folder's place is told: %s", text)
		}
	}
	for _, key := range []string{"", "fk_0000000000_x"} {
		if _, err := s.assistant(s.url, key); err == nil {
			t.Errorf("the key %q is let in", key)
		}
	}
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// The door for assistants has the rules of the others: one clear problem each.
func TestBadRequestsOfAssistants(t *testing.T) {
	s := open(t)
	both := []string{"Accept", "application/json, text/event-stream"}
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		want               string
	}{
		{"a list", "POST", listTools, both, 200, `"ask_npc"`},
		{"a stream", "GET", "", both, 405, `"METHOD"`},
		{"an end", "DELETE", "", both, 405, `"METHOD"`},
		{"no JSON", "POST", "nothing", both, 400, ""},
		{"several", "POST", "[" + listTools + "]", append(both, "Mcp-Protocol-Version", "2025-11-25"), 400, ""},
		{"a number", "POST", "7", both, 400, ""},
		{"broken UTF-8", "POST", "{\"\xff\":1}", both, 400, `"INVALID"`},
		{"a form", "POST", listTools, append(both, "Content-Type", "text/plain"), 415, `"MEDIA_TYPE"`},
		{"huge", "POST", `{"a":"` + strings.Repeat("a", 5<<20) + `"}`, both, 413, `"TOO_LARGE"`},
		{"no such version", "POST", listTools, append(both, "Mcp-Protocol-Version", "1999-01-01"), 400, "version"},
		{"a page of elsewhere", "POST", listTools, append(both, "Origin", "https://evil.example"), 403, `"ORIGIN"`},
		{"rebound", "POST", listTools, append(both, "Host", "evil.example"), 403, `"FORBIDDEN"`},
		{"by a proxy", "POST", listTools, append(both, "X-Forwarded-For", "203.0.113.7"), 403, `"FORBIDDEN"`},
		{"what lasts", "POST", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":` +
			`{"toolsListChanged":true},"_meta":{}}}`, append(both, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"subscriptions/listen"), 0, "error"},
	} {
		got := s.do(c.method, "/mcp", c.body, c.headers...)
		if c.status != 0 && got.status != c.status || !strings.Contains(got.body, c.want) {
			t.Errorf("%s: %d %.300s", c.name, got.status, got.body)
		}
	}
}

// Calls count against the limits of the key, and turns against those of the player.
func TestLimitsOfAssistants(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "a", Rights: access.Rights, Rate: 1e5})
	now := time.Now()
	s := open(t, with, func(o *gateway.Options) { o.Now = func() time.Time { return now } })
	a, err := s.assistant(s.url, texts["a"])
	must(t, err)
	refused := 0
	for range 12 {
		text, failed := call(t, a, "ask_npc", args{"npc": "mira", "player": "p1", "message": "Hello."})
		if failed && strings.Contains(text, "RATE_LIMITED") {
			refused++
		}
	}
	if refused != 2 {
		t.Errorf("%d of 12 turns are refused", refused)
	}
}

// An assistant that goes away ends its request, and the gateway closes without it.
func TestAnAssistantGoesAway(t *testing.T) {
	s := open(t)
	url, stop := s.gateway()
	a, err := s.assistant(url, "")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.CallTool(ctx, &sdk.CallToolParams{Name: "list_worlds"}); err == nil {
		t.Error("it answers whoever has gone")
	}
	stop()
}
