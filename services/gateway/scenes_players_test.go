package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// guests is a gateway before a scene in which players speak by tokens, and who they are.
type guests struct {
	*site
	backend string
	player  map[string]string // tokens
}

// invited opens a scene to p1, p2 and two NPCs. A token of p3 is of nobody there. Where slow, no
// turn ends before somebody ends it.
func invited(t *testing.T, slow bool, more ...access.Key) *guests {
	t.Helper()
	with, texts, _ := withKeys(t, append(more, access.Key{Name: "all", Rights: access.Rights})...)
	configure := func(*app.Options) {}
	if slow {
		model, err := llmtest.Start(llmtest.Options{Pace: llmtest.Pace{First: time.Minute, Rate: 1}})
		must(t, err)
		t.Cleanup(func() { must(t, model.Close()) })
		configure = func(o *app.Options) {
			scripted(model.URL())(o)
			o.LLM.Calls = map[string]llm.Limits{} // nobody gives the model up before the cancel
			for _, call := range []string{"citation_query", "monologue", "lean", "decision", "speech", "actions"} {
				o.LLM.Calls[call] = llm.Limits{Timeout: time.Minute}
			}
		}
	}
	g := &guests{openWith(t, configure, with), texts["all"], texts}
	for _, p := range []string{"p1", "p2", "p3"} {
		var made gateway.Token
		g.by("all", "POST", "/v1/tokens", `{"world":"village","player":"`+p+`"}`).json(t, &made)
		g.player[p] = made.Token
	}
	g.key = g.backend
	g.enters(bothEnter)
	return g
}

// by does something as the backend or a player.
func (g *guests) by(who, method, path, body string, headers ...string) *answer {
	g.t.Helper()
	g.key = g.player[who]
	defer func() { g.key = g.backend }()
	return g.do(method, path, body, headers...)
}

// begun are the events of a turn, as a player sees them from its acceptance on, until it ends.
func (g *guests) begun(who, method, path, body string) <-chan event {
	g.t.Helper()
	g.key = g.player[who]
	r := g.request(method, path, body, "Accept", "text/event-stream")
	g.key = g.backend
	resp, err := g.http.Do(r)
	must(g.t, err)
	g.t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		g.t.Fatalf("%s %s as %s: %d", method, path, who, resp.StatusCode)
	}
	out := make(chan event, 100)
	go func() {
		defer close(out)
		readEvents(g.t, resp.Body, func(e event) bool { out <- e; return true })
	}()
	if e := <-out; e.name != "accepted" {
		g.t.Fatalf("%s %s as %s: %+v", method, path, who, e)
	}
	return out
}

const slowly = `{"npc":"mira","message":"Who owns the ferry?","deadline_ms":60000,"turn_id":%q}`

// A player ends what that player said, and no other's turn, by whatever door: not by a cancel, and
// not by a message that is to take its place. The backend may end any.
func TestAPlayerEndsNoOthersTurn(t *testing.T) {
	g := invited(t, true)
	first := g.begun("p1", "POST", inScene, fmt.Sprintf(slowly, "t1"))
	waits := func(turn string) {
		t.Helper()
		if got := g.by("all", "GET", inScene+"/"+turn, ""); !strings.Contains(got.body, `"state":"waiting"`) {
			t.Errorf("%s: %d %s", turn, got.status, got.body)
		}
	}
	for who, status := range map[string]int{"p2": 403, "p3": 403} {
		if got := g.by(who, "DELETE", inScene+"/t1", ""); got.status != status {
			t.Errorf("%s cancels: %d %s", who, got.status, got.body)
		}
	}
	g.key = g.player["p2"]
	k := g.socket(g.url)
	k.send(`{"type":"cancel","world":"village","scene":"inn","turn_id":"t1"}`)
	if e := k.until("problem"); e.Problem.Code != "FORBIDDEN" || e.Problem.Field != "turn_id" {
		t.Errorf("%+v", e.Problem)
	}
	k.send(`{"type":"say","say":{"world":"village","message":"Hm?","turn_id":"t2","supersedes":"t1",` +
		`"scene":{"id":"inn"}}}`)
	if e := k.until("problem"); e.Problem.Code != "FORBIDDEN" || e.Problem.Field != "supersedes" {
		t.Errorf("%+v", e.Problem)
	}
	got := g.by("p2", "POST", inScene, `{"message":"Hm?","turn_id":"t3","supersedes":"t1"}`)
	if checkProblem(t, "supersedes", got); got.status != http.StatusForbidden {
		t.Errorf("%d %s", got.status, got.body)
	}
	waits("t1")
	own := g.begun("p1", "POST", inScene, strings.Replace(fmt.Sprintf(slowly, "t4"), "{", `{"supersedes":"t1",`, 1))
	if got := ended(t, first); got.Reason != schema.ReasonSuperseded {
		t.Errorf("p1 has said something else: %+v", got)
	}
	waits("t4")
	if got := g.by("all", "DELETE", inScene+"/t4", ""); got.status != http.StatusNoContent {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := ended(t, own); got.Reason != schema.ReasonCancelled {
		t.Errorf("the backend has ended it: %+v", got)
	}
	// What does not wait has no place to take.
	last := g.begun("p2", "POST", inScene, strings.Replace(fmt.Sprintf(slowly, "t5"), "{", `{"supersedes":"t1",`, 1))
	if got := g.by("p2", "DELETE", inScene+"/t5", ""); got.status != http.StatusNoContent {
		t.Errorf("%d %s", got.status, got.body)
	}
	ended(t, last)
}

// ended is the reply with which a turn ends.
func ended(t *testing.T, events <-chan event) *gateway.Reply {
	t.Helper()
	var last gateway.Event
	for e := range events {
		last = gateway.Event{}
		must(t, json.Unmarshal([]byte(e.data), &last))
	}
	if last.Reply == nil {
		t.Fatalf("it ends with %+v", last)
	}
	return last.Reply
}

// Whoever watches a turn that waits, and leaves before it begins, hears nothing of it.
func TestAPlayerWhoHasLeftHearsNothing(t *testing.T) {
	g := invited(t, true)
	first := g.begun("p1", "POST", inScene, fmt.Sprintf(slowly, "t1"))
	left := g.begun("all", "POST", inScene, `{"turn_id":"l1","scene":{"leave":{"players":["p2"]}}}`)
	second := g.begun("p1", "POST", inScene, fmt.Sprintf(slowly, "t2"))
	overheard := g.begun("p2", "GET", inScene+"/t2", "")
	if got := g.by("p1", "DELETE", inScene+"/t1", ""); got.status != http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	ended(t, first)
	ended(t, left)
	if e := <-second; e.name != "thinking" {
		t.Fatalf("%+v", e)
	}
	if got := g.by("p1", "DELETE", inScene+"/t2", ""); got.status != http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	ended(t, second)
	var heard []string
	for e := range overheard {
		heard = append(heard, e.name)
	}
	if fmt.Sprint(heard) != "[problem]" {
		t.Errorf("p2 has left, and is shown %v", heard)
	}
}

// A key that is one player's reads how turns came about that this player heard, and no others.
func TestAPlayersKeyReadsNoOthersTrace(t *testing.T) {
	g := invited(t, false, access.Key{Name: "two", Rights: access.Rights, Player: "p2"},
		access.Key{Name: "three", Rights: access.Rights, Player: "p3"})
	g.by("p1", "POST", inScene, `{"message":"Mira, who owns the ferry?","turn_id":"t1"}`)
	for who, status := range map[string]int{"all": 200, "two": 200, "three": 404} {
		for _, door := range []string{"/t1/trace", "/t1?view=full", "/t1"} {
			if got := g.by(who, "GET", inScene+door, ""); got.status != status {
				t.Errorf("%s of %s: %d %s", door, who, got.status, cut(got.body))
			}
		}
	}
}
