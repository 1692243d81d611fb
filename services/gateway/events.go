package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Event is an event of a turn, as a stream and a socket show it. N counts the events of
// a turn from 1: whoever names the last that it has seen is shown what follows.
type Event struct {
	Type     string           `json:"type"` // accepted, thinking, sentence, action, done
	N        int              `json:"n,omitempty"`
	TurnID   string           `json:"turn_id"`
	NPC      string           `json:"npc,omitempty"` // in a scene: who thinks, speaks or has spoken
	Sentence *schema.Sentence `json:"sentence,omitempty"`
	Action   *Action          `json:"action,omitempty"`
	Reply    *Reply           `json:"reply,omitempty"` // of done
	// Of done in a scene: the turn of the NPC that speaks behind this one. Its events follow.
	Next string `json:"next,omitempty"`
}

const (
	eventAction = "action"
	eventDone   = "done"
)

// watched is a turn that a caller watches.
type watched struct {
	c    *caller
	turn *client.Turn
	stop context.CancelFunc // ends the watch
	seen int                // the last event that the caller has seen
	asks bool               // a sentence may wait for an action's result
}

// events are a turn's, for a caller, behind the last that it has seen. They end with
// done, by which time the conversation holds the reply. In a scene those of the NPCs that
// speak behind it follow. Actions that a sentence waits for come as soon as they are
// proposed, and any may come twice. ctx is that of the turn's watch.
func (g *Gateway) events(ctx context.Context, on watched, show func(*Event) error) error {
	defer on.stop()
	for n := 0; ; {
		v := view{watched: on, n: n, show: show, acted: map[int]bool{}, open: on.c.hearsAll(on.turn.Conversation)}
		next, err := g.watchOne(ctx, &v)
		if err != nil || next == nil {
			return err
		}
		on.turn, n = next, v.n
	}
}

// watchOne shows one turn, and gives the one that follows it in a scene.
func (g *Gateway) watchOne(ctx context.Context, v *view) (next *client.Turn, err error) {
	if v.asks {
		defer g.proposals.watch(v.turn.Conversation, v.turn.ID, func(p *client.Proposal) {
			if v.action(*actionOf(*p)) != nil {
				v.stop()
			}
		})()
	}
	for {
		e, err := v.turn.Next(ctx)
		if err != nil {
			return v.done(ctx, g)
		}
		if err = g.opens(ctx, v, &e); err == nil {
			err = v.said(&e)
		}
		if err != nil {
			v.stop()
			return nil, err
		}
	}
}

// view is what a caller has been shown of a turn. Actions come beside what is said.
type view struct {
	watched
	n int

	mu    sync.Mutex
	show  func(*Event) error
	acted map[int]bool
	ended bool // nothing follows done
	open  bool // the caller hears what is said in the turn
}

func (v *view) said(e *schema.Said) error {
	v.n++
	if v.n <= v.seen && mutant != "cursor" {
		return nil
	}
	out := &Event{Type: string(e.Kind), N: v.n, TurnID: v.turn.ID, NPC: e.NPC}
	switch e.Kind {
	case schema.SaidAccepted, schema.SaidThinking:
	case schema.SaidSentence:
		s := v.c.sentence(*e.Sentence)
		out.Sentence = &s
	default:
		return nil // closed, done and aborted are told by the last event
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.show(out)
}

func (v *view) action(a Action) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.acted[a.Index] || v.ended || !v.open {
		return nil
	}
	v.acted[a.Index] = true
	return v.show(&Event{Type: eventAction, TurnID: v.turn.ID, Action: &a})
}

// done is the last event of a turn: it has the reply, and names the turn that follows.
func (v *view) done(ctx context.Context, g *Gateway) (next *client.Turn, err error) {
	reply, err := v.turn.Reply(ctx)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(g.mayHear(ctx, v.c, v.turn.Conversation, reply), outOfPlace(reply)); err != nil {
		return nil, err
	}
	v.opened()
	if next, err = g.client.Behind(ctx, reply); err != nil {
		return nil, err
	}
	if next != nil && v.seen > 0 && v.seen >= v.n && mutant != "cursor" {
		return next, nil // the caller has seen the end of this one
	}
	shown := v.c.shown(reply)
	for _, a := range shown.Actions {
		a.At = v.turn.RepliedAt()
		if err := v.action(a); err != nil {
			return nil, err
		}
	}
	shown.Again = v.turn.Again && v.seen == 0 // who goes on with a stream knows it
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = true
	last := &Event{Type: eventDone, N: v.n, TurnID: v.turn.ID, Reply: shown}
	if reply.Scene != nil {
		last.NPC = reply.NPC
	}
	if next != nil {
		last.Next = next.ID
	}
	return next, v.show(last)
}

// mayAsk says whether a sentence may wait for an action of this NPC.
func (g *Gateway) mayAsk(ctx context.Context, req *schema.Request) bool {
	confirms := func(a schema.ActionSpec) bool { return a.Confirm }
	if req.AllowedActions != nil {
		return slices.ContainsFunc(req.AllowedActions, confirms)
	}
	npc, err := g.catalog.npc(ctx, req.World, req.NPC) // in a scene any may speak
	return err != nil || slices.ContainsFunc(npc.Actions, confirms)
}

// stream shows a turn as server-sent events.
func (g *Gateway) stream(ctx context.Context, w http.ResponseWriter, on watched) error {
	defer context.AfterFunc(g.living, on.stop)()
	s := startStream(w)
	return s.during(ctx, on.stop, func() error {
		return g.events(ctx, on, func(e *Event) error { return s.send(e.Type, e.N, e) })
	})
}

// sse writes server-sent events. One goroutine at a time may.
type sse struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	lock chan struct{}
	ping time.Duration
	may  func() error                           // of who listens for long: whether the door is still open; nil: it is
	fail func(*Problem) (name string, data any) // the form of an error, where it is no problem
}

// pingEvery is how often a silent stream says that it lives: proxies close those that
// are silent for a minute.
const pingEvery = 15 * time.Second

// startStream begins a stream. The deadlines of the server are not for it: each event
// has its own.
func startStream(w http.ResponseWriter) *sse {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s := &sse{w: w, rc: http.NewResponseController(w), lock: make(chan struct{}, 1),
		ping: pingEvery}
	_ = s.rc.SetReadDeadline(time.Time{})
	_ = s.rc.SetWriteDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	_ = s.rc.Flush()
	return s
}

// startListening begins a stream that has no end of its own: with each ping it is asked
// whether what the caller showed still opens the door.
func (g *Gateway) startListening(w http.ResponseWriter, r *http.Request) *sse {
	s := startStream(w)
	s.ping = g.silence.Stream
	s.may = func() error { _, err := g.enter(r); return err }
	return s
}

// during pings while something is streamed. What goes wrong there is the last event:
// the answer has begun.
func (s *sse) during(ctx context.Context, stop context.CancelFunc, f func() error) error {
	pinged := make(chan error, 1)
	go func() {
		err := s.keep(ctx)
		if err != nil {
			stop()
		}
		pinged <- err
	}()
	err := f()
	stop()
	err = cmp.Or(<-pinged, err)
	if err != nil && !errors.Is(err, errGone) {
		p := asProblem(err)
		name, data := "problem", any(p)
		if s.fail != nil {
			name, data = s.fail(p)
		}
		_ = s.send(name, 0, data)
		if p.Code != CodeInternal {
			return errGone
		}
	}
	return err
}

// keep pings until the context ends, or the caller has gone or is no longer known.
func (s *sse) keep(ctx context.Context) error {
	tick := time.NewTicker(s.ping)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if s.may != nil {
			if err := s.may(); err != nil {
				return err
			}
		}
		if err := s.write([]byte(": ping\n\n")); err != nil {
			return err
		}
	}
}

// send writes an event; an id of 0 is none, and an empty name is that of data alone.
func (s *sse) send(name string, id int, data any) error {
	body, err := json.Marshal(data)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if name != "" {
		fmt.Fprintf(&out, "event: %s\n", name)
	}
	if id > 0 {
		fmt.Fprintf(&out, "id: %d\n", id)
	}
	fmt.Fprintf(&out, "data: %s\n\n", body)
	return s.write(out.Bytes())
}

func (s *sse) write(data []byte) error {
	s.lock <- struct{}{}
	defer func() { <-s.lock }()
	_ = s.rc.SetWriteDeadline(time.Now().Add(eventLimit))
	if _, err := s.w.Write(data); err != nil {
		return errGone
	}
	if s.rc.Flush() != nil {
		return errGone
	}
	return nil
}
