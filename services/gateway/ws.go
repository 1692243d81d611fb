package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Frame is what a client sends over a socket: one JSON object a message.
type Frame struct {
	Type   string               `json:"type"` // say, resume, cancel, actions, result, ping
	World  string               `json:"world,omitempty"`
	NPC    string               `json:"npc,omitempty"`
	Player string               `json:"player,omitempty"`
	Scene  string               `json:"scene,omitempty"` // of resume, cancel and result, in the place of npc and player
	TurnID string               `json:"turn_id,omitempty"`
	After  int                  `json:"after,omitempty"`  // of resume: the n of the last event that was seen
	Say    *schema.Request      `json:"say,omitempty"`    // of say: the turn
	Since  string               `json:"since,omitempty"`  // of actions: from when on; none: from now
	Index  int                  `json:"index,omitempty"`  // of result: which action of the turn
	Result *schema.ActionResult `json:"result,omitempty"` // of result
	Ref    string               `json:"ref,omitempty"`    // comes back with what answers this frame
}

// Shown is what a client receives over a socket: an event of a turn, or the answer to
// one of its frames.
type Shown struct {
	Event
	World   string   `json:"world,omitempty"`
	NPC     string   `json:"npc,omitempty"` // in a scene: who thinks, speaks or has spoken
	Player  string   `json:"player,omitempty"`
	Scene   string   `json:"scene,omitempty"`
	Ref     string   `json:"ref,omitempty"`
	Problem *Problem `json:"problem,omitempty"` // of type problem
	// Of the ok of actions: from when on they are shown. After a break it is since, until an action has come.
	At time.Time `json:"at,omitzero"`
}

// Bounds of a socket.
const (
	socketProtocol = "forsooth.v1"
	maxFrame       = schema.MaxTurnBytes
	maxOpen        = 1000            // turns and streams of actions under way
	quietFor       = 2 * time.Minute // a client that says nothing for so long is pinged
)

// socket serves GET /v1/ws: one connection for as many players as the caller may speak
// as.
func (g *Gateway) socket(w http.ResponseWriter, r *http.Request, c *caller) error {
	// the origin has been checked
	conn, err := websocket.Accept(slim{w}, r, &websocket.AcceptOptions{Subprotocols: []string{socketProtocol},
		InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return errGone // it has been answered
	}
	conn.SetReadLimit(maxFrame)
	// What is left of the request is what proves who calls: it is looked at with each frame and
	// each ping.
	proof := &http.Request{Header: r.Header, Host: r.Host, RemoteAddr: r.RemoteAddr, ProtoMajor: r.ProtoMajor,
		ProtoMinor: r.ProtoMinor}
	s := &socket{g: g, c: c, conn: conn, may: func() error { _, err := g.enter(proof); return err },
		open: make(chan struct{}, maxOpen), watched: map[string]bool{}}
	// In a goroutine of its own: that of the request holds what was needed to answer one.
	if !g.begin(func(living context.Context) { s.serve(living) }) {
		_ = conn.Close(websocket.StatusGoingAway, goingAway)
	}
	return errGone
}

// slim has a connection that is taken over hold small buffers: the server's own would be half
// of what a silent socket takes.
type slim struct{ http.ResponseWriter }

// Unwrap lets http.ResponseController through.
func (s slim) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Hijack takes the connection over.
func (s slim) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, full, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil || full.Reader.Buffered() > 0 { // what was read already stays where it is
		return conn, full, err
	}
	return conn, bufio.NewReadWriter(bufio.NewReaderSize(conn, 512), bufio.NewWriterSize(conn, 1024)), nil
}

// Why this side ends a connection.
const (
	goingAway  = "the gateway ends; connect again and resume"
	unknownNow = "the key or token is no longer known"
)

// serve holds the connection until either side ends it, or the gateway does.
func (s *socket) serve(living context.Context) {
	ctx, stop := context.WithCancel(context.WithoutCancel(living))
	defer stop()
	s.stop = stop
	defer s.g.meters.SocketOpened()()
	// It says so before it goes, and the read below ends by the answer: a context that ends
	// would cut the connection without a word.
	defer context.AfterFunc(living, func() { _ = s.conn.Close(websocket.StatusGoingAway, goingAway) })()
	defer s.keep(ctx)()
	reason := s.read(ctx)
	stop()
	s.tasks.Wait()
	if reason != "" {
		_ = s.conn.Close(websocket.StatusPolicyViolation, reason)
	}
	_ = s.conn.CloseNow()
}

// socket is one connection. It is read by one goroutine; each turn has one of its own.
type socket struct {
	g     *Gateway
	c     *caller
	conn  *websocket.Conn
	may   func() error // whether what the caller showed still opens the door
	open  chan struct{}
	tasks sync.WaitGroup
	stop  context.CancelFunc

	mu      sync.Mutex
	watched map[string]bool // turns that are shown here
}

// read takes frames until the connection ends; the reason says why this side ends it.
func (s *socket) read(ctx context.Context) (reason string) {
	for {
		kind, data, err := s.conn.Read(ctx)
		if err != nil {
			return ""
		}
		if kind != websocket.MessageText || !utf8.Valid(data) {
			return "frames are JSON text"
		}
		if err := s.may(); err != nil {
			s.refuse(ctx, &Frame{}, err)
			return unknownNow
		}
		var f Frame
		if err := decode(data, &f, true); err != nil {
			s.refuse(ctx, &f, err)
			continue
		}
		if err := s.g.limits.request(s.c); err != nil && f.Type != "ping" {
			s.refuse(ctx, &f, err)
			continue
		}
		if !s.begin(ctx, &f) {
			s.refuse(ctx, &f, problem(http.StatusTooManyRequests, CodeBusy, "%d turns of this connection are under way",
				maxOpen).after(time.Second))
		}
	}
}

// keep pings now and then, so that a connection that is no more ends, and so does that of who
// listens alone and is no longer known. It holds no goroutine meanwhile.
func (s *socket) keep(ctx context.Context) (end func() bool) {
	var mu sync.Mutex
	var timer *time.Timer
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(s.g.silence.Socket, func() {
		mu.Lock()
		defer mu.Unlock()
		alive, done := context.WithTimeout(ctx, eventLimit)
		defer done()
		if err := s.may(); err != nil {
			s.refuse(alive, &Frame{}, err)
			_ = s.conn.Close(websocket.StatusPolicyViolation, unknownNow)
			s.stop()
			return
		}
		if s.conn.Ping(alive) != nil {
			s.stop()
			return
		}
		timer.Reset(s.g.silence.Socket)
	})
	return timer.Stop
}

// begin handles a frame beside the others; false where too many are under way.
func (s *socket) begin(ctx context.Context, f *Frame) bool {
	select {
	case s.open <- struct{}{}:
	default:
		return false
	}
	s.tasks.Go(func() { s.run(ctx, f, func() (rest, error) { return s.handle(ctx, f) }) })
	return true
}

// rest is what is left of a frame once a turn is to be shown. It waits for most of its time.
type rest func() error

// run does something for a frame, and tells the client of an error. What lasts runs on a
// goroutine of its own: the stack of what came before is large, and would wait with it.
func (s *socket) run(ctx context.Context, f *Frame, do func() (rest, error)) {
	last, err := recovered(do)
	if last != nil {
		s.tasks.Go(func() { s.run(ctx, f, func() (rest, error) { return nil, last() }) })
		return
	}
	if err != nil && ctx.Err() == nil {
		s.refuse(ctx, f, err)
	}
	<-s.open
}

func recovered(do func() (rest, error)) (last rest, err error) {
	defer func() {
		if v := recover(); v != nil {
			last, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	return do()
}

func (s *socket) refuse(ctx context.Context, f *Frame, err error) {
	if errors.Is(err, errGone) {
		return
	}
	p := asProblem(err)
	if p.Code == CodeInternal {
		s.g.report(fmt.Errorf("socket, %s: %w", cut(f.Type, 16), err))
	}
	on := schema.ConversationID{World: f.World, NPC: f.NPC, Player: f.Player}
	turn := f.TurnID
	if f.Scene != "" {
		on = schema.SceneConversation(f.World, f.Scene)
	}
	if f.Say != nil {
		on, turn = f.Say.Conversation(), f.Say.TurnID
	}
	shown := s.of(f, on, &Event{Type: "problem", TurnID: turn})
	shown.Problem = p
	_ = s.send(ctx, shown) // a send that fails ends the connection
}

// send writes one message. A client that does not read for so long is let go.
func (s *socket) send(ctx context.Context, v *Shown) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	ctx, done := context.WithTimeout(ctx, eventLimit)
	defer done()
	if s.conn.Write(ctx, websocket.MessageText, data) != nil {
		s.stop()
		return errGone
	}
	return nil
}
