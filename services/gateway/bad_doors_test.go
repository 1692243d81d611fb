package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// aDoor is one of the gateway, with a value at each place of its pattern.
type aDoor struct{ pattern, method, path, body string }

var examples = strings.NewReplacer("{world}", "village", "{npc}", "mira", "{turn}", "t1", "{player}", "p1", "{memory}",
	"m1", "{number}", "1", "{index}", "0", "{scene}", "inn")

// everyDoor are those of /v1 and for assistants, as the gateway itself lists them.
func everyDoor(t *testing.T) (out []aDoor) {
	t.Helper()
	for _, pattern := range gateway.Patterns() {
		d := aDoor{pattern: pattern}
		d.method, d.path, _ = strings.Cut(examples.Replace(pattern), " ")
		if strings.Contains(d.path, "{") {
			t.Fatalf("%s: give each of its places an example", pattern)
		}
		if d.method == "POST" {
			d.body = `{"world":"village","player":"p1"}`
		}
		out = append(out, d)
	}
	return out
}

// openaiDoors are those of OpenAI's protocol.
var openaiDoors = []aDoor{{"", "GET", "/openai/v1/models", ""}, {"", "GET", "/openai/v1/models/village/mira", ""},
	{"", "POST", completions, said("x", "")}, {"", "POST", "/openai/v1/responses", `{"model":"village/mira","input":"x"}`}}

// checkRefusal holds a refusal of either protocol, with one of some statuses.
func checkRefusal(t *testing.T, name string, got *answer, path string, statuses ...int) {
	t.Helper()
	wanted := false
	for _, s := range statuses {
		wanted = wanted || got.status == s
	}
	if !wanted {
		t.Errorf("%s: %d %s, want %v", name, got.status, cut(got.body), statuses)
	}
	if !strings.HasPrefix(path, "/openai") {
		checkProblem(t, name, got)
		return
	}
	var e struct {
		Error *struct {
			Message, Type string
			Code          *string
		}
	}
	if json.Unmarshal([]byte(got.body), &e) != nil || e.Error == nil || e.Error.Message == "" || e.Error.Type == "" ||
		e.Error.Code == nil || len(got.body) > 2000 {
		t.Errorf("%s: %d %s", name, got.status, cut(got.body))
	}
	for _, inside := range []string{"goroutine", ".go:", "nats:", "forsooth.v1.", "json:", "schema."} {
		if strings.Contains(got.body, inside) {
			t.Errorf("%s tells of %q: %s", name, inside, cut(got.body))
		}
	}
}

// Whoever shows no key, or one that opens nothing here, is told so at every door alike, and
// learns of no world.
func TestBadKeysOpenNoDoor(t *testing.T) {
	with, texts, ring := withKeys(t, access.Key{Name: "all", Rights: access.Rights},
		access.Key{Name: "elsewhere", Rights: access.Rights, Worlds: []string{"elsewhere"}},
		access.Key{Name: "gone", Rights: access.Rights})
	all, err := ring.List()
	must(t, err)
	mint := func(k *access.Key, expires time.Time) string {
		text, err := access.Mint(k, access.Grant{World: "village", Player: "p1", Expires: expires},
			expires.Add(-time.Minute))
		must(t, err)
		return text
	}
	good := mint(&all[0], time.Now().Add(time.Minute))
	expired, orphan := mint(&all[0], time.Now().Add(-time.Second)), mint(&all[2], time.Now().Add(time.Minute))
	stranger, _, err := access.Make(access.Key{Name: "all", Rights: access.Rights}, randomness{}, time.Now())
	must(t, err)
	_, err = ring.Remove("gone")
	must(t, err)
	s := open(t, with)
	half := strings.LastIndex(good, ".")
	cases, doors := 0, append(everyDoor(t), openaiDoors...)
	for name, header := range map[string]string{
		"none": "", "empty": "Bearer ", "no scheme": texts["all"], "another scheme": "Basic " + texts["all"],
		"two": "Bearer " + texts["all"] + ", Bearer " + texts["all"], "upper case": "Bearer " + strings.ToUpper(texts["all"]),
		"cut": "Bearer " + texts["all"][:len(texts["all"])-1], "longer": "Bearer " + texts["all"] + "A",
		"quoted": `Bearer "` + texts["all"] + `"`, "a wildcard": "Bearer *", "huge": "Bearer " + strings.Repeat("x", 8000),
		"no ASCII": "Bearer \xff\xfe", "removed": "Bearer " + texts["gone"], "an id": "Bearer " + all[0].ID,
		"its hash": "Bearer " + all[0].Hash, "expired": "Bearer " + expired, "of a removed key": "Bearer " + orphan,
		"of a stranger":           "Bearer " + mint(&stranger, time.Now().Add(time.Minute)),
		"without its signature":   "Bearer " + good[:half],
		"with an empty signature": "Bearer " + good[:half+1], "a signature alone": "Bearer " + good[half:],
		"with another's signature": "Bearer " + good[:half] + expired[strings.LastIndex(expired, "."):],
		"with a null algorithm":    "Bearer eyJhbGciOiJub25lIn0.eyJwbGF5ZXIiOiJwMSJ9.",
	} {
		for _, door := range doors {
			cases++
			at := fmt.Sprintf("%s, %s %s", name, door.method, door.path)
			got := s.do(door.method, door.path, door.body, "Authorization", header)
			checkRefusal(t, at, got, door.path, http.StatusUnauthorized)
			if strings.Contains(got.body, "elsewhere") || strings.Contains(got.body, "fk_") ||
				got.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: %v %s", at, got.header, got.body)
			}
		}
	}
	for _, door := range doors {
		for name, header := range map[string][2]string{
			"a cookie": {"Cookie", "key=" + texts["all"]}, "a header of its own": {"X-Api-Key", texts["all"]},
			"a name": {"X-Forwarded-User", "admin"}, "this machine": {"X-Forwarded-For", "127.0.0.1"},
			"a proxy's word": {"Proxy-Authorization", "Bearer " + texts["all"]},
			"another method": {"X-Http-Method-Override", "GET"},
		} {
			cases++
			checkRefusal(t, name+", "+door.path, s.do(door.method, door.path, door.body, header[0], header[1]), door.path,
				http.StatusUnauthorized)
		}
		cases++
		path := door.path + map[bool]string{true: "&", false: "?"}[strings.Contains(door.path, "?")] + "key=" + texts["all"]
		checkRefusal(t, "in the query, "+door.path, s.do(door.method, path, door.body), door.path, http.StatusUnauthorized)
		if door.pattern == "" && door.method == "POST" {
			cases++
			got := s.do(door.method, door.path, door.body, "Authorization", "Bearer "+texts["elsewhere"])
			checkRefusal(t, "of another world, "+door.path, got, door.path, http.StatusForbidden, http.StatusNotFound)
		}
	}
	s.key = good
	if got := s.do("POST", turns, sayFerry); got.status != http.StatusOK {
		t.Errorf("the token itself: %d %s", got.status, got.body)
	}
	t.Logf("%d cases", cases)
}

// ofPlayers are the doors that a player's token opens, and ofAnyWorld those that a key opens
// whose worlds are not asked about.
var (
	ofPlayers = []string{"GET /v1/worlds", "GET /v1/worlds/{world}", "GET /v1/worlds/{world}/npcs",
		"GET /v1/worlds/{world}/npcs/{npc}", "POST /v1/worlds/{world}/npcs/{npc}/turns",
		"GET /v1/worlds/{world}/npcs/{npc}/turns/{turn}", "DELETE /v1/worlds/{world}/npcs/{npc}/turns/{turn}",
		"POST /v1/worlds/{world}/scenes/{scene}/turns", "GET /v1/worlds/{world}/scenes/{scene}/turns/{turn}",
		"GET /v1/ws", "POST /mcp"}
	ofAnyWorld = []string{"GET /v1/worlds", "POST /v1/check", "GET /v1/ws", "POST /mcp"}
)

// No door of the gateway opens to a key without its right, to one of another world, or to a
// player's token that is not for it.
func TestEveryDoorAsksForItsRight(t *testing.T) {
	all := []access.Key{{Name: "all", Rights: access.Rights}, {Name: "elsewhere", Rights: access.Rights,
		Worlds: []string{"elsewhere"}}}
	for _, right := range access.Rights {
		others := slices.DeleteFunc(slices.Clone(access.Rights), func(r access.Right) bool { return r == right })
		all = append(all, access.Key{Name: "no-" + string(right), Rights: others})
	}
	with, texts, _ := withKeys(t, all...)
	s := open(t, with)
	s.key = texts["all"]
	var token gateway.Token
	s.do("POST", "/v1/tokens", `{"world":"village","player":"p1"}`).json(t, &token)
	texts["token"] = token.Token
	cases := 0
	refused := func(key string, d *aDoor, path string) {
		t.Helper()
		cases++
		s.key = texts[key]
		got := s.do(d.method, path, d.body)
		checkRefusal(t, key+", "+d.method+" "+path, got, path, http.StatusForbidden)
	}
	for _, d := range everyDoor(t) {
		if right := gateway.RightOf(d.pattern); right != "" { // each tool of an assistant takes its own
			refused("no-"+string(right), &d, d.path)
		}
		if !slices.Contains(ofAnyWorld, d.pattern) {
			refused("elsewhere", &d, d.path)
		}
		if !slices.Contains(ofPlayers, d.pattern) {
			refused("token", &d, d.path)
		}
		if strings.Contains(d.pattern, "{world}") {
			refused("token", &d, strings.Replace(d.path, "village", "elsewhere", 1))
		}
	}
	t.Logf("%d cases", cases)
}

// badChats are fields of a request of OpenAI's protocol, each wrong in one way.
var badChats = []string{
	`"model":7`, `"model":null`, `"model":""`, `"model":"village"`, `"model":"village/"`, `"model":"/mira"`,
	`"model":"village/mira/x"`, `"model":"village/nobody"`, `"model":"nowhere/mira"`, `"model":"../mira"`,
	`"model":"village/>"`, `"model":"village/*"`, `"model":"gpt-4o"`, `"model":["village/mira"]`,
	`"messages":7`, `"messages":null`, `"messages":[]`, `"messages":{}`, `"messages":[7]`, `"messages":[null]`,
	`"messages":[{}]`, `"messages":[{"role":7}]`, `"messages":[{"role":"user"}]`,
	`"messages":[{"role":"user","content":null}]`,
	`"messages":[{"role":"user","content":{}}]`, `"messages":[{"role":"user","content":[7]}]`,
	`"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}]`,
	`"messages":[{"role":"user","content":[{"type":"text","text":7}]}]`, `"messages":[{"role":"assistant","content":"x"}]`,
	`"messages":"x"`,
	`"n":0.5`, `"n":2`, `"n":-1`, `"n":"1"`, `"stream":"yes"`, `"stream":7`, `"stream_options":7`,
	`"response_format":{"type":"json_schema"}`, `"response_format":7`, `"tools":7`, `"tools":[7]`, `"user":7`,
	`"metadata":7`, `"metadata":{"player_token":7}`,
}

// What is wrong with a request of OpenAI's protocol has OpenAI's shape, whatever it is.
func TestBadInputToOpenAIsProtocol(t *testing.T) {
	s := open(t)
	cases := 0
	for _, field := range badChats {
		cases++
		body := "{" + field
		for other, fine := range map[string]string{"model": `"model":"village/mira"`,
			"messages": `"messages":[{"role":"user","content":"x"}]`} {
			if !strings.HasPrefix(field, `"`+other+`":`) {
				body += "," + fine
			}
		}
		checkRefusal(t, field, s.do("POST", completions, body+"}"), completions, 400, 403, 404, 422)
	}
	for _, path := range []string{completions, "/openai/v1/responses"} {
		for name, body := range badBodies {
			cases++
			checkRefusal(t, path+" with "+name, s.do("POST", path, body), path, 400, 404)
		}
		for _, method := range []string{"GET", "PUT", "DELETE", "PATCH"} {
			cases++
			checkRefusal(t, method+" "+path, s.do(method, path, ""), path, http.StatusMethodNotAllowed)
		}
		cases++
		checkRefusal(t, path+" as a form", s.do("POST", path, "model=x", "Content-Type", "application/x-www-form-urlencoded"),
			path, http.StatusUnsupportedMediaType)
	}
	for _, token := range badTokens {
		cases++
		path := "/openai/v1/models/village/" + token
		checkRefusal(t, path, s.do("GET", path, ""), path, 400, 404)
	}
	for _, path := range []string{"/openai", "/openai/", "/openai/v1", "/openai/v1/embeddings", "/openai/v2/models",
		"/openai/v1/chat", "/openai/v1//models", "/openai/v1/../v1/models"} {
		cases++
		checkRefusal(t, path, s.do("GET", path, ""), path, 404)
	}
	t.Logf("%d cases", cases)
}
