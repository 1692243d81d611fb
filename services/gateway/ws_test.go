package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// socket is a client's end of one.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

func (s *site) socket(url string, protocols ...string) *socket {
	s.t.Helper()
	header := http.Header{}
	if s.key != "" && len(protocols) == 0 {
		header.Set("Authorization", "Bearer "+s.key)
	}
	options := &websocket.DialOptions{HTTPHeader: header, HTTPClient: s.http, Subprotocols: protocols}
	address := strings.Replace(url, "http", "ws", 1) + "/v1/ws"
	conn, _, err := websocket.Dial(s.t.Context(), address, options) //nolint:bodyclose // of an upgrade
	if err != nil {
		s.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{s.t, conn}
}

func (k *socket) send(text string) {
	k.t.Helper()
	must(k.t, k.conn.Write(k.t.Context(), websocket.MessageText, []byte(text)))
}

// next is the next message; false at the connection's end.
func (k *socket) next() (out gateway.Shown, ok bool) {
	k.t.Helper()
	ctx, stop := context.WithTimeout(k.t.Context(), 30*time.Second)
	defer stop()
	_, data, err := k.conn.Read(ctx)
	if ctx.Err() != nil {
		k.t.Fatal("nothing comes")
	}
	if err != nil {
		return out, false
	}
	must(k.t, json.Unmarshal(data, &out))
	return out, true
}

func (k *socket) until(kind string) gateway.Shown {
	k.t.Helper()
	for {
		e, ok := k.next()
		if !ok {
			k.t.Fatalf("the connection ended without %q", kind)
		}
		if e.Type == kind {
			return e
		}
	}
}

func sayFrame(player, turn, message string) string {
	return fmt.Sprintf(
		`{"type":"say","ref":"r-%s","say":{"world":"village","npc":"mira","player":%q,"turn_id":%q,"message":%q}}`,
		player,
		player,
		turn,
		message,
	)
}

// One socket is for many players: each turn's events come in order, beside the others'.
func TestManyPlayersOverOneSocket(t *testing.T) {
	s := open(t)
	k := s.socket(s.url)
	const players = 12
	for i := range players {
		k.send(sayFrame(fmt.Sprintf("p%d", i), fmt.Sprintf("t%d", i), "Who owns the ferry?"))
	}
	k.send(`{"type":"ping","ref":"x"}`)
	said, done, pongs := map[string]string{}, 0, 0
	for done < players || pongs == 0 {
		e, ok := k.next()
		switch {
		case !ok:
			t.Fatal("the connection ended")
		case e.Type == "pong" && e.Ref == "x":
			pongs++
		case e.Type == "sentence":
			said[e.Player] += e.Sentence.Text
		case e.Type == "done":
			done++
			if e.Reply.Text != said[e.Player] || e.Ref != "r-"+e.Player || e.World != "village" || e.NPC != "mira" ||
				e.TurnID != "t"+e.Player[1:] {
				t.Errorf("%+v, said %q", e, said[e.Player])
			}
		}
	}
}

// A frame gives its place on the connection back: there are a thousand.
func TestAFrameGivesItsPlaceBack(t *testing.T) {
	s := open(t)
	k := s.socket(s.url)
	for i := range 1100 {
		k.send(fmt.Sprintf(`{"type":"ping","ref":"%d"}`, i))
		if e, ok := k.next(); !ok || e.Type != "pong" {
			t.Fatalf("frame %d: %+v", i, e)
		}
	}
}

// heard is what a client has been told of turns, by their ids.
type heard struct {
	said    map[string][]int // the sentences
	seen    map[string]int   // the last event
	replies map[string]*gateway.Reply
}

func (h *heard) take(e gateway.Shown) {
	switch e.Type {
	case "problem":
		return
	case "sentence":
		h.said[e.TurnID] = append(h.said[e.TurnID], e.Sentence.Seq)
	case "done":
		h.replies[e.TurnID] = e.Reply
	}
	h.seen[e.TurnID] = max(h.seen[e.TurnID], e.N)
}

// check holds that each sentence of each reply was told once, in order.
func (h *heard) check(t *testing.T) {
	t.Helper()
	for id, r := range h.replies {
		if len(h.said[id]) != len(r.Sentences) {
			t.Errorf("turn %s: said %v of %d sentences", id, h.said[id], len(r.Sentences))
		}
		for i, seq := range h.said[id] {
			if seq != i+1 {
				t.Errorf("turn %s: said %v", id, h.said[id])
			}
		}
	}
}

// A gateway that ends in the middle of turns loses and doubles no sentence: whoever
// resumes elsewhere with the last event that it saw is shown the rest.
func TestSocketsResumeElsewhere(t *testing.T) {
	s := open(t)
	there, stop := s.gateway()
	k := s.socket(there)
	const players = 40
	for i := range players {
		k.send(sayFrame(fmt.Sprintf("p%d", i), fmt.Sprintf("t%d", i), "Who owns the ferry?"))
	}
	h := heard{map[string][]int{}, map[string]int{}, map[string]*gateway.Reply{}}
	for range players { // the rest is under way, or on the wire
		e, ok := k.next()
		if !ok {
			t.Fatal("the connection ended")
		}
		h.take(e)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); stop() }()
	for e, ok := k.next(); ok; e, ok = k.next() {
		h.take(e)
	}
	<-ended
	k = s.socket(s.url)
	goOn := func(id string) {
		player := "p" + id[1:]
		if h.seen[id] == 0 { // nobody knows whether the mesh has it: it is said again
			k.send(sayFrame(player, id, "Who owns the ferry?"))
			return
		}
		k.send(
			fmt.Sprintf(
				`{"type":"resume","world":"village","npc":"mira","player":%q,"turn_id":%q,"after":%d}`,
				player,
				id,
				h.seen[id],
			),
		)
	}
	for i := range players {
		if id := fmt.Sprintf("t%d", i); h.replies[id] == nil {
			goOn(id)
		}
	}
	for len(h.replies) < players {
		e, ok := k.next()
		switch {
		case !ok || e.Type == "problem" && e.Problem.RetryAfterMS == 0:
			t.Fatalf("%+v", e)
		case e.Type == "problem": // a busy machine: it is asked again, as a client does
			goOn(e.TurnID)
		default:
			h.take(e)
		}
	}
	h.check(t)
}

// Actions come to whoever asks for them, and the answer lets the sentence out.
func TestActionsOverASocket(t *testing.T) {
	s := open(t)
	k := s.socket(s.url)
	k.send(`{"type":"actions","world":"village"}`)
	begun := k.until("ok")
	k.send(
		`{"type":"say","say":{"world":"village","npc":"mira","player":"p1","turn_id":"t1","message":"Give me the salve, I ` +
			`will take it.","deadline_ms":20000,"allowed_actions":[
		{"name":"give_item","confirm":true,"speech_acts":["Take this ` +
			`salve."],"parameters":{"type":"object","properties":{"item":{"enum":["salve"]}},"required":["item"]}}]}}`,
	)
	a := k.until("action")
	if a.Action == nil || a.Action.Name != "give_item" || a.Player != "p1" || !a.Action.Confirm {
		t.Fatalf("%+v", a)
	}
	k.send(
		`{"type":"result","world":"village","npc":"mira","player":"p1","turn_id":"t1","index":0,"result":{"accepted":true}}`,
	)
	if done := k.until("done"); done.Reply.Text != "Take this salve." {
		t.Errorf("%+v", done.Reply)
	}
	// who lost the connection before it saw an action is shown what was not answered since the first began
	k.send(`{"type":"say","say":{"world":"village","npc":"mira","player":"p2","turn_id":"t2","message":"Give me a ` +
		`quest.","trust":50}}`)
	k.until("done")
	again := s.socket(s.url)
	again.send(fmt.Sprintf(`{"type":"actions","world":"village","since":%q}`, begun.At.Format(time.RFC3339Nano)))
	if ok := again.until("ok"); begun.At.IsZero() || !ok.At.Equal(begun.At) {
		t.Errorf("from %v, then from %v", begun.At, ok.At)
	}
	if a := again.until("action"); a.TurnID != "t2" {
		t.Errorf("%+v", a)
	}
}

// Each frame that cannot be taken is answered by one problem, and the socket goes on.
func TestFramesThatCannotBeTaken(t *testing.T) {
	s := open(t)
	k := s.socket(s.url)
	for frame, code := range map[string]string{
		`{`: "INVALID", `[]`: "INVALID", `{"type":"sing"}`: "INVALID", `{"type":7}`: "INVALID",
		`{"tpye":"say"}`: "INVALID", `{"type":"say"}`: "INVALID",
		sayFrame("p1", "t.1", "x"): "INVALID", sayFrame("", "t1", "x"): "INVALID", sayFrame("p1", "t1", ""): "INVALID",
		`{"type":"say","say":{"world":"elsewhere","npc":"mira","player":"p1","message":"x"}}`: "UNKNOWN_WORLD",
		`{"type":"say","say":{"world":"village","npc":"nobody","player":"p1","message":"x"}}`: "UNKNOWN_NPC",
		`{"type":"resume","world":"village","npc":"mira","player":"p1","turn_id":"never"}`:    "NOT_FOUND",
		`{"type":"cancel","world":"village","npc":"mira","player":"p1","turn_id":"never"}`:    "NOT_FOUND",
		`{"type":"cancel","world":">","npc":"mira","player":"p1","turn_id":"t1"}`:             "INVALID",
		`{"type":"result","world":"village","npc":"mira","player":"p1","turn_id":"t1"}`:       "INVALID",
		`{"type":"actions","world":"village","since":"yesterday"}`:                            "INVALID",
		`{"type":"actions","world":"elsewhere"}`:                                              "UNKNOWN_WORLD",
	} {
		k.send(frame)
		if e, ok := k.next(); !ok || e.Type != "problem" || e.Problem.Code != code {
			t.Errorf("%s: %+v %+v", frame, e, e.Problem)
		}
	}
	k.send(`{"type":"ping"}`)
	k.until("pong")
	must(t, k.conn.Write(t.Context(), websocket.MessageBinary, []byte{1}))
	if _, ok := k.next(); ok {
		t.Error("bytes are taken for a frame")
	}
	k = s.socket(s.url)
	_ = k.conn.Write(t.Context(), websocket.MessageText, make([]byte, schema.MaxTurnBytes+1)) // it may be cut off
	if _, ok := k.next(); ok {
		t.Error("a huge frame is taken")
	}
}

// A browser shows its token as a protocol, since it may set no header. With its token's
// key the socket ends.
func TestATokenOverASocket(t *testing.T) {
	with, texts, ring := withKeys(t, access.Key{Name: "a", Rights: access.Rights})
	s := open(t, with)
	s.key = texts["a"]
	var token gateway.Token
	s.do("POST", "/v1/tokens", `{"world":"village","player":"p1"}`).json(t, &token)
	k := s.socket(s.url, "forsooth.v1", "bearer."+token.Token)
	if k.conn.Subprotocol() != "forsooth.v1" {
		t.Errorf("protocol %q", k.conn.Subprotocol())
	}
	for frame, code := range map[string]string{
		sayFrame("p2", "t1", "x"): "FORBIDDEN", `{"type":"actions","world":"village"}`: "FORBIDDEN",
		`{"type":"say","say":{"world":"elsewhere","npc":"mira","message":"x"}}`:                      "FORBIDDEN",
		`{"type":"cancel","world":"village","npc":"mira","player":"p2","turn_id":"t1"}`:              "FORBIDDEN",
		`{"type":"result","world":"village","npc":"mira","turn_id":"t1","result":{"accepted":true}}`: "FORBIDDEN",
		`{"type":"say","say":{"world":"village","npc":"mira","message":"x","trust":99}}`:             "FORBIDDEN",
	} {
		k.send(frame)
		if e := k.until("problem"); e.Problem.Code != code {
			t.Errorf("%s: %+v", frame, e.Problem)
		}
	}
	k.send(`{"type":"say","say":{"world":"village","npc":"mira","message":"Who owns the ferry?"}}`)
	if done := k.until("done"); done.Player != "p1" || done.Reply.Text != "Teague owns the ferry." {
		t.Errorf("%+v", done)
	}
	_, err := ring.Remove("a")
	must(t, err)
	k.send(`{"type":"ping"}`)
	if e := k.until("problem"); e.Problem.Code != "UNAUTHORIZED" {
		t.Errorf("%+v", e)
	}
	if _, ok := k.next(); ok {
		t.Error("the socket goes on")
	}
	resp, err := s.http.Do(s.request("GET", "/v1/ws", ""))
	must(t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("%d", resp.StatusCode)
	}
}

// Who listens and says nothing is served until its key is taken away, and no longer: over a
// socket and by a stream.
func TestAListenerLosesItsKey(t *testing.T) {
	with, texts, ring := withKeys(t, access.Key{Name: "a", Rights: access.Rights},
		access.Key{Name: "b", Rights: access.Rights})
	soon := gateway.Silence{Stream: 20 * time.Millisecond, Socket: 20 * time.Millisecond}
	s := open(t, with, func(o *gateway.Options) { o.Silence = soon })
	s.key = texts["a"]
	k := s.socket(s.url)
	k.send(`{"type":"actions","world":"village"}`)
	k.until("ok")
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	streams := map[string]io.Reader{}
	for _, path := range []string{"/actions", "/outcomes"} {
		resp, err := s.http.Do(s.request("GET", village+path, "").WithContext(ctx))
		must(t, err)
		defer resp.Body.Close()
		ping, err := bufio.NewReader(resp.Body).ReadString('\n')
		if err != nil || !strings.HasPrefix(ping, ": ping") {
			t.Fatalf("%s: %q, %v", path, ping, err)
		}
		streams[path] = resp.Body
	}
	_, err := ring.Remove("a")
	must(t, err)
	if e := k.until("problem"); e.Problem.Code != "UNAUTHORIZED" {
		t.Errorf("%+v", e)
	}
	if e, ok := k.next(); ok {
		t.Errorf("the socket goes on: %+v", e)
	}
	for path, body := range streams {
		var last event
		readEvents(t, body, func(e event) bool { last = e; return true })
		if last.name != "problem" || !strings.Contains(last.data, "UNAUTHORIZED") || ctx.Err() != nil {
			t.Errorf("%s ends with %+v", path, last)
		}
	}
}

// A gateway that stops says so: its sockets are closed with the code that has a client
// connect again at once.
func TestAStoppedGatewayClosesItsSockets(t *testing.T) {
	s := open(t)
	counted := telemetry.NewMeters("1")
	url, stop := s.gateway(func(o *gateway.Options) { o.Meters = counted })
	k := s.socket(url)
	k.send(`{"type":"ping"}`)
	k.until("pong")
	counts(t, counted, `forsooth_http_sockets_open 1`, `forsooth_http_answers_total{code="101"} 1`)
	read := make(chan error, 1)
	go func() {
		_, _, err := k.conn.Read(context.Background())
		read <- err
	}()
	stop()
	if err := <-read; websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("it ends with %v, want the code %d", err, websocket.StatusGoingAway)
	}
	counts(t, counted, `forsooth_http_sockets_open 0`, `forsooth_http_requests_open 0`)
}

// counts looks for lines on the page of metrics.
func counts(t *testing.T, m *telemetry.Meters, lines ...string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range lines {
		if !strings.Contains(w.Body.String(), "\n"+line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}
