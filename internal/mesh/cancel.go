package mesh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// headerReason says why a cancel was sent; without it, by the caller's will.
const headerReason = "Forsooth-Reason"

// cancelUnknown answers a cancel of a turn that does not wait.
const cancelUnknown = "unknown"

// cancel asks for a turn to be ended. Nobody waits: a lost cancel leaves the
// deadline.
func sendCancel(c *transport.Conn, convo schema.ConversationID, turn, reason string) error {
	return c.Core().PublishMsg(transport.NewMessage(protocol.SubjectCancel(convo, turn), nil, headerReason, reason))
}

// handleCancel ends the turn that a cancel names and answers a caller that
// waits.
func (m *Mesh) handleCancel(ctx context.Context, msg *transport.Message) {
	ctx, stop := context.WithTimeout(ctx, messageTimeout)
	defer stop()
	answer := "ok"
	if err := m.endNamed(ctx, msg); err != nil {
		answer = err.Error()
		if errors.Is(err, transport.ErrNotFound) {
			answer = cancelUnknown
		} else {
			m.opts.Report(Report{Where: "cancel", Subject: msg.Subject, Outcome: "lost", Err: err})
		}
	}
	respond(msg, []byte(answer))
}

func (m *Mesh) endNamed(ctx context.Context, msg *transport.Message) error {
	subject, err := protocol.ParseSubject(msg.Subject)
	if err != nil {
		return err
	}
	sequence, err := QueuedTurn(ctx, m.conn, subject.Conversation, subject.Turn)
	if err != nil {
		return err
	}
	reason := schema.ReasonCancelled
	if msg.Header.Get(headerReason) == schema.ReasonSuperseded {
		reason = schema.ReasonSuperseded
	}
	return m.end(ctx, ending{convo: subject.Conversation, turn: subject.Turn, sequence: sequence, reason: reason})
}

// QueuedTurn finds a turn in its conversation's queue.
func QueuedTurn(
	ctx context.Context, c *transport.Conn, convo schema.ConversationID, turn string,
) (sequence uint64, err error) {
	msg, err := queuedMessage(ctx, c, convo, turn)
	if err != nil {
		return 0, err
	}
	return msg.Sequence, nil
}

// queuedMessage is the message of a turn in its conversation's queue.
func queuedMessage(
	ctx context.Context, c *transport.Conn, convo schema.ConversationID, turn string,
) (found *transport.Entry, err error) {
	err = c.Each(ctx, transport.StreamTurns, protocol.SubjectTurn(convo), func(msg *transport.Entry) bool {
		if TurnOf(msg) == turn {
			found = msg
		}
		return found == nil
	})
	if err == nil && found == nil {
		err = fmt.Errorf("turn %s of %s waits nowhere: %w", turn, convo, transport.ErrNotFound)
	}
	return found, err
}

// inflight is one run of a handler.
type inflight struct{ stop context.CancelCauseFunc }

// inflight gives a handler a context that ends with its turn.
func (m *Mesh) inflight(ctx context.Context, turn string) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	f := &inflight{stop: stop}
	m.mu.Lock()
	if m.running[turn] == nil {
		m.running[turn] = map[*inflight]struct{}{}
	}
	m.running[turn][f] = struct{}{}
	m.mu.Unlock()
	return ctx, func() {
		m.mu.Lock()
		delete(m.running[turn], f)
		if len(m.running[turn]) == 0 {
			delete(m.running, turn)
		}
		m.mu.Unlock()
		stop(nil)
	}
}

// interrupt stops the handlers of a turn in this process, so that a model call
// does not outlive what it is for, and keeps the turn in mind for those to come.
func (m *Mesh) interrupt(_ context.Context, msg *transport.Message) {
	subject, err := protocol.ParseSubject(msg.Subject)
	if err != nil {
		return
	}
	now := m.opts.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.cancelled) >= m.tidyAt {
		maps.DeleteFunc(m.cancelled, func(_ string, heard time.Time) bool { return now.Sub(heard) > longestTurn })
		m.tidyAt = max(1024, 2*len(m.cancelled))
	}
	m.cancelled[subject.Turn] = now
	for f := range m.running[subject.Turn] {
		f.stop(errEnded)
	}
}

// longestTurn bounds how long a cancelled turn may still come to a pass.
const longestTurn = schema.MaxDeadlineMS * time.Millisecond

// A cancel is heard by every pass at the moment it is sent, and carried out a
// moment later by one service.
const (
	cancelPatience = time.Second           // after that it counts as lost
	cancelAgain    = 50 * time.Millisecond // between two looks
)

// stillWanted looks whether a turn that somebody asked to cancel has been ended.
// It costs nothing for the others.
func (m *Mesh) stillWanted(ctx context.Context, t *protocol.Turn) error {
	m.mu.Lock()
	heard, asked := m.cancelled[t.TurnID]
	m.mu.Unlock()
	if !asked {
		return nil
	}
	newest, err := m.conn.Last(ctx, transport.StreamSaid, protocol.SubjectSaid(t.Conversation(), t.TurnID))
	switch {
	case err == nil && isFence(newest):
		return errEnded
	case err != nil && !errors.Is(err, transport.ErrNotFound):
		return err
	case m.opts.Now().Sub(heard) < cancelPatience:
		return Later(cancelAgain)
	}
	return nil // the cancel was lost; the turn goes on
}

// subscribe listens on plain subjects until unsubscribe.
func (m *Mesh) subscribe(ctx context.Context) error {
	if len(m.runners) > 0 {
		m.subs = append(m.subs, subscription{subject: protocol.Prefix + "cancel.*.*.*.*", handle: m.interrupt})
	}
	for i := range m.subs {
		s := &m.subs[i]
		handle := func(msg *transport.Message) { s.handle(ctx, msg) }
		var err error
		if s.queue != "" {
			s.sub, err = m.conn.Core().QueueSubscribe(s.subject, s.queue, handle)
		} else {
			s.sub, err = m.conn.Core().Subscribe(s.subject, handle)
		}
		if err != nil {
			m.unsubscribe()
			return fmt.Errorf("listen on %s: %w", s.subject, err)
		}
	}
	return nil
}

func (m *Mesh) unsubscribe() {
	for i := range m.subs {
		if sub := m.subs[i].sub; sub != nil {
			_ = sub.Unsubscribe()
		}
	}
}
