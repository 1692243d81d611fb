package gateway_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// badTokens are values that no id may have, as they stand in a path.
var badTokens = []string{
	"%2e%2e",
	"a%2Fb",
	"..%2f..%2fetc%2fpasswd",
	"%00",
	"a%00b",
	"*",
	">",
	"a.b",
	"%3E",
	"_",
	"%20",
	"a%20b",
	"%0d%0aX-Evil:%201",
	"%c3%28",
	"%ff",
	"caf%C3%A9",
	strings.Repeat("x", 65),
	"%24JS",
	"%25",
	"'--",
}

// badPaths are paths with a place for a value.
var badPaths = []string{
	"GET /v1/worlds/%s", "GET /v1/worlds/%s/npcs", "GET /v1/worlds/village/npcs/%s", "GET /v1/worlds/%s/npcs/mira",
	"GET /v1/worlds/village/npcs/mira/turns/%s?player=p1",
	"GET /v1/worlds/village/npcs/mira/turns/t1?player=%s", "DELETE /v1/worlds/village/npcs/mira/turns/%s?player=p1",
	"GET /v1/worlds/village/npcs/mira/conversations/%s",
	"DELETE /v1/worlds/village/npcs/mira/conversations/%s", "GET /v1/worlds/%s/memories", "GET /v1/worlds/%s/actions",
	"GET /v1/worlds/village/actions?since=%s",
	"GET /v1/worlds/village/npcs/mira/turns/%s/trace?player=p1", "GET /v1/worlds/%s/outcomes",
	"GET /v1/worlds/village/outcomes?since=%s", "GET /v1/worlds/village/outcomes?npc=%s", "GET /v1/worlds/%s/letters",
	"GET /v1/worlds/village/letters?after=%s", "POST /v1/worlds/village/letters/%s/retry",
	"GET /v1/worlds/village/players/%s", "DELETE /v1/worlds/%s/players/p1",
	"GET /v1/worlds/village/scenes/%s", "GET /v1/worlds/%s/scenes/inn", "DELETE /v1/worlds/village/scenes/%s/turns/t1",
	"GET /v1/worlds/village/scenes/inn/turns/%s", "GET /v1/worlds/village/scenes/%s/turns/t1/trace",
	"GET /v1/worlds/village/outcomes?scene=%s",
}

// badBodies are bodies that no door takes.
var badBodies = map[string]string{
	"nothing": " ", "a brace": "{", "a list": "[]", "a number": "7", "a text": `"x"`, "null": "null",
	"two objects": `{}{}`, "no UTF-8": "{\"message\":\"\xff\xfe\"}", "a NUL": "\x00",
	"a field that is none": `{"mesage":"x"}`, "deep": strings.Repeat("[", 20000),
	"deep objects": strings.Repeat(`{"a":`, 20000), "a byte order mark": "\ufeff{}",
	"XML": "<turn/>", "a comment": `{/**/}`, "a NaN": `{"trust":NaN}`, "a form": "player=p1&message=x",
}

// badFields are fields of a turn, each wrong in one way.
var badFields = map[string]string{
	"player a number": `"player":7`, "player a list": `"player":["p1"]`, "player null": `"player":null`,
	"player missing": `"player":""`, "player _": `"player":"_"`, "player a wildcard": `"player":">"`,
	"player with a dot": `"player":"a.b"`, "player long": `"player":"` + strings.Repeat("x", 65) + `"`,
	"player with a line": `"player":"a\r\nb"`, "message a number": `"message":7`,
	"message an object": `"message":{}`,
	"message empty":     `"message":""`, "message blank": `"message":" \n\t"`, "message long": `"message":"` +
		strings.Repeat("x", schema.MaxMessageBytes+1) + `"`,
	"turn_id a wildcard": `"turn_id":"*"`, "turn_id spaced": `"turn_id":"a b"`, "trust a text": `"trust":"10"`,
	"trust broken": `"trust":1.5`, "trust high": `"trust":101`, "trust huge": `"trust":1e400`,
	"deadline short": `"deadline_ms":1`, "deadline long": `"deadline_ms":999999`,
	"deadline negative": `"deadline_ms":-1`, "deadline huge": `"deadline_ms":99999999999999999999`,
	"state a list": `"state":[]`,
	"flags a text": `"flags":"x"`, "flags of numbers": `"flags":[1]`, "game_time a word": `"game_time":"noon"`,
	"witnesses a map": `"witnesses":{}`, "actions a text": `"allowed_actions":"give"`,
	"an action without a name": `"allowed_actions":[{}]`, "an action's name": `"allowed_actions":[{"name":"a b"}]`,
	"supersedes itself": `"turn_id":"t1","supersedes":"t1"`, "supersedes a wildcard": `"supersedes":">"`,
	"a version": `"schema_version":"9.0"`, "another world": `"world":"elsewhere"`, "another NPC": `"npc":"osric"`,
	"locale a number": `"locale":7`, "an admin": `"admin":true`,
}

// checkProblem holds what every refusal has in common: a status of the caller's fault, one problem with
// a code, and nothing of what is behind the gateway.
func checkProblem(t *testing.T, name string, got *answer) {
	t.Helper()
	var p gateway.Problem
	err := json.Unmarshal([]byte(got.body), &p)
	if err != nil || got.status < 400 || got.status > 499 || p.Status != got.status || p.Code == "" ||
		p.Title == "" ||
		got.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: %d %v %s", name, got.status, got.header, cut(got.body))
	}
	if !utf8.ValidString(got.body) || len(got.body) > 2000 {
		t.Errorf("%s: %d bytes: %s", name, len(got.body), cut(got.body))
	}
	for _, inside := range []string{"goroutine", ".go:", "nats:", "forsooth.v1.", "json:", "schema."} {
		if strings.Contains(got.body, inside) {
			t.Errorf("%s tells of %q: %s", name, inside, cut(got.body))
		}
	}
	if got.header.Get("X-Evil") != "" {
		t.Errorf("%s: a header of the caller's comes back", name)
	}
}

func cut(s string) string { return s[:min(len(s), 300)] }

// Whatever is wrong with a request, it is answered by one clear problem.
func TestBadInputIsOneClearProblem(t *testing.T) {
	s := open(t)
	cases := 0
	for _, at := range badPaths {
		method, path, _ := strings.Cut(at, " ")
		for _, value := range badTokens {
			cases++
			name := fmt.Sprintf("%s with %s", at, value)
			checkProblem(t, name, s.do(method, fmt.Sprintf(path, value), ""))
		}
	}
	for _, door := range []string{turns, inScene, "/v1/worlds/village/events", "/v1/check", "/v1/tokens", turns +
		"/t1/actions/0?player=p1", "/v1/worlds/village/memories/m1/resolve"} {
		for name, body := range badBodies {
			if strings.Contains(door, "actions") && body == "null" {
				continue // a result without a word is a refusal
			}
			cases++
			checkProblem(t, door+" with "+name, s.do("POST", door, body))
		}
		cases += 3
		checkProblem(t, door+" with another type", s.do("POST", door, "{}", "Content-Type", "text/html"))
		checkProblem(t, door+" without a type", s.do("POST", door, "{}", "Content-Type", ""))
		checkProblem(t, door+" with a huge body", s.do("POST", door, `{"text":"`+strings.Repeat("x", 5<<20)+`"}`))
	}
	for name, field := range badFields {
		cases++
		body := "{" + field
		for other, fine := range map[string]string{"player": `"player":"p1"`, "message": `"message":"x"`} {
			if !strings.Contains(field, `"`+other+`":`) {
				body += "," + fine
			}
		}
		checkProblem(t, name, s.do("POST", turns, body+"}"))
	}
	cases += s.elsewhere()
	if got := s.do("POST", turns, sayFerry); got.status != http.StatusOK {
		t.Errorf("after all that: %d %s", got.status, got.body)
	}
	t.Logf("%d cases", cases)
	if cases < 400 {
		t.Errorf("%d cases", cases)
	}
}

// elsewhere asks with bad headers, by other methods, and at paths that there are none of.
func (s *site) elsewhere() (cases int) {
	s.t.Helper()
	for _, c := range [][2]string{{"Idempotency-Key", "a b"}, {"Idempotency-Key", ">"}, {"Idempotency-Key",
		strings.Repeat("x", 65)}, {"Last-Event-ID", "x"}, {"Last-Event-ID", "-1"}, {"Last-Event-ID",
		"99999999999999999999"}} {
		cases++
		checkProblem(s.t, c[0]+": "+c[1], s.do("POST", turns, `{"player":"p1","message":"x"}`, c[0], c[1]))
	}
	for _, at := range []string{"GET /", "GET /v1", "GET /v1/", "GET /v2/worlds", "GET /v1/worlds/",
		"GET /.git/config", "GET /v1/nothing", "PUT /v1/worlds", "PATCH " + turns, "TRACE /v1/worlds",
		"POST /v1/worlds", "DELETE /v1/worlds/village",
		"GET " + turns, "GET /v1/check", "GET /v1/worlds/village/npcs/mira/turns/t1/actions/0", "POST " + turns +
			"/t1/actions/x?player=p1", "POST " + turns + "/t1/actions/-1?player=p1", "GET /v1/worlds//npcs",
		"GET /v1/../v1/worlds",
		"GET /v1/ws", "GET /v1/worlds/village/memories?limit=0", "GET /v1/worlds/village/memories?limit=x",
		"GET /v1/worlds/village/memories?limit=201", "GET /v1/worlds/village/memories?status=activ",
		"GET /v1/worlds/village/memories?npc=*"} {
		cases++
		method, path, _ := strings.Cut(at, " ")
		body := ""
		if method == "POST" {
			body = `{"accepted":true}`
		}
		if path == "/v1/ws" {
			if got := s.do(method, path, body); got.status != http.StatusUpgradeRequired {
				s.t.Errorf("%s: %d %s", at, got.status, got.body)
			}
			continue
		}
		checkProblem(s.t, at, s.do(method, path, body))
	}
	return cases
}

// What does not come whole, or is no HTTP, is answered or cut off, and the next is served.
func TestBrokenConnections(t *testing.T) {
	s := open(t)
	for name, c := range map[string]struct{ raw, want string }{
		"half a body": {"POST " + turns +
			" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"player\":",
			"408"},
		"two lengths": {"POST " + turns +
			" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "400"},
		"no HTTP": {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"},
		"a header without end": {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 64<<10) +
			"\r\n\r\n", "431"},
		"two hosts":    {"GET /v1/worlds HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", "400"},
		"another host": {"GET http://evil.example/v1/worlds HTTP/1.1\r\nHost: localhost\r\n\r\n", "403"},
		"a chunk that lies": {"POST " + turns +
			" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "4"},
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		must(t, err)
		_, _ = io.WriteString(conn, c.raw) // the other end may have had enough of it
		must(t, conn.(*net.TCPConn).CloseWrite())
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.HasPrefix(line, "HTTP/1.1 "+c.want) {
			t.Errorf("%s: %q", name, line)
		}
		_ = conn.Close()
	}
	if got := s.do("POST", turns, sayFerry); got.status != http.StatusOK {
		t.Errorf("after all that: %d %s", got.status, got.body)
	}
}
