package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What the frames of a socket do.

func (s *socket) handle(ctx context.Context, f *Frame) (rest, error) {
	switch f.Type {
	case "ping":
		return nil, s.send(ctx, &Shown{Event: Event{Type: "pong"}, Ref: f.Ref})
	case "say":
		return s.say(ctx, f)
	case "actions":
		return nil, s.actions(ctx, f)
	case "resume", "cancel", "result":
	default:
		return nil, problem(http.StatusBadRequest, CodeInvalid,
			"type is none of say, resume, cancel, actions, result, ping").on("type")
	}
	convo, err := s.named(f)
	if err != nil {
		return nil, err
	}
	switch f.Type {
	case "cancel":
		if err = s.g.mayEnd(ctx, s.c, convo, f.TurnID); err == nil {
			err = s.g.client.Cancel(ctx, convo, f.TurnID)
		}
	case "result":
		err = s.result(ctx, f, convo)
	default:
		return s.resume(ctx, f, convo)
	}
	if err != nil {
		return nil, err
	}
	return nil, s.send(ctx, s.of(f, convo, &Event{Type: "ok", TurnID: f.TurnID}))
}

// named is the conversation that a frame names, where the caller may play in it.
func (s *socket) named(f *Frame) (convo schema.ConversationID, err error) {
	if err := s.c.may(access.Play, f.World); err != nil {
		return convo, err
	}
	switch {
	case f.Scene == "":
		return s.c.talkingTo(f.World, f.NPC, f.Player)
	case f.NPC != "":
		return convo, problem(http.StatusBadRequest, CodeInvalid, "stands beside a scene; name one of them").on("npc")
	}
	return s.c.inScene(f.World, f.Scene)
}

func (s *socket) of(f *Frame, on schema.ConversationID, e *Event) *Shown {
	if on.NPC == schema.SceneNPC {
		return &Shown{Event: *e, World: on.World, NPC: e.NPC, Scene: on.Player, Ref: f.Ref}
	}
	return &Shown{Event: *e, World: on.World, NPC: on.NPC, Player: on.Player, Ref: f.Ref}
}

func (s *socket) say(ctx context.Context, f *Frame) (rest, error) {
	req := f.Say
	if req == nil {
		return nil, problem(http.StatusBadRequest, CodeInvalid, "say is missing: the turn, such as "+
			"{\"world\":…,\"npc\":…,\"player\":…,\"message\":…}").on("say")
	}
	if err := sameOrEmpty("turn_id", &req.TurnID, f.TurnID, "the frame's"); err != nil {
		return nil, err
	}
	if err := s.c.may(access.Play, req.World); err != nil {
		return nil, err
	}
	if err := s.g.admit(ctx, s.c, req); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, patience(req))
	turn, err := s.g.said(ctx, s.c, req)
	if err != nil {
		stop()
		return nil, err
	}
	return s.show(ctx, f, watched{s.c, turn, stop, f.After, s.g.mayAsk(ctx, req)}), nil
}

// resume shows a turn that another connection, or another gateway, has begun.
func (s *socket) resume(ctx context.Context, f *Frame, convo schema.ConversationID) (rest, error) {
	if _, err := s.g.outcome(ctx, s.c, convo, f.TurnID); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, watchFor(convo))
	turn, err := s.g.client.Watch(ctx, convo, f.TurnID)
	if err != nil {
		stop()
		return nil, err
	}
	return s.show(ctx, f, watched{s.c, turn, stop, f.After, true}), nil
}

// show sends the events of a turn, and ends its watch. One that is shown here already is not
// shown twice.
func (s *socket) show(ctx context.Context, f *Frame, on watched) rest {
	return func() error {
		defer on.stop()
		defer on.turn.Close()
		name := on.turn.Conversation.String() + "." + on.turn.ID
		if !s.begins(name) {
			return problem(http.StatusConflict, CodeBusy, "this turn is being shown on this connection")
		}
		defer s.shown(name)
		return s.g.events(ctx, on, func(e *Event) error { return s.send(ctx, s.of(f, on.turn.Conversation, e)) })
	}
}

// begins notes that a turn is shown here; false where it is already.
func (s *socket) begins(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched[name] {
		return false
	}
	s.watched[name] = true
	return true
}

func (s *socket) shown(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, name)
}

func (s *socket) actions(ctx context.Context, f *Frame) error {
	if err := s.c.isBackend(); err != nil {
		return err
	}
	if err := s.c.may(access.Play, f.World); err != nil {
		return err
	}
	since, err := sinceOf(f.Since)
	if err != nil {
		return err
	}
	if _, err := s.g.catalog.world(ctx, f.World); err != nil {
		return err
	}
	if since.IsZero() {
		since = s.g.now().Add(-time.Second) // before the ok below is told
	}
	begun := s.of(f, schema.ConversationID{World: f.World}, &Event{Type: "ok"})
	begun.At = since
	if err := s.send(ctx, begun); err != nil {
		return err
	}
	return s.g.client.Actions(ctx, f.World, since, func(p client.Proposal) {
		// a send that fails ends the connection
		_ = s.send(ctx, s.of(f, p.Conversation, &Event{Type: eventAction, TurnID: p.Turn, Action: actionOf(p)}))
	})
}

func (s *socket) result(ctx context.Context, f *Frame, convo schema.ConversationID) error {
	if err := s.c.isBackend(); err != nil {
		return err
	}
	if f.Result == nil || f.Index < 0 || f.Index > 1000 {
		return problem(http.StatusBadRequest, CodeInvalid,
			"result is missing, or index is that of no action").on("result")
	}
	return s.g.client.ActionResult(ctx, client.Proposal{Conversation: convo, Turn: f.TurnID, Index: f.Index}, *f.Result)
}
