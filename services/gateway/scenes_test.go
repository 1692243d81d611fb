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
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

const (
	inn     = "/v1/worlds/village/scenes/inn"
	inScene = inn + "/turns"
)

// enters has somebody enter a scene, or leave it.
func (s *site) enters(how string) gateway.Talk {
	s.t.Helper()
	got := s.do("POST", inScene, `{"scene":{`+how+`}}`)
	var talk gateway.Talk
	if got.json(s.t, &talk); got.status != http.StatusOK || talk.TurnID == "" || len(talk.Replies) != 0 {
		s.t.Fatalf("%s: %d %s", how, got.status, got.body)
	}
	return talk
}

const bothEnter = `"enter":{"npcs":["mira","osric"],"players":["p1","p2"]}`

// The backend says who is in a scene. Whoever asks is told, in the order in which they came.
func TestWhoIsInAScene(t *testing.T) {
	s := open(t)
	for _, c := range []struct{ how, want string }{
		{"", `{"id":"inn","npcs":[],"players":[]}`},
		{bothEnter, `{"id":"inn","npcs":["mira","osric"],"players":["p1","p2"]}`},
		{`"leave":{"npcs":["mira"],"players":["p1"]}`, `{"id":"inn","npcs":["osric"],"players":["p2"]}`},
		{`"enter":{"npcs":["mira"]}`, `{"id":"inn","npcs":["osric","mira"],"players":["p2"]}`},
	} {
		if c.how != "" {
			if at, err := json.Marshal(s.enters(c.how).Scene); err != nil || string(at) != c.want {
				t.Errorf("%s: %s", c.how, at)
			}
		}
		if got := s.do("GET", inn, ""); got.status != http.StatusOK || strings.TrimSpace(got.body) != c.want {
			t.Errorf("behind %q: %d %s, want %s", c.how, got.status, got.body, c.want)
		}
	}
}

// Who is addressed answers, and others speak behind; the answer says who, and who heard it.
func TestASceneAnswers(t *testing.T) {
	s := open(t)
	s.enters(bothEnter)
	for i, c := range []struct {
		message string
		rounds  int
		want    []string
	}{
		{"Mira, who owns the ferry?", 0, []string{"mira: Teague owns the ferry."}},
		{"Osric, what burned in April?", 0, []string{"osric: The mill burned"}},
		{"Osric, when did you forge the hinges?", 1, []string{"osric: ", "mira: I forged the hinges"}},
	} {
		got := s.do("POST", inScene, fmt.Sprintf(`{"player":"p1","message":%q,"scene":{"rounds":%d}}`, c.message, c.rounds),
			"Idempotency-Key", fmt.Sprintf("t%d", i))
		var talk gateway.Talk
		got.json(t, &talk)
		if got.status != http.StatusOK || len(talk.Replies) != len(c.want) || talk.Scene == nil ||
			!slices.Equal(talk.Scene.Players, []string{"p1", "p2"}) || got.header.Get("Location") != inScene+"/"+talk.TurnID {
			t.Fatalf("%s: %d %v %s", c.message, got.status, got.header, got.body)
		}
		for j, r := range talk.Replies {
			if said := r.NPC + ": " + r.Text; !strings.HasPrefix(said, c.want[j]) || r.Player != "p1" || r.Scene.ID != "inn" {
				t.Errorf("%s: %q of %+v, want %q", c.message, said, r, c.want[j])
			}
		}
	}
	var o gateway.Outcome
	if s.do("GET", inScene+"/t0?view=full", "").json(t, &o); o.State != schema.TurnEnded || o.Reply.NPC != "mira" ||
		o.Full == nil {
		t.Errorf("%+v", o)
	}
	if got := s.do("GET", inScene+"/t0/trace", ""); got.status != http.StatusOK || !strings.Contains(got.body, "ferry") {
		t.Errorf("its trace: %d %s", got.status, cut(got.body))
	}
	if got := s.do("DELETE", inScene+"/t0", ""); got.status != http.StatusNotFound {
		t.Errorf("cancelled too late: %d %s", got.status, got.body)
	}
}

const askBoth = `{"player":"p1","turn_id":"t1","message":"Osric, when did you forge the hinges?","scene":{"rounds":1}}`

// A stream shows the turns of all who speak, each named and with its end. Whoever has lost the
// connection is shown what follows, wherever in these turns that was.
func TestASceneIsStreamed(t *testing.T) {
	s := open(t)
	s.enters(bothEnter)
	all := s.stream("POST", inScene, askBoth)
	ends, spoke := 0, []string{}
	for i, e := range all {
		var shown gateway.Event
		must(t, json.Unmarshal([]byte(e.data), &shown))
		switch e.name {
		case "sentence":
			spoke = append(spoke, shown.NPC)
		case "done":
			ends++
			if last := i == len(all)-1; (shown.Next == "") != last || shown.NPC != shown.Reply.NPC {
				t.Errorf("%d of %d: next %q, %s of %s", i, len(all), shown.Next, shown.NPC, shown.Reply.NPC)
			}
			if shown.Next != "" && shown.Next != schema.SceneRound("t1", 1) {
				t.Errorf("next is %q", shown.Next)
			}
		}
	}
	if ends != 2 || !slices.Contains(spoke, "osric") || !slices.Contains(spoke, "mira") {
		t.Fatalf("%d ends, said by %v: %v", ends, spoke, all)
	}
	for seen, e := range all {
		if e.id == "" {
			continue
		}
		got := s.stream("GET", inScene+"/t1", "", "Last-Event-ID", e.id)
		want := all[seen+1:]
		if seen == len(all)-1 {
			want = all[seen:] // the end comes again
		}
		if !slices.Equal(got, want) {
			t.Errorf("behind %s %s:\n%v\nwant\n%v", e.id, e.name, got, want)
		}
	}
	if got := s.stream("GET", inScene+"/"+schema.SceneRound("t1", 1), ""); len(got) == 0 ||
		!strings.Contains(got[len(got)-1].data, `"npc":"mira"`) {
		t.Errorf("the round by itself: %v", got)
	}
}

// A socket takes scenes too: it names the scene and who speaks, and resumes a turn.
func TestASceneOverASocket(t *testing.T) {
	s := open(t)
	k := s.socket(s.url)
	k.send(`{"type":"say","ref":"e","say":{"world":"village","turn_id":"e1","scene":{"id":"inn",` + bothEnter + `}}}`)
	if e := k.until("done"); e.Ref != "e" || e.Scene != "inn" || e.Next != "" || e.Reply.Status != schema.StatusAnswered {
		t.Fatalf("%+v", e)
	}
	said := strings.Replace(askBoth, `"scene":{`, `"world":"village","scene":{"id":"inn",`, 1)
	k.send(`{"type":"say","ref":"s","say":` + said + `}`)
	for _, npc := range []string{"osric", "mira"} {
		if e := k.until("done"); e.NPC != npc || e.Scene != "inn" || e.World != "village" || e.Player != "" || e.Ref != "s" ||
			(e.Next == "") != (npc == "mira") {
			t.Errorf("%s: %+v", npc, e)
		}
	}
	k.send(`{"type":"resume","ref":"r","world":"village","scene":"inn","turn_id":"t1"}`)
	if e := k.until("sentence"); e.NPC != "osric" || e.Ref != "r" {
		t.Errorf("resumed: %+v", e)
	}
	k.until("done")
	k.until("done")
	for frame, field := range map[string]string{
		`{"type":"resume","world":"village","scene":"inn","npc":"mira","turn_id":"t1"}`:               "npc",
		`{"type":"cancel","world":"village","npc":"scene","player":"inn","turn_id":"t1"}`:             "npc",
		`{"type":"cancel","world":"village","scene":"a b","turn_id":"t1"}`:                            "scene",
		`{"type":"say","say":{"world":"village","player":"p9","message":"Hm?","scene":{"id":"inn"}}}`: "player",
	} {
		k.send(frame)
		if e := k.until("problem"); e.Problem.Field != field {
			t.Errorf("%s: %+v", frame, e.Problem)
		}
	}
}

// An action of a scene says who acts, for whom and where. It is answered there, which lets the
// sentence out.
func TestAnActionOfAScene(t *testing.T) {
	s := open(t)
	s.enters(bothEnter)
	const give = `{"player":"p1","npc":"mira","turn_id":"t1","message":"Give me the salve, I will take it.",` +
		`"deadline_ms":20000,"allowed_actions":[{"name":"give_item","confirm":true,"speech_acts":["Take this salve."],` +
		`"parameters":{"type":"object","properties":{"item":{"enum":["salve"]}},"required":["item"]}}]}`
	k := s.socket(s.url)
	k.send(`{"type":"actions","world":"village"}`)
	k.until("ok")
	resp, err := s.http.Do(s.request("POST", inScene, give, "Accept", "text/event-stream"))
	must(t, err)
	defer resp.Body.Close()
	var seen []*gateway.Action
	var last gateway.Event
	readEvents(t, resp.Body, func(e event) bool {
		last = gateway.Event{}
		must(t, json.Unmarshal([]byte(e.data), &last))
		if last.Type == "action" {
			seen = append(seen, last.Action)
			if got := s.do("POST", inScene+"/t1/actions/0", `{"accepted":true}`); got.status != http.StatusNoContent {
				t.Errorf("%d %s", got.status, got.body)
			}
		}
		return true
	})
	if last.Reply == nil || last.Reply.Text != "Take this salve." || len(last.Reply.Actions) != 1 || len(seen) != 1 {
		t.Fatalf("%d actions, %+v", len(seen), last.Reply)
	}
	for _, a := range append(seen, &last.Reply.Actions[0], k.until("action").Action) {
		if a.NPC != "mira" || a.Player != "p1" || a.Scene != "inn" || a.Turn != "t1" {
			t.Errorf("%+v", a)
		}
	}
}

// A turn of a scene that waits is told of, and ended by a cancel with what was said.
func TestATurnOfASceneIsCancelled(t *testing.T) {
	model, err := llmtest.Start(llmtest.Options{Pace: llmtest.Pace{First: time.Minute, Rate: 1}})
	must(t, err)
	defer model.Close()
	s := openWith(t, func(o *app.Options) {
		scripted(model.URL())(o)
		o.LLM.Calls = map[string]llm.Limits{} // nobody gives the model up before the cancel
		for _, call := range []string{"citation_query", "monologue", "lean", "decision", "speech", "actions"} {
			o.LLM.Calls[call] = llm.Limits{Timeout: time.Minute}
		}
	})
	s.enters(bothEnter)
	k := s.socket(s.url)
	for turn, cancel := range map[string]func(){
		"t1": func() {
			got := s.do("POST", inScene, `{"scene":{"leave":{"npcs":["osric"]}},"deadline_ms":2000}`)
			if got.status != http.StatusGatewayTimeout || !strings.Contains(got.body, "nobody has entered or left: DEADLINE") {
				t.Errorf("it waits behind: %d %s", got.status, got.body)
			}
			if got := s.do("DELETE", inScene+"/t1", ""); got.status != http.StatusNoContent {
				t.Errorf("%d %s", got.status, got.body)
			}
		},
		"t2": func() {
			k.send(`{"type":"cancel","ref":"c","world":"village","scene":"inn","turn_id":"t2"}`)
			if e := k.until("ok"); e.Ref != "c" || e.Scene != "inn" {
				t.Errorf("%+v", e)
			}
		},
	} {
		body := `{"player":"p1","npc":"mira","message":"Who owns the ferry?","deadline_ms":60000,"turn_id":"` + turn + `"}`
		resp, err := s.http.Do(s.request("POST", inScene, body, "Accept", "text/event-stream"))
		must(t, err)
		var last gateway.Event
		readEvents(t, resp.Body, func(e event) bool {
			if e.name == "accepted" {
				if got := s.do("GET", inScene+"/"+turn, ""); !strings.Contains(got.body, `"state":"waiting"`) {
					t.Errorf("%d %s", got.status, got.body)
				}
				cancel()
			}
			must(t, json.Unmarshal([]byte(e.data), &last))
			return true
		})
		must(t, resp.Body.Close())
		if last.Reply == nil || last.Reply.Reason != schema.ReasonCancelled {
			t.Errorf("%s: %+v", turn, last)
		}
	}
}

// What a scene cannot take is one clear problem, whatever form the answer was to have.
func TestBadInputToAScene(t *testing.T) {
	s := open(t)
	s.enters(bothEnter)
	many := strings.Join(strings.Split("abcdefghijklmnopq", ""), `","`)
	for body, want := range map[string]string{
		`{"player":"p9","message":"Hm?"}`:                                     `"p9\" is not in the scene inn; have it enter`,
		`{"player":"p1","npc":"nobody","message":"Hm?"}`:                      "UNKNOWN_NPC",
		`{"player":"p1","message":"Hm?","scene":{"id":"other"}}`:              "differs from the path",
		`{"player":"p1","message":"Hm?","scene":{"rounds":5}}`:                "must lie between 0 and 4",
		`{"player":"p1","message":"Hm?","scene":{"round":1}}`:                 "the mesh alone sets",
		`{"player":"p1","message":"Hm?","scene":{"enter":{"npcs":["mira"]}}}`: "in one of its own",
		`{"scene":{"enter":{"npcs":["mirra"]}}}`:                              `\"mirra\" is not an NPC of village`,
		`{"scene":{"enter":{}}}`:                                              "names nobody",
		`{"scene":{"leave":{"players":["a b"]}}}`:                             "scene.leave",
		`{"scene":{"who":{}}}`:                                                `there is no field \"who\"`,
		`{"player":"p1"}`:                                                     "send what the player said",
		`{"message":"Hm?"}`:                                                   `"field":"player"`,
		`{"scene":{"enter":{"players":["` + many + `"]}}}`:                    "16 at most",
	} {
		got := s.do("POST", inScene, body)
		checkProblem(t, body, got)
		if !strings.Contains(got.body, want) {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	events := s.stream("POST", inScene, `{"player":"p9","message":"Hm?"}`)
	if last := events[len(events)-1]; last.name != "problem" || !strings.Contains(last.data, `"field":"player"`) {
		t.Errorf("streamed: %v", events)
	}
	for at, code := range map[string]string{
		"GET /v1/worlds/elsewhere/scenes/inn":                                   "UNKNOWN_WORLD",
		"GET " + inScene + "/none":                                              "NOT_FOUND",
		"GET /v1/worlds/village/npcs/scene/turns/t1?player=inn":                 "UNKNOWN_NPC",
		"DELETE /v1/worlds/village/npcs/scene/conversations/inn":                "UNKNOWN_NPC",
		"GET /v1/worlds/village/npcs/scene/turns/t1/trace?player=inn&view=full": "UNKNOWN_NPC",
	} {
		method, path, _ := strings.Cut(at, " ")
		if got := s.do(method, path, ""); got.status != http.StatusNotFound || !strings.Contains(got.body, `"`+code+`"`) {
			t.Errorf("%s: %d %s", at, got.status, got.body)
		}
	}
	if got := s.do("POST", turns, `{"player":"p1","message":"Hm?","scene":{"id":"inn"}}`); got.status !=
		http.StatusBadRequest || !strings.Contains(got.body, "/scenes/{scene}/turns takes it") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A player's token speaks in scenes where its player is, and learns of them only what the
// player heard there. Who enters is the backend's to say.
func TestAPlayersTokenInAScene(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "all", Rights: access.Rights})
	s := open(t, with)
	s.key = texts["all"]
	token := func(claims string) string {
		var made gateway.Token
		s.key = texts["all"]
		s.do("POST", "/v1/tokens", `{"world":"village",`+claims+`}`).json(t, &made)
		return made.Token
	}
	p1, p2, bound := token(`"player":"p1"`), token(`"player":"p2"`), token(`"player":"p1","npc":"mira"`)
	s.key = texts["all"]
	s.enters(`"enter":{"npcs":["mira"],"players":["p1"]}`)
	const ask = `{"message":"Mira, who owns the ferry?","turn_id":"t1"}`
	s.key = p1
	if got := s.do("POST", inScene, ask); got.status != http.StatusOK ||
		!strings.Contains(got.body, "Teague owns the ferry.") || strings.Contains(got.body, "lore/ferry.txt") {
		t.Errorf("the player says: %d %s", got.status, got.body)
	}
	for _, c := range []struct {
		key, method, path, body string
		want                    int
	}{
		{p1, "GET", inn, "", 200}, {p2, "GET", inn, "", 403},
		{p1, "GET", inScene + "/t1", "", 200}, {p2, "GET", inScene + "/t1", "", 404},
		{p2, "POST", inScene, `{"message":"Hm?"}`, 400}, {p2, "POST", inScene, `{"message":"Hm?","turn_id":"t1"}`, 404},
		{p2, "DELETE", inScene + "/t1", "", 403},
		{p1, "DELETE", inScene + "/t1", "", 404}, {p1, "POST", inScene, `{"scene":{"enter":{"npcs":["osric"]}}}`, 403},
		{p1, "POST", inScene, `{"player":"p2","message":"Hm?"}`, 403},
		{p1, "POST", inScene, `{"message":"Hm?","trust":9}`, 403},
		{bound, "POST", inScene, `{"message":"Hm?"}`, 403}, {bound, "GET", inn, "", 403},
		{p1, "GET", inScene + "/t1/trace", "", 403}, {p1, "POST", inScene + "/t1/actions/0", `{"accepted":true}`, 403},
	} {
		s.key = c.key
		if got := s.do(c.method, c.path, c.body); got.status != c.want {
			t.Errorf("%s %s %s: %d %s, want %d", c.method, c.path, c.body, got.status, got.body, c.want)
		}
	}
	s.key = texts["all"]
	s.enters(`"enter":{"players":["p2"]}`)
	s.key = p2
	if got := s.do("GET", inn, ""); got.status != http.StatusOK {
		t.Errorf("now there: %d %s", got.status, got.body)
	}
	if got := s.do("GET", inScene+"/t1", ""); got.status != http.StatusNotFound {
		t.Errorf("what was said before p2 came: %d %s", got.status, got.body)
	}
}

// Whoever may read follows the replies of a scene as they come, without those of others.
func TestRepliesOfASceneAreFollowed(t *testing.T) {
	s := open(t)
	s.enters(bothEnter)
	s.do("POST", turns, sayFerry)
	s.do("POST", inScene, askBoth)
	var said []string
	resp, err := s.http.Do(s.request("GET", village+"/outcomes?scene=inn&since=2020-01-01T00:00:00Z", "", "Accept",
		"text/event-stream"))
	must(t, err)
	defer resp.Body.Close()
	readEvents(t, resp.Body, func(e event) bool {
		var o gateway.Ended
		must(t, json.Unmarshal([]byte(e.data), &o))
		if o.Scene != "inn" {
			t.Errorf("%+v", o)
		}
		said = append(said, o.NPC)
		return len(said) < 3
	})
	if want := []string{"", "osric", "mira"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}
