package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

const turns = "/v1/worlds/village/npcs/mira/turns"

// What a player says is answered by the reply, with what stands behind it. The same
// turn id said again is the same turn.
func TestATurnIsAnswered(t *testing.T) {
	s := open(t)
	body := `{"player":"p1","message":"Who owns the ferry?"}`
	first := s.do("POST", turns, body, "Idempotency-Key", "t1")
	var r gateway.Reply
	first.json(t, &r)
	if first.status != http.StatusOK || r.Text != "Teague owns the ferry." || r.Status != schema.StatusExtractive ||
		r.TurnID != "t1" ||
		r.NPCName != "Mira" {
		t.Fatalf("%d %s", first.status, first.body)
	}
	if len(r.Sentences) != 1 || len(r.Sentences[0].Evidence) != 1 ||
		r.Sentences[0].Evidence[0].Path != "lore/ferry.txt" {
		t.Errorf("%s", first.body)
	}
	if got := first.header.Get("Location"); got != turns+"/t1?player=p1" {
		t.Errorf("at %q", got)
	}
	again := s.do("POST", turns, body, "Idempotency-Key", "t1")
	if other := s.do("POST", turns, `{"player":"p1","message":"What does a crossing cost?"}`, "Idempotency-Key",
		"t1"); !strings.Contains(other.body, `"again":true`) {
		t.Errorf("another message under an id of before is not marked: %s", other.body)
	}
	if strings.Replace(again.body, `,"again":true`, "", 1) != first.body || again.body == first.body {
		t.Errorf("again: %s\nwas, without its mark: %s", again.body, first.body)
	}
	var o gateway.Outcome
	s.do("GET", turns+"/t1?player=p1", "").json(t, &o)
	if o.State != schema.TurnEnded || o.Reply.Text != r.Text || o.Full != nil || o.RepliedAt.IsZero() {
		t.Errorf("%+v", o)
	}
	var full gateway.Outcome
	s.do("GET", turns+"/t1?player=p1&view=full", "").json(t, &full)
	if full.Full == nil || len(full.Full.Passes) == 0 {
		t.Errorf("%+v", full)
	}
	if got := s.do("GET", turns+"/t1?player=p2", ""); got.status != http.StatusNotFound {
		t.Errorf("another player's: %d %s", got.status, got.body)
	}
	if got := s.do("POST", turns, `{"player":"p2","message":"Who owns the ferry?"}`, "Idempotency-Key",
		"t1"); got.status != http.StatusBadRequest ||
		!strings.Contains(got.body, "another conversation") {
		t.Errorf("another's turn id: %d %s", got.status, got.body)
	}
}

// A turn is shown as it runs, and whoever has lost the connection is shown what follows.
func TestATurnIsStreamed(t *testing.T) {
	s := open(t)
	all := s.stream("POST", turns, `{"player":"p1","message":"Who owns the ferry?","turn_id":"t1"}`)
	var names []string
	for _, e := range all {
		names = append(names, e.name)
	}
	if got := strings.Join(names, " "); !strings.HasPrefix(got, "accepted ") ||
		!strings.HasSuffix(got, "sentence done") {
		t.Fatalf("%s", got)
	}
	var said, done gateway.Event
	must(t, json.Unmarshal([]byte(all[len(all)-2].data), &said))
	must(t, json.Unmarshal([]byte(all[len(all)-1].data), &done))
	if said.Sentence.Text != "Teague owns the ferry." || done.Reply.Text != said.Sentence.Text ||
		done.Reply.Status != schema.StatusExtractive {
		t.Errorf("%+v %+v", said, done)
	}
	for _, method := range []string{"GET", "POST"} {
		path, body := turns+"/t1?player=p1", ""
		if method == "POST" {
			path, body = turns, `{"player":"p1","message":"Who owns the ferry?","turn_id":"t1"}`
		}
		for i, e := range all[:len(all)-1] {
			rest := s.stream(method, path, body, "Last-Event-ID", e.id)
			if len(rest) != len(all)-1-i || rest[0].data != all[i+1].data {
				t.Errorf("%s behind event %d: %v", method, i, rest)
			}
		}
	}
}

// A cancel ends a turn with what was said so far.
func TestATurnIsCancelled(t *testing.T) {
	model, err := llmtest.Start(llmtest.Options{Pace: llmtest.Pace{First: time.Minute, Rate: 1}})
	must(t, err)
	defer model.Close()
	s := openWith(t, scripted(model.URL()))
	resp, err := s.http.Do(
		s.request(
			"POST",
			turns,
			`{"player":"p1","message":"Who owns the ferry?","turn_id":"t1","deadline_ms":60000}`,
			"Accept",
			"text/event-stream",
		),
	)
	must(t, err)
	defer resp.Body.Close()
	var last gateway.Event
	readEvents(t, resp.Body, func(e event) bool {
		if e.name == "accepted" {
			if got := s.do("GET", turns+"/t1?player=p1", ""); !strings.Contains(got.body, `"state":"waiting"`) {
				t.Errorf("%d %s", got.status, got.body)
			}
			if got := s.do("DELETE", turns+"/t1?player=p1", ""); got.status != http.StatusNoContent {
				t.Errorf("%d %s", got.status, got.body)
			}
		}
		must(t, json.Unmarshal([]byte(e.data), &last))
		return true
	})
	if last.Type != "done" || last.Reply.Status != schema.StatusAborted ||
		last.Reply.Reason != schema.ReasonCancelled {
		t.Errorf("%+v", last)
	}
	if got := s.do("DELETE", turns+"/never?player=p1", ""); got.status != http.StatusNotFound {
		t.Errorf("one that never was: %d %s", got.status, got.body)
	}
}

// A gateway that goes leaves the turn to another: what was seen is not shown again, and
// nothing is left out.
func TestAStreamGoesOnAtAnotherGateway(t *testing.T) {
	s := open(t)
	other, stop := s.gateway()
	here := s.url
	s.url = other
	resp, err := s.http.Do(
		s.request(
			"POST",
			turns,
			`{"player":"p1","message":"Who owns the ferry?","turn_id":"t1"}`,
			"Accept",
			"text/event-stream",
		),
	)
	must(t, err)
	var seen event
	readEvents(t, resp.Body, func(e event) bool { seen = e; return false })
	stop()
	must(t, resp.Body.Close())
	s.url = here
	rest := s.stream("GET", turns+"/t1?player=p1", "", "Last-Event-ID", seen.id)
	sentences := 0
	for _, e := range rest {
		if e.name == "sentence" {
			sentences++
		}
	}
	if seen.name != "accepted" || sentences != 1 || rest[len(rest)-1].name != "done" {
		t.Errorf("%v, then %v", seen, rest)
	}
}

func TestHealthAndReadiness(t *testing.T) {
	s := open(t)
	if got := s.do("GET", "/healthz", ""); got.status != http.StatusOK || got.body != "ok\n" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.do("GET", "/readyz", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"ready":true`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.client.Close()
	if got := s.do("GET", "/readyz", ""); got.status != http.StatusServiceUnavailable ||
		!strings.Contains(got.body, `"ready":false`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	got := s.do("POST", turns, `{"player":"p1","message":"Who owns the ferry?"}`)
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") != "1" ||
		!strings.Contains(got.body, `"UNREACHABLE"`) {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An NPC speaks first upon an event: no door takes a begun turn.
func TestNoDoorTakesABegunTurn(t *testing.T) {
	s := open(t)
	k := s.socket(s.url)
	const say = `{"world":"village","npc":"mira","player":"p1","message":"Who owns the ferry?",` +
		`"begin":{"event_id":"e1","kind":"brought"}}`
	if got := s.do("POST", turns, say); got.status != http.StatusBadRequest ||
		!strings.Contains(got.body, `"code":"INVALID"`) || !strings.Contains(got.body, `"field":"begin"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	k.send(`{"type":"say","say":` + say + `}`)
	if e, ok := k.next(); !ok || e.Problem == nil || e.Problem.Code != gateway.CodeInvalid || e.Problem.Field != "begin" {
		t.Errorf("on the socket: %+v", e)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	s.do("GET", "/v1/openapi.json", "").json(t, &document)
	said := document.Components.Schemas["Request"].Properties
	if said["message"] == nil || said["begin"] != nil {
		t.Errorf("the document offers %v", said)
	}
}
