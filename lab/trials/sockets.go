package trials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// SocketsOptions size a run.
type SocketsOptions struct {
	Binary  string // forsooth itself
	Dir     string // the world as --world names it
	Log     *os.File
	Sockets int // open at once
	Turns   int // under way; each socket shows one of them
	Said    func(format string, args ...any)
}

const (
	dialsAtOnce   = 64
	resumesAtOnce = 64
	socketRest    = 5 * time.Second
	perSocket     = 40 // KB, the bar
)

// Sockets opens sockets at one gateway, a process of its own beside a mesh, and has each
// show a turn that is under way. It says what a socket takes of the gateway's memory, at
// rest and with its turn.
func Sockets(ctx context.Context, w *world.World, o SocketsOptions) (_ []bench.Figure, err error) {
	l, err := bench.NewLoad(w)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "forsooth-sockets-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env, closeModel, err := musing()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	mesh, err := bench.Begin(ctx, o.Binary, o.Log, env, "up", "--world", o.Dir, "--data", dir, "--port", "0")
	if err != nil {
		return nil, err
	}
	door, err := bench.Begin(ctx, o.Binary, o.Log, nil, "serve", "gateway", "--nats", mesh.NATS, "--data", dir,
		"--http", "127.0.0.1:0")
	if err != nil {
		_, stopErr := mesh.Stop()
		return nil, errors.Join(err, stopErr)
	}
	s := &openSockets{SocketsOptions: o, load: l, door: door, open: make([]*openSocket, o.Sockets)}
	figures, err := s.run(ctx, mesh.NATS)
	s.close()
	_, doorErr := door.Stop()
	_, meshErr := mesh.Stop()
	return figures, errors.Join(err, doorErr, meshErr)
}

// musing starts a model that never ends its thoughts, so that a turn lasts until its
// deadline, and names it to the mesh. Other calls it answers.
func musing() (env []string, done func() error, err error) {
	const muses = "muses"
	model, err := llmtest.Start(llmtest.Options{Persona: "quote"})
	if err != nil {
		return nil, nil, err
	}
	at, err := url.Parse(model.URL())
	if err != nil {
		return nil, nil, errors.Join(err, model.Close())
	}
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: at.Scheme, Host: at.Host})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if bytes.Contains(body, []byte(`"`+muses+`"`)) {
			<-r.Context().Done()
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		pass.ServeHTTP(w, r)
	}))
	env = []string{"FORSOOTH_LLM_URL=" + front.URL + at.Path, "FORSOOTH_LLM_MODEL=scripted",
		"FORSOOTH_LLM_CALLS_MONOLOGUE_MODEL=" + muses,
		fmt.Sprintf("FORSOOTH_LLM_CALLS_MONOLOGUE_TIMEOUT_MS=%d", schema.MaxDeadlineMS)}
	return env, func() error { front.Close(); return model.Close() }, nil
}

// openSockets is a run.
type openSockets struct {
	SocketsOptions
	load *bench.Load
	door *bench.Process
	open []*openSocket
	read sync.WaitGroup
}

// openSocket is one. It is read all the time: who answers no ping is let go.
type openSocket struct {
	conn *websocket.Conn
	got  chan []byte // closed when the socket ends
}

func (s *openSockets) run(ctx context.Context, broker string) ([]bench.Figure, error) {
	before, err := s.resident(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.dial(ctx); err != nil {
		return nil, err
	}
	s.Said("%d sockets are open", len(s.open))
	idle, err := s.resident(ctx)
	if err != nil {
		return nil, err
	}
	turns, err := s.say(ctx, broker)
	if err != nil {
		return nil, err
	}
	shown, ended, shows := make(chan struct{}, len(s.open)), errgroup.Group{}, peak{}
	for i := range s.open {
		ended.Go(func() error { return s.show(ctx, s.open[i], turns[i%len(turns)], shown, &shows) })
		if i >= resumesAtOnce {
			<-shown
		}
	}
	for range min(resumesAtOnce, len(s.open)) {
		<-shown
	}
	atOnce := shows.most.Load()
	s.Said("%d turns were shown at once", atOnce)
	busy, err := s.resident(ctx)
	if err != nil {
		return nil, err
	}
	if err := ended.Wait(); err != nil {
		return nil, err
	}
	_, most, err := s.door.Memory()
	if err != nil {
		return nil, err
	}
	each := func(now float64) float64 { return (now - before) * 1024 / float64(len(s.open)) }
	return []bench.Figure{
		bench.AtLeast("sockets_open", float64(len(s.open)), "", float64(s.Sockets)),
		bench.AtLeast("streams_at_once", float64(atOnce), "", float64(s.Sockets)),
		bench.AtMost("memory_per_socket", each(idle), "KB", perSocket),
		bench.AtMost("memory_with_its_stream", each(busy), "KB", perSocket),
		bench.Plain("memory_at_most", each(most), "KB"),
		bench.Plain("gateway_at_rest", before, "MB"), bench.Plain("gateway_at_most", most, "MB"),
	}, nil
}

// resident is the gateway's memory once it has come to rest, in MB.
func (s *openSockets) resident(ctx context.Context) (float64, error) {
	if err := pause(ctx, socketRest); err != nil {
		return 0, err
	}
	now, _, err := s.door.Memory()
	return now, err
}

func (s *openSockets) dial(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(dialsAtOnce)
	at := "ws" + strings.TrimPrefix(s.door.HTTP, "http") + "/v1/ws"
	for i := range s.open {
		g.Go(func() error {
			conn, _, err := websocket.Dial(gctx, at, nil) //nolint:bodyclose // it is the connection's
			if err == nil {
				conn.SetReadLimit(1 << 20)
				s.open[i] = &openSocket{conn, make(chan []byte, 4)}
				s.read.Go(func() { s.open[i].keep(ctx) })
			}
			return err
		})
	}
	return g.Wait()
}

// peak counts what there is at once, and how much that was at most.
type peak struct{ now, most atomic.Int64 }

func (p *peak) add(n int64) {
	now := p.now.Add(n)
	for most := p.most.Load(); now > most && !p.most.CompareAndSwap(most, now); most = p.most.Load() {
	}
}

// keep reads until the socket ends.
func (o *openSocket) keep(ctx context.Context) {
	defer close(o.got)
	for {
		_, data, err := o.conn.Read(ctx)
		if err != nil {
			return
		}
		select {
		case o.got <- data:
		case <-ctx.Done():
			return
		}
	}
}

// say begins turns, and gives those that last: some are answered without a thought.
func (s *openSockets) say(ctx context.Context, broker string) (out []*schema.Request, err error) {
	c, err := client.Connect(ctx, broker, client.Options{Name: "forsooth lab"})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all := make([]*schema.Request, 2*s.Turns)
	for i := range all {
		all[i] = s.load.Request("sockets", i, 0)
		turn, err := c.Say(ctx, *all[i])
		if err != nil {
			return nil, err
		}
		turn.Close()
	}
	if _, err := s.resident(ctx); err != nil {
		return nil, err
	}
	for _, r := range all {
		got, err := c.Outcome(ctx, r.Conversation(), r.TurnID)
		if err != nil {
			return nil, err
		}
		if got.Reply == nil {
			out = append(out, r)
		}
	}
	if len(out) < s.Turns {
		return nil, fmt.Errorf("%d of %d turns are under way, %d are wanted", len(out), len(all), s.Turns)
	}
	return out[:s.Turns], nil
}

// show has a socket show a turn to its end, and tells when it has begun to.
func (s *openSockets) show(ctx context.Context, at *openSocket, turn *schema.Request, shown chan<- struct{},
	shows *peak) error {
	begun := false
	defer func() {
		if !begun {
			shown <- struct{}{}
		}
	}()
	data, err := json.Marshal(&gateway.Frame{Type: "resume", World: turn.World, NPC: turn.NPC, Player: turn.Player,
		TurnID: turn.TurnID})
	if err != nil {
		return err
	}
	ask := func() error { return at.conn.Write(ctx, websocket.MessageText, data) }
	if err := ask(); err != nil {
		return err
	}
	for data := range at.got {
		var e gateway.Shown
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		if e.Type == "problem" {
			again := time.Duration(e.Problem.RetryAfterMS) * time.Millisecond
			if again == 0 || pause(ctx, again) != nil {
				return fmt.Errorf("turn %s: %w", turn.TurnID, e.Problem)
			}
			if err := ask(); err != nil {
				return err
			}
			continue
		}
		if !begun {
			begun = true
			shows.add(1)
			shown <- struct{}{}
		}
		if e.Reply != nil {
			shows.add(-1)
			return nil
		}
	}
	return fmt.Errorf("turn %s: the socket ended before it", turn.TurnID)
}

func (s *openSockets) close() {
	for _, o := range s.open {
		if o != nil {
			_ = o.conn.CloseNow()
			for range o.got { // what came meanwhile is nobody's
			}
		}
	}
	s.read.Wait()
}
