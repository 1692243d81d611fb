package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// What there is to talk to is listed, and nothing of what they know.
func TestWorldsAndNPCsAreListed(t *testing.T) {
	s := open(t)
	var all protocol.WorldsFound
	s.do("GET", "/v1/worlds", "").json(t, &all)
	if len(all.Worlds) != 1 || all.Worlds[0].Name != "village" || len(all.Worlds[0].NPCs) != 2 {
		t.Errorf("%+v", all)
	}
	var npcs gateway.NPCs
	s.do("GET", "/v1/worlds/village/npcs", "").json(t, &npcs)
	if len(npcs.NPCs) != 2 || npcs.NPCs[0].Name != "Mira" {
		t.Errorf("%+v", npcs)
	}
	one := s.do("GET", "/v1/worlds/village/npcs/mira", "")
	if one.status != http.StatusOK || !strings.Contains(one.body, `"greeting":"Mind the sparks."`) ||
		strings.Contains(one.body, "ledger under") {
		t.Errorf("%d %s", one.status, one.body)
	}
	for path, code := range map[string]string{"/v1/worlds/elsewhere": "UNKNOWN_WORLD",
		"/v1/worlds/elsewhere/npcs": "UNKNOWN_WORLD", "/v1/worlds/village/npcs/nobody": "UNKNOWN_NPC",
		"/v1/worlds/village/npcs/nobody/conversations/p1": "UNKNOWN_NPC",
		"/v1/worlds/elsewhere/memories":                   "UNKNOWN_WORLD",
		"/v1/worlds/elsewhere/actions":                    "UNKNOWN_WORLD"} {
		if got := s.do("GET", path, ""); got.status != http.StatusNotFound ||
			!strings.Contains(got.body, `"code":"`+code+`"`) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// A conversation is read and reset, what is remembered is listed and shown, and what the
// game saw happen becomes a memory of its witnesses.
func TestConversationsMemoriesAndEvents(t *testing.T) {
	s := open(t)
	s.do("POST", turns, `{"player":"p1","message":"Who owns the ferry?"}`)
	const talk = "/v1/worlds/village/npcs/mira/conversations/p1"
	wait(t, func() bool { return strings.Contains(s.do("GET", talk, "").body, "Teague owns the ferry.") })
	if got := s.do("DELETE", talk, ""); got.status != http.StatusOK || strings.Contains(got.body, "Teague") {
		t.Errorf("%d %s", got.status, got.body)
	}
	told := s.do(
		"POST",
		"/v1/worlds/village/events",
		`{"text":"Ansel gave Mira a sword.","subject":"player:p1","predicate":"gave","object":"a `+
			`sword","player":"p1","witnesses":["mira","p1"]}`,
		"Idempotency-Key",
		"e1",
	)
	if told.status != http.StatusAccepted || !strings.Contains(told.body, `"event_id":"e1"`) {
		t.Fatalf("%d %s", told.status, told.body)
	}
	for _, nobody := range []string{`[]`, `["mirra"]`, `["p1"]`} {
		got := s.do("POST", "/v1/worlds/village/events", `{"text":"A sword fell.","subject":"player:p1",`+
			`"predicate":"saw","object":"a sword","player":"p1","witnesses":`+nobody+`}`)
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"field":"witnesses"`) {
			t.Errorf("%s: %d %s", nobody, got.status, got.body)
		}
	}
	var found schema.MemoriesFound
	id := ""
	wait(t, func() bool {
		s.do("GET", "/v1/worlds/village/memories?npc=mira&player=p1&status=active", "").json(t, &found)
		for _, m := range found.Memories {
			if strings.Contains(m.Content, "sword") {
				id = m.ID
			}
		}
		return id != ""
	})
	if got := s.do("GET", "/v1/worlds/village/memories/"+id, ""); got.status != http.StatusOK ||
		!strings.Contains(got.body, `"events":[`) ||
		!strings.Contains(got.body, "sword") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.do("GET", "/v1/worlds/village/memories/none", ""); got.status != http.StatusNotFound {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// An action that a sentence waits for comes while the turn runs, and the game's answer
// lets the sentence out.
func TestAnActionIsConfirmed(t *testing.T) {
	s := open(t)
	const give = `{"player":"p1","turn_id":"t1","message":"Give me the salve, I will take ` +
		`it.","deadline_ms":20000,"allowed_actions":[{"name":"give_item","confirm":true,"speech_acts":["Take this salve."],
		"parameters":{"type":"object","properties":{"item":{"enum":["salve"]}},"required":["item"]}}]}`
	resp, err := s.http.Do(s.request("POST", turns, give, "Accept", "text/event-stream"))
	must(t, err)
	defer resp.Body.Close()
	actions := 0
	var done gateway.Event
	readEvents(t, resp.Body, func(e event) bool {
		var one gateway.Event
		must(t, json.Unmarshal([]byte(e.data), &one))
		switch one.Type {
		case "action":
			actions++
			if a := one.Action; a.Name != "give_item" || a.Turn != "t1" || !a.Confirm ||
				a.Parameters["item"] != "salve" {
				t.Errorf("%s", e.data)
			}
			if got := s.do("POST", turns+"/t1/actions/0?player=p1",
				`{"accepted":true}`); got.status != http.StatusNoContent {
				t.Errorf("%d %s", got.status, got.body)
			}
		case "done":
			done = one
		}
		return true
	})
	if actions != 1 || done.Reply == nil || done.Reply.Text != "Take this salve." {
		t.Errorf("%d actions, %+v", actions, done.Reply)
	}
	resp, err = s.http.Do(
		s.request(
			"GET",
			"/v1/worlds/village/actions?since="+time.Now().Add(-time.Minute).UTC().Format(time.RFC3339),
			"",
		),
	)
	must(t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
}

// An action that fails its check is proposed to nobody: no event and no reply shows it to the game.
func TestARefusedActionIsNotShown(t *testing.T) {
	s := open(t)
	for id, trust := range map[string]int{"t1": 0, "t2": 50} {
		body := fmt.Sprintf(`{"player":"p-%s","turn_id":%q,"message":"Give me a quest.","trust":%d}`, id, id, trust)
		want, events := trust/50, 0
		for _, e := range s.stream("POST", turns, body) {
			if e.name == "action" {
				events++
			}
		}
		var o gateway.Outcome
		s.do("GET", turns+"/"+id+"?player=p-"+id+"&view=full", "").json(t, &o)
		if len(o.Full.Actions) != 1 || events != want || len(o.Reply.Actions) != want {
			t.Errorf("trust %d: %d events, reply %+v, decided %+v", trust, events, o.Reply.Actions, o.Full.Actions)
		}
	}
}

// The stream of actions of a world has those of every player.
func TestActionsOfAWorldAreStreamed(t *testing.T) {
	s := open(t)
	since := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Give me the salve, I will take it."}`)
	resp, err := s.http.Do(s.request("GET", "/v1/worlds/village/actions?since="+since, ""))
	must(t, err)
	defer resp.Body.Close()
	var a gateway.Action
	readEvents(t, resp.Body, func(e event) bool { must(t, json.Unmarshal([]byte(e.data), &a)); return false })
	if a.Name != "give_item" || a.Player != "p1" || a.Turn != "t1" || a.At.IsZero() {
		t.Errorf("%+v", a)
	}
}

func TestATextIsChecked(t *testing.T) {
	s := open(t)
	var out schema.CheckResult
	s.do("POST", "/v1/check", `{"text":"Teague owns the ferry.","sources":[{"content":"Teague owns the ferry."}]}`).
		json(t, &out)
	if !out.Grounded || out.Supported != 1 {
		t.Errorf("%+v", out)
	}
	const half = `{"text":"Teague owns the ferry. The reeve is dead.","sources":["Teague owns the ferry."]`
	for body, grounded := range map[string]bool{half + `}`: true, half + `,"max_unverifiable_ratio":0}`: false,
		half + `,"max_unverifiable_ratio":0.5,"judge":true}`: true} {
		out = schema.CheckResult{}
		s.do("POST", "/v1/check", body).json(t, &out)
		if out.Grounded != grounded || out.Supported != 1 || out.Claims[0].Best.ChunkID != "source-0" ||
			(out.Judge != "") != strings.Contains(body, "judge") {
			t.Errorf("%s: %+v", body, out)
		}
	}
	for name, body := range map[string]string{"no text": `{"sources":[]}`,
		"an empty source": `{"text":"x","sources":[""]}`,
		"a ratio":         `{"text":"x","max_unverifiable_ratio":2}`, "sources of numbers": `{"text":"x","sources":[7]}`} {
		if got := s.do("POST", "/v1/check", body); got.status != http.StatusBadRequest ||
			!strings.Contains(got.body, `"INVALID"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// wait asks again until it is so, for as long as a slow machine may take.
func wait(t *testing.T, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !so(); {
		if time.Now().After(limit) {
			t.Fatal("it does not come")
		}
	}
}
