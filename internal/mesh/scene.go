package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Stage is what a service knows of scenes. A scene has one queue and one document, like any
// conversation; the NPC of a turn is chosen when the turn comes to the head.
type Stage struct {
	// Cast fills a request of a scene with its NPC and with who hears it, and gives the
	// conversation as that NPC has heard it. Of somebody who enters or leaves it says only
	// whether that may be. It must depend on its arguments alone.
	Cast func(req *schema.Request, doc *schema.Conversation) (*schema.Conversation, error)
	// Next is the turn of the NPC that speaks behind a reply; nil: none does.
	Next func(doc *schema.Conversation, r *schema.Reply) *schema.Request
}

// ErrNoStage says that a process cannot cast a scene. Another one may: the turn stays as it is.
var ErrNoStage = errors.New("this process knows nothing of the scene")

// cast is Stage.Cast where there is one.
func (m *Mesh) cast(req *schema.Request, doc *schema.Conversation) (*schema.Conversation, error) {
	if m.stage.Cast == nil {
		return doc, ErrNoStage
	}
	return m.stage.Cast(req, doc)
}

// staged makes a request of a scene ready to be started. over means that the turn has ended
// here: somebody has entered or left, or it cannot be answered.
func (m *Mesh) staged(
	ctx context.Context, convo schema.ConversationID, req *schema.Request, head *transport.Entry, doc convoDoc,
) (view *schema.Conversation, over bool, err error) {
	view, refused := m.cast(req, doc.Conversation)
	if errors.Is(refused, ErrNoStage) {
		return nil, false, refused
	}
	if refused == nil && !req.Scene.Moves() {
		view, err = m.related(ctx, view, req)
		return view, false, err
	}
	reply := &schema.Reply{Status: schema.StatusAnswered}
	if refused != nil {
		reply.Status, reply.Reason, reply.Detail = schema.StatusAborted, schema.ReasonInvalid, refused.Error()
	}
	// A deadline may have come first: then its reply stands, and this one is refused.
	if _, err := m.said.fence(ctx, convo, req.TurnID, saidLog{}, sentAway{}); err != nil {
		return nil, false, err
	}
	m.complete(reply, &protocol.Turn{Request: *req, Sequence: head.Sequence, AcceptedAt: head.Time.UTC()})
	return nil, true, m.publishReply(ctx, reply)
}

// castEnding casts a turn of a scene that is ended by its deadline or a cancel. One that is
// not at the head yet has no NPC, and nobody hears it.
func (m *Mesh) castEnding(ctx context.Context, req *schema.Request, e ending) error {
	named := req.NPC
	req.NPC = ""
	if req.Scene.Moves() {
		return nil
	}
	head, err := m.conn.Get(ctx, transport.StreamTurns, 1, protocol.SubjectTurn(e.convo))
	if errors.Is(err, transport.ErrNotFound) || err == nil && head.Sequence != e.sequence {
		return nil
	}
	if err != nil {
		return err
	}
	doc, err := readConversation(ctx, m.conn, e.convo)
	if err != nil {
		return err
	}
	req.NPC = named
	_, err = m.cast(req, doc.Conversation)
	if errors.Is(err, ErrNoStage) && e.reason != schema.ReasonPoison {
		return err // another process may know
	}
	if err != nil { // nobody there can answer
		req.NPC = ""
	}
	return nil
}

// exchange has the next NPC of a scene speak, where nobody waits behind the turn that ends.
// It stands in the queue before that turn leaves it, under an id of its own.
func (m *Mesh) exchange(ctx context.Context, r *schema.Reply) error {
	if r.Scene == nil || r.Scene.Rounds <= r.Scene.Round || m.stage.Next == nil || r.Sequence == 0 {
		return nil
	}
	convo := r.Conversation()
	asked, err := m.askedBy(ctx, convo, r)
	if err != nil || asked == nil {
		return err // it has left its queue: others may have spoken since
	}
	waiting, err := m.waitsBehind(ctx, convo, r.Sequence)
	if err != nil || waiting {
		return err
	}
	doc, err := readConversation(ctx, m.conn, convo)
	if err != nil {
		return err
	}
	next := m.stage.Next(doc.Conversation, r)
	if next == nil {
		return nil
	}
	next.Trust, next.State, next.Flags, next.Locale = asked.Trust, asked.State, asked.Flags, asked.Locale
	next.AllowedActions, next.DeadlineMS = asked.AllowedActions, asked.DeadlineMS
	if done, err := m.stands(ctx, convo, next.TurnID); done || err != nil {
		return err
	}
	data, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("round %d of turn %s: %w", next.Scene.Round, next.Scene.Of, err)
	}
	_, err = m.publish(ctx, transport.NewMessage(protocol.SubjectTurn(convo), data, transport.HeaderID, next.TurnID))
	if transport.IsSubjectFull(err) || transport.IsStreamFull(err) {
		return nil // players fill the queue, and go first
	}
	if err != nil {
		return err
	}
	return m.step("finish.exchanged")
}

// askedBy is the request of a reply while it stands in its queue; else nil. What the game said
// with it holds for all who speak upon it.
func (m *Mesh) askedBy(ctx context.Context, convo schema.ConversationID, r *schema.Reply) (*schema.Request, error) {
	msg, err := m.conn.Get(ctx, transport.StreamTurns, r.Sequence, "")
	if errors.Is(err, transport.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	req, err := readRequest(convo, msg.Data)
	if err != nil || req.TurnID != r.TurnID {
		return nil, nil
	}
	return req, nil
}

// inScene is the NPC of a turn of a scene, whose subject does not name it; else "".
func inScene(t *protocol.Turn) string {
	if t.Scene == nil {
		return ""
	}
	return t.NPC
}

// acting names in an action of a scene who acts and for whom.
func acting(a schema.Action, in *schema.Scene, npc, player string) schema.Action {
	if in != nil {
		a.NPC, a.Player = npc, player
	}
	return a
}

// related adds to what an NPC has in mind how it stands with the player of the turn. That is
// read from their own conversation; nothing that happens in the scene changes it.
func (m *Mesh) related(
	ctx context.Context, view *schema.Conversation, req *schema.Request,
) (*schema.Conversation, error) {
	own, err := readConversation(ctx, m.conn, schema.ConversationID{World: req.World, NPC: req.NPC, Player: req.Player})
	if err != nil {
		return nil, err
	}
	out := *view
	out.Trust, out.Opinion, out.Steps, out.Ledger = own.Trust, own.Opinion, own.Steps, own.Ledger
	return &out, nil
}

// of names the conversation of a reply that was made without its request.
func of(r *schema.Reply, convo schema.ConversationID) *schema.Reply {
	r.World, r.NPC, r.Player = convo.World, convo.NPC, convo.Player
	if convo.NPC == schema.SceneNPC {
		r.NPC, r.Player, r.Scene = "", "", &schema.Scene{ID: convo.Player}
	}
	return r
}
