package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// handleActions answers svc.actions.<world>: what its NPCs proposed to the game.
func (m *Mesh) handleActions(ctx context.Context, msg *transport.Message) {
	ctx, stop := context.WithTimeout(ctx, messageTimeout)
	defer stop()
	out, err := m.proposed(ctx, strings.TrimPrefix(msg.Subject, protocol.SubjectActions("")), msg.Data)
	if err != nil {
		out = &protocol.ActionsFound{Error: err.Error()}
	}
	if data, err := json.Marshal(out); err == nil {
		respond(msg, data)
	}
}

func (m *Mesh) proposed(ctx context.Context, world string, query []byte) (*protocol.ActionsFound, error) {
	var q protocol.ActionsQuery
	if err := json.Unmarshal(query, &q); err != nil {
		return nil, fmt.Errorf("the query is not JSON such as {\"after\":…} or {\"since\":…}: %w", err)
	}
	out := &protocol.ActionsFound{Actions: []protocol.StoredAction{}}
	s, err := m.conn.Look(ctx, transport.StreamActions)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", transport.StreamActions, err)
	}
	last := s.CachedInfo().State.LastSeq
	if q.After == nil && q.Since.IsZero() {
		out.Last = last
		return out, nil
	}
	size := 0
	take := func(msg *transport.Entry) bool {
		if size += len(msg.Data); size > maxEvents && len(out.Actions) > 0 {
			out.More = true
			return false
		}
		out.Last = msg.Sequence
		if a, err := storedAction(msg); err == nil {
			convo := schema.ConversationID{World: world, NPC: a.NPC, Player: a.Player}
			_, err := m.conn.Last(ctx, transport.StreamActions, protocol.SubjectActionResult(convo, a.TurnID, a.Index))
			a.Answered = err == nil
			out.Actions = append(out.Actions, a)
		}
		return true
	}
	subject := protocol.Prefix + "action." + world + ".>"
	after := uint64(0)
	switch {
	case q.After != nil:
		after = *q.After
	default:
		at, err := m.conn.Read(ctx, transport.StreamActions, "",
			fmt.Appendf(nil, `{"start_time":%q,"next_by_subj":%q}`, q.Since.UTC().Format(time.RFC3339Nano), subject))
		if errors.Is(err, transport.ErrNotFound) {
			out.Last = last
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		after = at.Sequence - 1
	}
	out.Last = after
	return out, m.conn.EachFrom(ctx, transport.StreamActions, subject, after+1, take)
}

func storedAction(msg *transport.Entry) (protocol.StoredAction, error) {
	a := protocol.StoredAction{Sequence: msg.Sequence, At: msg.Time.UTC()}
	s, err := protocol.ParseSubject(msg.Subject)
	if err != nil {
		return a, err
	}
	a.NPC, a.Player, a.TurnID = s.Conversation.NPC, s.Conversation.Player, s.Turn
	if a.Index, err = strconv.Atoi(s.Index); err != nil {
		return a, err
	}
	return a, json.Unmarshal(msg.Data, &a.Action)
}

// askActions is Actions for a client that has no right to the stream. What the
// broker repeats is only the bell: what is stored is asked for.
func (c *Client) askActions(ctx context.Context, world string, since time.Time, f func(Proposal)) error {
	began := time.Now()
	bell := make(chan *transport.Message, 64)
	sub, err := c.conn.Core().ChanSubscribe(transport.LivePrefix+"action."+world+".*.*.*.*", bell)
	if err != nil {
		return unanswered(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	q := protocol.ActionsQuery{Since: since}
	for first := true; ; first = false {
		err := c.nextActions(ctx, world, &q, began, f)
		var denied *transport.RightError
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (first || errors.As(err, &denied)):
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-c.conn.Closed():
			return transport.ErrDisconnected
		case <-bell:
			for len(bell) > 0 {
				<-bell
			}
		case <-tick.C:
		}
	}
}

// nextActions gives f what stands behind the query's place, and moves it on.
func (c *Client) nextActions(
	ctx context.Context, world string, q *protocol.ActionsQuery, began time.Time, f func(Proposal),
) error {
	for more := true; more; {
		var found protocol.ActionsFound
		if err := c.askJSON(ctx, protocol.SubjectActions(world), *q, &found); err != nil {
			return err
		}
		if found.Error != "" {
			return errors.New(found.Error)
		}
		for i := range found.Actions {
			a := &found.Actions[i]
			if ctx.Err() != nil {
				return nil
			}
			if a.Answered && a.At.Before(began) {
				continue
			}
			f(Proposal{Conversation: schema.ConversationID{World: world, NPC: a.NPC, Player: a.Player}, Turn: a.TurnID,
				Index: a.Index, Action: a.Action, At: a.At})
		}
		*q = protocol.ActionsQuery{After: &found.Last}
		more = found.More
	}
	return nil
}
