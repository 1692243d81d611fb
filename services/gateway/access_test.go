package gateway_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

const sayFerry = `{"player":"p1","message":"Who owns the ferry?"}`

// Without a key the doors are open to this machine alone: not to what a proxy passes
// on, not to a page whose name was made to lead here, not to a page of elsewhere.
func TestWithoutAKeyThisMachineAloneIsLetIn(t *testing.T) {
	s := open(t)
	for name, c := range map[string]struct {
		headers []string
		code    string
	}{
		"here":                 {nil, ""},
		"by its name":          {[]string{"Host", "localhost:8080"}, ""},
		"a page of here":       {[]string{"Origin", "http://localhost:5173"}, ""},
		"by a proxy":           {[]string{"X-Forwarded-For", "203.0.113.7"}, "FORBIDDEN"},
		"by another proxy":     {[]string{"Forwarded", "for=203.0.113.7"}, "FORBIDDEN"},
		"under another name":   {[]string{"Host", "evil.example"}, "FORBIDDEN"},
		"rebound":              {[]string{"Host", "127.0.0.1.evil.example"}, "FORBIDDEN"},
		"a page of elsewhere":  {[]string{"Origin", "https://evil.example"}, "ORIGIN"},
		"a page of a file":     {[]string{"Origin", "null"}, "ORIGIN"},
		"a form":               {[]string{"Content-Type", "text/plain"}, "MEDIA_TYPE"},
		"claims to be another": {[]string{"X-Forsooth-Player", "p9", "X-OpenWebUI-User-Id", "p9"}, ""},
	} {
		got := s.do("POST", turns, sayFerry, c.headers...)
		if c.code == "" && (got.status != http.StatusOK || !strings.Contains(got.body, `"player":"p1"`)) ||
			c.code != "" && !strings.Contains(got.body, `"code":"`+c.code+`"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	g, err := gateway.New(gateway.Options{Client: s.client})
	must(t, err)
	defer g.Close()
	for addr, fine := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "0.0.0.0:1": false, "[::]:1": false,
		"192.0.2.1:1": false} {
		at, err := net.ResolveTCPAddr("tcp", addr)
		must(t, err)
		if err := g.MayListen(at); (err == nil) != fine {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

const (
	talk     = "/v1/worlds/village/npcs/mira/conversations/p1"
	memories = "/v1/worlds/village/memories"
)

// opened are requests, by whose key or token, with the status of the answer.
var opened = []struct {
	key, method, path, body string
	want                    int
}{
	{"none", "POST", turns, sayFerry, 401}, {"unknown", "POST", turns, sayFerry, 401}, {"forged", "POST", turns,
		sayFerry, 401},
	{"play", "POST", turns, sayFerry, 200}, {"read", "POST", turns, sayFerry, 403}, {"elsewhere", "POST", turns,
		sayFerry, 403},
	{"one", "POST", turns, `{"message":"Who owns the ferry?"}`, 200}, {"one", "POST", turns,
		`{"player":"p2","message":"x"}`, 403},
	{"token", "POST", turns, `{"message":"Who owns the ferry?"}`, 200}, {"token", "POST", turns,
		`{"player":"p2","message":"x"}`, 403},
	{"token", "POST", turns, `{"message":"x","trust":100}`, 403}, {"token", "POST", turns,
		`{"message":"x","state":{}}`, 403}, {"token", "POST", turns, `{"message":"x","allowed_actions":[]}`, 403},
	{"token", "POST", "/v1/worlds/elsewhere/npcs/mira/turns", sayFerry, 403}, {"osric's", "POST", turns, sayFerry,
		403},
	{"token", "GET", turns + "/t1", "", 200}, {"token", "GET", turns + "/t1?player=p2", "", 403}, {"token", "GET",
		turns + "/t1?view=full", "", 403},
	{"play", "GET", turns + "/t1/trace?player=p1", "", 403}, {"token", "GET", turns + "/t1/trace", "", 403},
	{"play", "GET", village + "/outcomes", "", 403}, {"token", "GET", village + "/outcomes", "", 403},
	{"read", "GET", village + "/letters", "", 403}, {"read", "DELETE", village + "/players/p1", "", 403},
	{"read", "POST", memories + "/m1/resolve", `{"both":true}`, 403}, {"elsewhere", "GET", village + "/outcomes", "",
		403},
	{"read", "POST", village + "/letters/1/retry", "", 403}, {"token", "GET", village + "/players/p1", "", 403},
	{"play", "GET", turns + "/t1?player=p1", "", 200}, {"play", "GET", turns + "/t1?player=p1&view=full", "", 403},
	{"all", "GET", turns + "/t1?player=p1&view=full", "", 200},
	{"play", "GET", talk, "", 403}, {"read", "GET", talk, "", 200}, {"read", "DELETE", talk, "", 403}, {"all",
		"DELETE", talk, "", 200}, {"token", "GET", talk, "", 403},
	{"one", "GET", strings.Replace(talk, "p1", "p2", 1), "", 403}, {"one", "GET", memories + "?player=p2", "",
		403}, {"one", "GET", memories, "", 200},
	{"play", "GET", memories, "", 403}, {"read", "GET", memories, "", 200}, {"elsewhere", "GET", memories, "",
		403}, {"token", "GET", memories, "", 403},
	{"token", "POST", "/v1/worlds/village/events", `{}`, 403}, {"token", "POST", "/v1/tokens", `{}`, 403}, {"one",
		"POST", "/v1/tokens", `{}`, 403},
	{"token", "POST", turns + "/t1/actions/0", `{"accepted":true}`, 403}, {"token", "GET",
		"/v1/worlds/village/actions", "", 403},
	{"play", "POST", "/v1/tokens", `{"world":"village","player":"p1","npc":"nobody"}`, 404},
	{"play", "POST", "/v1/tokens", `{"world":"elsewhere","player":"p1"}`, 403}, {"play", "POST", "/v1/tokens",
		`{"world":"village","player":"p1","ttl_s":86401}`, 400},
	{"play", "POST", "/v1/tokens", `{"world":"village","player":"p1","ttl_s":-9223372036854775808}`, 400}, {"play",
		"POST", "/v1/tokens", `{"world":"village"}`, 400},
	{"play", "POST", "/v1/check", `{"text":"x"}`, 403}, {"token", "GET", "/v1/worlds/village/npcs", "", 200},
	{"elsewhere", "GET", "/v1/worlds/village", "", 403},
}

// A key opens what it is bound to, a token lets one player speak, and neither more.
func TestWhatKeysAndTokensOpen(t *testing.T) {
	with, texts, _ := withKeys(
		t,
		access.Key{
			Name:   "all",
			Rights: access.Rights,
		},
		access.Key{Name: "play", Rights: []access.Right{access.Play}, Worlds: []string{"village"}},
		access.Key{
			Name:   "read",
			Rights: []access.Right{access.Read},
		},
		access.Key{Name: "elsewhere", Rights: access.Rights, Worlds: []string{"elsewhere"}},
		access.Key{Name: "one", Rights: access.Rights, Player: "p1"},
	)
	s := open(t, with)
	s.key = texts["play"]
	var token gateway.Token
	made := s.do("POST", "/v1/tokens", `{"world":"village","player":"p1","ttl_s":60}`)
	made.json(t, &token)
	if made.status != http.StatusCreated || token.Token == "" || time.Until(token.Expires) > time.Minute {
		t.Fatalf("%d %s", made.status, made.body)
	}
	texts["token"], texts["none"], texts["forged"] = token.Token, "", token.Token[:len(token.Token)-6]+"AAAAAA"
	texts["unknown"] = "fk_0000000000_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	made = s.do("POST", "/v1/tokens", `{"world":"village","player":"p1","npc":"osric"}`)
	made.json(t, &token)
	texts["osric's"] = token.Token
	s.do("POST", turns, sayFerry, "Idempotency-Key", "t1")
	for _, c := range opened {
		s.key = texts[c.key]
		got := s.do(c.method, c.path, c.body)
		if got.status != c.want {
			t.Errorf("%s %s %s %s: %d %s", c.key, c.method, c.path, c.body, got.status, got.body)
		}
		if got.status == http.StatusUnauthorized && got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no challenge", c.key)
		}
		if got.status >= 400 && strings.Contains(got.body, "fk_") {
			t.Errorf("the key stands in %s", got.body)
		}
	}
	s.key = texts["elsewhere"]
	if got := s.do("GET", "/v1/worlds", ""); got.body != "{\"worlds\":[]}\n" {
		t.Errorf("a key sees worlds that are not its own: %s", got.body)
	}
	s.key = texts["token"]
	if got := s.do("POST", turns, `{"message":"Who owns the ferry?"}`); !strings.Contains(
		got.body,
		`"evidence":[]`,
	) ||
		strings.Contains(got.body, "ferry.txt") {
		t.Errorf("a player's game sees the evidence: %s", got.body)
	}
}

// A key that is taken away opens nothing, within a second; its tokens neither.
func TestAKeyIsTakenAway(t *testing.T) {
	with, texts, ring := withKeys(
		t,
		access.Key{Name: "a", Rights: access.Rights},
		access.Key{Name: "b", Rights: access.Rights},
	)
	s := open(t, with)
	s.key = texts["a"]
	var token gateway.Token
	s.do("POST", "/v1/tokens", `{"world":"village","player":"p1"}`).json(t, &token)
	_, err := ring.Remove("a")
	must(t, err)
	for _, key := range []string{texts["a"], token.Token} {
		s.key = key
		if got := s.do("POST", turns, sayFerry); got.status != http.StatusUnauthorized {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
}

// A web page is told whether it may call; only pages that are named may.
func TestWebPages(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "a", Rights: access.Rights})
	s := open(t, with, func(o *gateway.Options) { o.Origins = []string{"https://game.example"} })
	ask := []string{
		"Access-Control-Request-Method",
		"POST",
		"Access-Control-Request-Headers",
		"authorization,content-type",
	}
	got := s.do("OPTIONS", turns, "", append(ask, "Origin", "https://game.example")...)
	if got.status != http.StatusNoContent ||
		got.header.Get("Access-Control-Allow-Origin") != "https://game.example" ||
		!strings.Contains(got.header.Get("Access-Control-Allow-Headers"), "Authorization") ||
		got.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if got := s.do("OPTIONS", turns, "", append(ask, "Origin",
		"https://evil.example")...); got.status != http.StatusForbidden ||
		got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", got.status, got.header)
	}
	s.key = texts["a"]
	if got := s.do("POST", turns, sayFerry, "Origin", "https://game.example"); got.status != http.StatusOK ||
		got.header.Get("Access-Control-Allow-Origin") != "https://game.example" {
		t.Errorf("%d %v", got.status, got.header)
	}
	for _, bad := range []string{"game.example", "https://game.example/", "nothing"} {
		if _, err := gateway.New(gateway.Options{Client: s.client, Origins: []string{bad}}); err == nil {
			t.Errorf("%q is taken for an origin", bad)
		}
	}
}

// A key and a player that ask for more than they may are told when to come again.
func TestLimitsOfKeysAndPlayers(t *testing.T) {
	with, texts, _ := withKeys(
		t,
		access.Key{Name: "a", Rights: access.Rights, Rate: 0.001},
		access.Key{Name: "b", Rights: access.Rights},
	)
	now := time.Now()
	s := open(t, with, func(o *gateway.Options) { o.Now = func() time.Time { return now } })
	s.key = texts["a"]
	if got := s.do("GET", "/v1/worlds", ""); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.do("GET", "/v1/worlds", ""); got.status != http.StatusTooManyRequests ||
		got.header.Get("Retry-After") != "1000" ||
		!strings.Contains(got.body, `"RATE_LIMITED"`) {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	s.key = texts["b"]
	refused := 0
	for i := range 12 {
		got := s.do("POST", turns, fmt.Sprintf(`{"player":"p1","turn_id":"t%d","message":"Hello."}`, i))
		if got.status == http.StatusTooManyRequests {
			refused++
		}
	}
	if got := s.do("POST", turns, `{"player":"p2","message":"Hello."}`); refused != 2 || got.status != http.StatusOK {
		t.Errorf("%d refused; another player: %d %s", refused, got.status, got.body)
	}
}
