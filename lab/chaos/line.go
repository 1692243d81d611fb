package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// retryEvery is how long players and slots wait before they try again.
const retryEvery = 200 * time.Millisecond

// line is the socket of a game server with several players: it follows docs/http.md, and
// knows nothing of the mesh. When it breaks, the next gateway goes on.
type line struct {
	doors *doors
	tasks sync.WaitGroup // what is tried again a moment later

	mu      sync.Mutex
	conn    *websocket.Conn // nil between two gateways
	all     map[string]*told
	breaks  int
	resumed int
	again   int
}

// told is what came of a turn over the line.
type told struct {
	invariant.Heard
	request *schema.Request
	n       int           // the last event that was seen
	begun   chan struct{} // closed by the first event: the mesh has the turn
	sent    bool          // by a gateway before this one
}

func (t *told) done() bool { return len(t.Replies) > 0 }

// run goes from gateway to gateway.
func (l *line) run(ctx context.Context) {
	defer l.tasks.Wait()
	for ctx.Err() == nil {
		conn, err := l.dial(ctx)
		if err != nil {
			sleep(ctx, retryEvery/4)
			continue
		}
		l.goOn(ctx, conn)
		for {
			_, data, err := conn.Read(ctx)
			if err != nil {
				break
			}
			l.hear(ctx, data)
		}
		l.mu.Lock()
		l.conn = nil
		if ctx.Err() == nil {
			l.breaks++
		}
		l.mu.Unlock()
		_ = conn.CloseNow()
	}
}

func (l *line) dial(ctx context.Context) (*websocket.Conn, error) {
	at := l.doors.address()
	if at == "" {
		return nil, fmt.Errorf("no gateway stands")
	}
	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	conn, _, err := websocket.Dial(ctx, "ws://"+at+"/v1/ws", nil) //nolint:bodyclose // it is the connection's
	if err == nil {
		conn.SetReadLimit(4 << 20)
	}
	return conn, err
}

// goOn asks a new gateway for the turns that have not ended.
func (l *line) goOn(ctx context.Context, conn *websocket.Conn) {
	l.mu.Lock()
	l.conn = conn
	var open []*told
	for _, t := range l.all {
		if !t.done() {
			open = append(open, t)
		}
	}
	l.mu.Unlock()
	for _, t := range open {
		l.ask(ctx, conn, t)
	}
}

// ask says a turn of which nothing came yet, and resumes one of which something did. A
// connection that is gone is asked nothing: the next one is, as it begins.
func (l *line) ask(ctx context.Context, conn *websocket.Conn, t *told) {
	f := &gateway.Frame{Type: "say", Say: t.request}
	l.mu.Lock()
	switch {
	case conn == nil || conn != l.conn || t.done():
		l.mu.Unlock()
		return
	case t.n > 0:
		f = &gateway.Frame{Type: "resume", World: t.Convo.World, NPC: t.Convo.NPC, Player: t.Convo.Player, TurnID: t.Turn,
			After: t.n}
		l.resumed++
	case t.sent:
		l.again++
	}
	t.sent = true
	l.mu.Unlock()
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // a frame holds nothing that JSON does not
	}
	_ = conn.Write(ctx, websocket.MessageText, data) // where it fails, the read ends too
}

// hear takes one message of a gateway.
func (l *line) hear(ctx context.Context, data []byte) {
	var e gateway.Shown
	if json.Unmarshal(data, &e) != nil {
		return
	}
	convo := schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.all[convo.String()+"."+e.TurnID]
	if t == nil {
		return
	}
	if e.Type == "problem" { // asked for again, as whoever reads Retry-After does
		conn, wait := l.conn, max(retryEvery, time.Duration(e.Problem.RetryAfterMS)*time.Millisecond)
		l.tasks.Go(func() {
			if sleep(ctx, wait) {
				l.ask(ctx, conn, t)
			}
		})
		return
	}
	if t.n == 0 && e.N > 0 {
		close(t.begun)
	}
	t.n = max(t.n, e.N)
	switch {
	case e.Sentence != nil:
		t.Sentences = append(t.Sentences, *e.Sentence)
	case e.Reply != nil:
		t.Replies = append(t.Replies, e.Reply.Text)
	}
}

// say says a turn until the mesh has it.
func (l *line) say(ctx context.Context, r *schema.Request) error {
	convo := r.Conversation()
	t := &told{Heard: invariant.Heard{Convo: convo, Turn: r.TurnID}, request: r, begun: make(chan struct{})}
	l.mu.Lock()
	l.all[convo.String()+"."+r.TurnID] = t
	conn := l.conn
	l.mu.Unlock()
	l.ask(ctx, conn, t)
	select {
	case <-t.begun:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waiting are the turns that have begun and not ended.
func (l *line) waiting() (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.all {
		if t.n > 0 && !t.done() {
			out = append(out, t.Turn)
		}
	}
	return out
}

func (l *line) heard() (out []invariant.Heard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.all {
		if t.n > 0 {
			out = append(out, t.Heard)
		}
	}
	return out
}
