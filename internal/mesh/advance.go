package mesh

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// advance starts the turn at the head of a conversation, if it has not been
// started, and clears away turns whose reply the conversation already holds. It
// may be called by anybody at any time, and any number of times. known saves the
// first pass of that turn a look at what was said.
func (m *Mesh) advance(ctx context.Context, convo schema.ConversationID, known said) error {
	for {
		head, err := m.conn.Get(ctx, transport.StreamTurns, 1, protocol.SubjectTurn(convo))
		if errors.Is(err, transport.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.step("advance.head"); err != nil {
			return err
		}
		turn := TurnOf(head)
		over, err := m.settle(ctx, convo, turn, head, known)
		if err != nil || !over {
			return err
		}
		if err := m.conn.Remove(ctx, transport.StreamTurns, head.Sequence); err != nil {
			return err
		}
		if err := m.step("advance.removed"); err != nil {
			return err
		}
	}
}

// settle looks at the head: over means that its reply is applied and the head
// can go. Otherwise the turn is started, or left to its finisher.
func (m *Mesh) settle(
	ctx context.Context, convo schema.ConversationID, turn string, head *transport.Entry, known said,
) (over bool, err error) {
	// Both are read after the head: a head that has changed was applied before it
	// went, so the next turn sees the last one's memory.
	var doc convoDoc
	var unread error
	var wait sync.WaitGroup
	wait.Go(func() { doc, unread = readConversation(ctx, m.conn, convo) })
	reply, err := m.conn.Reply(ctx, convo, turn)
	wait.Wait()
	switch {
	case unread != nil:
		return false, unread
	case err == nil:
		return isApplied(doc, turn, reply), nil
	case !errors.Is(err, transport.ErrNotFound):
		return false, err
	}
	return false, m.start(ctx, convo, head, doc, known)
}

// isApplied says whether a reply's turn needs nothing more of its finisher.
func isApplied(doc convoDoc, turn string, reply *transport.StoredReply) bool {
	if reply.Reply == nil || leavesNothing(reply.Reply) {
		return true // expired, so long since applied; or refused at the door, so never to be applied
	}
	return doc.HasApplied(turn, reply.Sequence)
}

// start publishes the turn to its first pass, once: the message id is the same
// whoever starts it.
func (m *Mesh) start(
	ctx context.Context, convo schema.ConversationID, head *transport.Entry, doc convoDoc, known said,
) error {
	req, err := readRequest(convo, head.Data)
	if err != nil {
		return nil // its own doorbell answers it, and its finisher comes back here
	}
	t := &protocol.Turn{
		Request: *req, Pass: schema.PassRetrieve, Sequence: head.Sequence,
		AcceptedAt: head.Time.UTC(), DeadlineAt: head.Time.UTC().Add(req.Deadline()),
		Convo: doc.Conversation,
	}
	if !m.opts.Now().Before(endsAt(t)) {
		return nil // its deadline has come while it waited
	}
	if req.Scene != nil {
		view, over, err := m.staged(ctx, convo, req, head, doc)
		if over || err != nil {
			return err
		}
		t.Request, t.Convo = *req, view
	}
	if req.Unasked() {
		if yields, err := m.yields(ctx, convo, head, known); err != nil {
			return err
		} else if yields {
			return m.conclude(ctx, ending{convo: convo, turn: t.TurnID, sequence: head.Sequence,
				reason: schema.ReasonYielded}, req, head.Time)
		}
	}
	if err := t.KeepUnknown(head.Data); err != nil {
		return err
	}
	ctx = m.turn(ctx, t.TurnID, t.AcceptedAt, head.Header)
	if known.turn == t.TurnID {
		t.SaidSeq = known.sequence
	} else {
		begun, err := m.said.begun(ctx, convo, t.TurnID)
		if err != nil {
			return err
		}
		if begun.away.is() {
			return m.conclude(ctx, begun.away.ending(convo, t.TurnID, head.Sequence), req, head.Time)
		}
		t.SaidSeq = begun.accepted
	}
	data, err := protocol.EncodeTurn(t)
	if err != nil {
		// With its conversation it is too large to travel; nothing will change that.
		return m.publishReply(ctx, invalidReply(convo, t.TurnID, head.Sequence, head.Time, err))
	}
	if err := m.send(ctx, t, data); err != nil {
		return err
	}
	if m.ends.Apply != nil {
		m.drafts.put(t.TurnID, doc) // nobody here reads it any more
	}
	return m.step("advance.started")
}

// readRequest reads a request and holds it against the subject it came on.
func readRequest(convo schema.ConversationID, data []byte) (*schema.Request, error) {
	req, err := schema.DecodeRequest(data)
	if err != nil {
		return nil, err
	}
	of := req.Conversation()
	for _, f := range []struct{ field, body, subject string }{
		{"world", of.World, convo.World}, {"npc", of.NPC, convo.NPC}, {"player", of.Player, convo.Player},
	} {
		if f.body != f.subject {
			return nil, &schema.FieldError{Field: f.field,
				Reason: fmt.Sprintf("is %q but the subject says %q; publish on %s", f.body, f.subject,
					protocol.SubjectTurn(req.Conversation()))}
		}
	}
	return req, nil
}

// messageTimeout bounds one doorbell, deadline or finish; the broker brings it
// back if it takes longer.
const messageTimeout = 30 * time.Second
