package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Whoever knocks with what is not theirs, or with nonsense, is told so in one line, and the scene
// goes on.
func TestStrangersAtAScene(t *testing.T) {
	g := invited(t, false)
	long := strings.Repeat("a", 65)
	for _, c := range []struct {
		who, method, path, body string
		status                  int
		says                    string
	}{
		{"all", "GET", "/v1/worlds/village/scenes/" + long, "", 400, `"field":"scene"`},
		{"all", "GET", "/v1/worlds/village/scenes/a.b", "", 400, `"field":"scene"`},
		{"all", "GET", "/v1/worlds/village/scenes/%2a", "", 400, `"field":"scene"`},
		{"all", "POST", "/v1/worlds/village/scenes/%3e/turns", `{"player":"p1","message":"Hm?"}`, 400, `"field":"scene`},
		{"all", "POST", "/v1/worlds/nowhere/scenes/inn/turns", `{"player":"p1","message":"Hm?"}`, 404, "UNKNOWN_WORLD"},
		{"all", "GET", "/v1/worlds/nowhere/scenes/inn/turns/t1", "", 404, "NOT_FOUND"},
		{"all", "DELETE", "/v1/worlds/nowhere/scenes/inn/turns/t1", "", 404, "NOT_FOUND"},
		{"p1", "GET", "/v1/worlds/nowhere/scenes/inn", "", 403, "FORBIDDEN"},
		{"p1", "GET", "/v1/worlds/village/scenes/other", "", 403, `"field":"player"`},
		{"p1", "POST", "/v1/worlds/village/scenes/other/turns", `{"message":"Hm?"}`, 400, "not in the scene other"},
		{"p3", "POST", inScene, `{"message":"Hm?"}`, 400, "not in the scene inn"},
		{"p3", "POST", inScene, `{"player":"p1","message":"Hm?"}`, 403, `"field":"player"`},
		{"p1", "POST", inScene, `{"scene":{"leave":{"players":["p2"]}}}`, 403, `"field":"scene"`},
		{"p1", "POST", inScene, `{"message":"Hm?","scene":{"present":{"players":["p3"]}}}`, 400, "the mesh alone sets"},
		{"p1", "POST", inScene, `{"message":"` + strings.Repeat("a", 300<<10) + `"}`, 413, "TOO_LARGE"},
		{"p1", "POST", inScene, `{"message":"` + strings.Repeat("a", 200<<10) + `"}`, 400, `"field":"message"`},
		{"p2", "POST", inScene, `{"message":"Hm?","turn_id":"` + schema.SceneRound("t1", 1) + `"}`, 400, `"field":"turn_id"`},
		{"all", "POST", inScene, `{"scene":{"enter":{"npcs":["scene"]}}}`, 400, "not an NPC"},
		{"all", "POST", inScene, `[]`, 400, "INVALID"},
		{"all", "POST", inScene, `{"player":"p1","message":"Hm?","scene":"inn"}`, 400, `"field":"scene"`},
	} {
		got := g.by(c.who, c.method, c.path, c.body)
		checkProblem(t, c.path, got)
		if got.status != c.status || !strings.Contains(got.body, c.says) {
			t.Errorf("%s %s %s %s: %d %s, want %d %s", c.who, c.method, c.path, cut(c.body), got.status, cut(got.body), c.status,
				c.says)
		}
	}
	got := g.by("p1", "POST", inScene, `{"message":"Mira, who owns the ferry?"}`)
	if !strings.Contains(got.body, "Teague") {
		t.Errorf("the scene goes on: %d %s", got.status, got.body)
	}
}

// A place of a scene that is not the turn's own shows no more than its end, and two may watch one
// turn at once, each whole.
func TestPlacesOfAnotherScene(t *testing.T) {
	g := invited(t, false)
	g.by("p1", "POST", inScene, `{"message":"Mira, who owns the ferry?","turn_id":"t1"}`)
	all := g.stream("GET", inScene+"/t1", "")
	for _, seen := range []string{"99", "9223372036854775807"} {
		got := g.stream("GET", inScene+"/t1", "", "Last-Event-ID", seen)
		if len(got) != 1 || got[0] != all[len(all)-1] {
			t.Errorf("behind %s: %v", seen, got)
		}
	}
	for _, seen := range []string{"-1", "1.5", "92233720368547758070", "inn"} {
		got := g.do("GET", inScene+"/t1", "", "Accept", "text/event-stream", "Last-Event-ID", seen)
		if checkProblem(t, seen, got); got.status != http.StatusBadRequest {
			t.Errorf("behind %s: %d %s", seen, got.status, got.body)
		}
	}
}

// Who leaves twice has left, and says and hears no more.
func TestLeavingTwice(t *testing.T) {
	g := invited(t, false)
	for range 2 {
		talk := g.enters(`"leave":{"players":["p1"]}`)
		if strings.Join(talk.Scene.Players, " ") != "p2" {
			t.Errorf("%+v", talk.Scene)
		}
	}
	got := g.by("p1", "POST", inScene, `{"message":"Hm?"}`)
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, "not in the scene") {
		t.Errorf("%d %s", got.status, got.body)
	}
	g.by("p2", "POST", inScene, `{"message":"Mira, who owns the ferry?","turn_id":"t1"}`)
	for _, door := range []string{inn, inScene + "/t1"} {
		if got := g.by("p1", "GET", door, ""); got.status != 403 && got.status != 404 {
			t.Errorf("%s: %d %s", door, got.status, got.body)
		}
	}
}

// A player who is erased while a turn is shown: the turn ends, whoever is shown it is told so, and
// the scene goes on without the player.
func TestAPlayerIsErasedWhileASceneSpeaks(t *testing.T) {
	g := invited(t, true)
	own := g.begun("p1", "POST", inScene, fmt.Sprintf(slowly, "t1"))
	others := g.begun("p2", "GET", inScene+"/t1", "")
	k := g.socket(g.url)
	k.send(`{"type":"resume","world":"village","scene":"inn","turn_id":"t1"}`)
	k.until("accepted")
	_, err := admin.ErasePlayer(t.Context(), "p1", admin.Erasure{Conn: g.app.Conn, Data: g.options.Data, Running: true,
		Worlds: []string{"village"}, Now: time.Now, NewID: g.client.NewID})
	must(t, err)
	for who, events := range map[string]<-chan event{"p1": own, "p2": others} {
		var last event
		for e := range events {
			last = e
		}
		if last.name != "done" && last.name != "problem" {
			t.Errorf("%s is shown as the last %+v", who, last)
		}
	}
	for e, ok := k.next(); e.Type != "done" && e.Type != "problem"; e, ok = k.next() {
		if !ok {
			t.Fatal("the socket ended")
		}
	}
	if got := g.by("all", "GET", inn, ""); !strings.Contains(got.body, `"players":["p2"]`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	got := g.by("p1", "GET", inScene+"/t1", "")
	if got.status != http.StatusNotFound || strings.Contains(got.body, "ferry") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
