package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// assistant connects the protocol's own client to the binary.
func (s *site) assistant(args ...string) *sdk.ClientSession {
	s.t.Helper()
	cmd := s.command(append([]string{"mcp"}, args...)...)
	cmd.Stderr = os.Stderr
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(s.t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool; the text is what an assistant reads.
func call(t *testing.T, session *sdk.ClientSession, tool string, args any, into any) (text string, failed bool) {
	t.Helper()
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range got.Content {
		if words, is := c.(*sdk.TextContent); is {
			text += words.Text
		}
	}
	if !got.IsError && into != nil {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%s: %v in %s", tool, err, text)
		}
	}
	return text, got.IsError
}

type m = map[string]any

// An assistant asks an NPC, sees why it said what it said, what it knows and remembers, and
// checks a text: each tool of the binary by the protocol's own client.
func TestAnAssistantUsesEveryTool(t *testing.T) {
	s := newSite(t)
	village := s.village()
	a := s.assistant("--world", village)
	var tools []string
	for tool, err := range a.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool.Name)
	}
	slices.Sort(tools)
	if want := []string{"add_lore_draft", "ask_npc", "check_grounding", "explain_turn", "lint_world", "list_worlds",
		"memories", "what_does_npc_know"}; !slices.Equal(tools, want) {
		t.Errorf("tools %v", tools)
	}
	var worlds struct {
		Worlds []struct {
			Name  string
			Files bool
		}
	}
	call(t, a, "list_worlds", m{}, &worlds)
	if len(worlds.Worlds) != 1 || worlds.Worlds[0].Name != "village" || !worlds.Worlds[0].Files {
		t.Errorf("%+v", worlds)
	}
	var said struct {
		TurnID    string `json:"turn_id"`
		Player    string
		Reply     string
		Sentences []struct{ Evidence []struct{ Path string } }
	}
	call(t, a, "ask_npc", m{"message": "Who owns the ferry?"}, &said)
	if said.Reply != "Teague owns the ferry." || said.Player != "assistant" || len(said.Sentences) != 1 ||
		said.Sentences[0].Evidence[0].Path != "lore/ferry.txt" {
		t.Errorf("%+v", said)
	}
	for tool, c := range map[string]struct {
		args any
		want string
	}{
		"explain_turn":       {m{"turn_id": said.TurnID}, `"message":"Who owns the ferry?"`},
		"what_does_npc_know": {m{"npc": "mira", "question": "Who owns the ferry?"}, `"path":"lore/ferry.txt"`},
		"check_grounding": {m{"text": "Teague owns the ferry. I hope this helps!",
			"sources": []any{"Teague owns the ferry.", m{"content": "Rye is dear."}}}, `"grounded":true`},
		"lint_world": {m{}, `"errors":0`},
		"memories":   {m{"npc": "mira"}, `"memories":[`},
	} {
		if text, failed := call(t, a, tool, c.args, &m{}); failed || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// What cannot be done is said in one line that names what is wrong, and the talk goes on.
func TestWhatAnAssistantGetsWrong(t *testing.T) {
	s := newSite(t)
	a := s.assistant("--world", s.village())
	huge := strings.Repeat("a ", 1<<17)
	for _, c := range []struct {
		tool string
		args any
		want string
	}{
		{"ask_npc", m{"message": "Hello.", "world": "elsewhere"}, "there is village"},
		{"ask_npc", m{"message": "Hello.", "world": "../village"}, "world"},
		{"ask_npc", m{"message": "Hello.", "npc": "nobody"}, "there is mira, osric"},
		{"ask_npc", m{"message": "Hello.", "player": "a b"}, "player"},
		{"ask_npc", m{"message": " "}, "message"},
		{"ask_npc", m{"message": huge}, "at most"},
		{"ask_npc", m{"message": 7}, "integer"},
		{"ask_npc", m{"message": "Hello.", "deadline_ms": -5}, "deadline_ms"},
		{"ask_npc", m{"message": "Hello.", "trust": 100}, "trust"},
		{"ask_npc", m{}, "message"},
		{"ask_npc", "Hello.", "map"},
		{"what_does_npc_know", m{"question": ""}, "message"},
		{"what_does_npc_know", m{"question": "x", "trust": 1000}, "trust"},
		{"check_grounding", m{"text": "x", "sources": "x"}, "sources"},
		{"check_grounding", m{"text": "x", "sources": []any{7}}, "sources"},
		{"check_grounding", m{"text": huge, "sources": []any{"x"}}, "at most 65536"},
		{"check_grounding", m{"text": "x", "sources": []any{""}}, "sources[0] is empty"},
		{"check_grounding", m{"text": "x", "sources": []any{"x"}, "max_unverifiable_ratio": 2}, "ratio"},
		{"explain_turn", m{"turn_id": "t1"}, "no such turn"},
		{"explain_turn", m{"turn_id": "a.b"}, "turn"},
		{"memories", m{"limit": -1}, "limit"},
		{"memories", m{"npc": "nobody"}, "there is mira, osric"},
		{"lint_world", m{"world": "elsewhere"}, "there is village"},
		{"add_lore_draft", m{"name": "../lore/x", "text": "The bridge fell."}, "name"},
		{"add_lore_draft", m{"name": "x.txt", "text": "The bridge fell."}, "name"},
		{"add_lore_draft", m{"name": "x", "text": " "}, "no text"},
		{"add_lore_draft", m{"name": "x", "text": strings.Repeat("a ", 3<<20)}, "at most"},
		{"add_lore_draft", m{"name": "ferry", "text": "The bridge fell."}, "lore/ferry.txt is lore already"},
		{"add_lore_draft", m{"name": "x", "text": "Generated by an assistant: the bridge fell."}, "never be evidence"},
		{"no_such_tool", m{}, "no_such_tool"},
	} {
		text, failed := call(t, a, c.tool, c.args, nil)
		if !failed || !strings.Contains(text, c.want) || len(text) > 600 || strings.Contains(text, "\n") {
			t.Errorf("%s %.80v: failed %v, %.700q, want %q", c.tool, c.args, failed, text, c.want)
		}
	}
	if text, failed := call(t, a, "ask_npc", m{"message": "Who owns the ferry?"}, nil); failed {
		t.Errorf("after all that: %s", text)
	}
}

// A draft waits under drafts/ and is not said by anybody; a person promotes it.
func TestAnAssistantProposesLore(t *testing.T) {
	s := newSite(t)
	village := s.village()
	a := s.assistant("--world", village)
	var draft struct{ Path, Promote string }
	args := m{"name": "bridge", "text": "The bridge fell at dawn.", "by": "A model"}
	if text, failed := call(t, a, "add_lore_draft", args, &draft); failed || draft.Path != "drafts/bridge.txt" {
		t.Fatalf("%s", text)
	}
	if text, failed := call(t, a, "add_lore_draft", args, nil); !failed || !strings.Contains(text, "there already") {
		t.Errorf("the same again: %s", text)
	}
	if text, _ := call(t, a, "ask_npc", m{"message": "When did the bridge fall?"}, nil); strings.Contains(text, "dawn") {
		t.Errorf("a draft is said: %s", text)
	}
	promote := strings.NewReplacer("DIR", village, "YOU", "Ines", "forsooth ", "").Replace(draft.Promote)
	s.run(strings.Fields(promote)...).wants(t, exitFine)
	if _, err := os.Stat(filepath.Join(village, "lore", "bridge.txt")); err != nil {
		t.Error(err)
	}
}

// The files of a world are resources, and nothing else of the machine is.
func TestTheLoreIsReadAsResources(t *testing.T) {
	s := newSite(t)
	village := s.village()
	secret := s.write("secret.txt", "not for assistants")
	if err := os.Symlink(secret, filepath.Join(village, "lore", "link.txt")); err != nil {
		t.Fatal(err)
	}
	s.write("village/drafts/d.txt", "a draft")
	s.write("village/lore/.hidden", "a tool's")
	a := s.assistant("--world", village)
	var listed []string
	for r, err := range a.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, r.URI)
	}
	if !slices.Contains(listed, "lore://village/lore/ferry.txt") ||
		slices.Contains(listed, "lore://village/lore/link.txt") {
		t.Errorf("%v", listed)
	}
	got, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "lore://village/lore/ferry.txt"})
	if err != nil || !strings.HasPrefix(got.Contents[0].Text, "Teague owns the ferry.") {
		t.Errorf("%+v, %v", got, err)
	}
	for _, uri := range []string{"lore://village/lore/link.txt", "lore://village/lore/../../secret.txt",
		"lore://village/lore/%2e%2e/%2e%2e/secret.txt", "lore://village//etc/passwd", "lore://village/drafts/d.txt",
		"lore://village/lore/.hidden", "lore://village/world.yaml", "lore://village/lore", "lore://elsewhere/lore/ferry.txt",
		"file:///etc/passwd", `lore://village/lore/..\secret.txt`} {
		if got, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s is read: %+v", uri, got.Contents[0])
		}
	}
}

// The operator says what an assistant may do; the rest is not even listed.
func TestRightsOfAnAssistant(t *testing.T) {
	s := newSite(t)
	a := s.assistant("--world", s.village(), "--may", "play")
	for tool, want := range map[string]bool{"ask_npc": true, "list_worlds": true, "memories": false,
		"check_grounding": false, "add_lore_draft": false, "lint_world": false} {
		text, failed := call(t, a, tool, m{"message": "Hello."}, nil)
		if unknown := failed && strings.Contains(text, "unknown tool"); unknown == want {
			t.Errorf("%s: %s", tool, text)
		}
	}
	for _, err := range a.Resources(t.Context(), nil) {
		if err == nil {
			t.Error("lore is listed")
		}
	}
	s.run("mcp", "--may", "fly").wants(t, exitUsage, `"fly" is no right`)
	s.run("mcp", "--player", "a b").wants(t, exitUsage, "--player")
	s.run("mcp", "--world", "/nowhere").wants(t, exitUsage, "no such folder")
	s.run("mcp", "--nats", "nats://127.0.0.1:1").wants(t, exitDependency, "no NATS server answers")
}

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// The end of the input ends it, behind the answers. Every line of standard output is a
// message, and a line of input that is none is answered by an error.
func TestTheEndOfTheInputEndsTheTalk(t *testing.T) {
	s := newSite(t)
	r := s.runWith(greeting+"no json\n\n[]\n{}\n"+strings.Repeat("x", 9<<20)+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_npc","arguments":{"message":"Who owns `+
		`the ferry?"}}}`+"\n"+`{"jsonrpc":"2.0","id":3,"method":"no/method"}`, "mcp", "--world", s.village())
	r.wants(t, exitFine)
	if r.err != "" {
		t.Errorf("it says %q", r.err)
	}
	codes := map[float64]int{}
	for line := range strings.Lines(r.out) {
		var o struct {
			Version string `json:"jsonrpc"`
			Error   struct{ Code float64 }
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil || o.Version != "2.0" {
			t.Errorf("%q: %v", line, err)
		}
		codes[o.Error.Code]++
	}
	if codes[0] != 2 || codes[-32700] != 1 || codes[-32600] != 3 || codes[-32601] != 1 {
		t.Errorf("%v: %s", codes, r.out)
	}
	if !strings.Contains(r.out, "Teague owns the ferry.") {
		t.Errorf("the last call has no answer: %s", r.out)
	}
}

// Ctrl-C ends it cleanly, with or without a mesh of its own; one that joined leaves the mesh.
func TestCtrlCEndsTheTalk(t *testing.T) {
	s := newSite(t)
	village := s.village()
	for _, joined := range []bool{false, true} {
		if joined {
			s.start("up", "--world", village).says("ready in")
		}
		p := s.start("mcp", "--world", village)
		if _, err := p.in.Write([]byte(greeting)); err != nil {
			t.Fatal(err)
		}
		p.says(`"serverInfo"`)
		p.signal(syscall.SIGINT)
		if code := p.end(); code != exitFine || p.err.text != "" {
			t.Errorf("joined %v: exit code %d, it says %q", joined, code, p.err.text)
		}
	}
	s.run("chat", "--once", "Who owns the ferry?").wants(t, exitFine)
}
