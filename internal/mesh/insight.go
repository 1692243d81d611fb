package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// answerTrace answers svc.trace.<world>: the passes of a turn, as many as fit.
func (m *Mesh) answerTrace(ctx context.Context, world string, query []byte) (any, error) {
	var q protocol.TurnQuery
	if err := readQuery(query, &q); err != nil {
		return nil, err
	}
	convo := schema.ConversationID{World: world, NPC: q.NPC, Player: q.Player}
	if err := checkTurn(convo, q.TurnID); err != nil {
		return nil, err
	}
	out, from := protocol.TraceFound{Passes: []protocol.Trace{}}, uint64(1)
	if q.After != nil {
		from = *q.After + 1
	}
	size := 0
	err := m.conn.EachFrom(ctx, transport.StreamTraces, protocol.SubjectTrace(convo, q.TurnID), from,
		func(msg *transport.Entry) bool {
			if size += len(msg.Data); size > maxEvents && len(out.Passes) > 0 {
				out.More = true
				return false
			}
			out.Last = msg.Sequence
			var t protocol.Trace
			if json.Unmarshal(msg.Data, &t) == nil {
				out.Passes = append(out.Passes, t)
			}
			return true
		})
	return out, err
}

// TurnTrace asks the mesh for every pass of a turn, in the order they were done;
// transport.ErrNotFound where none is kept.
func (c *Client) TurnTrace(ctx context.Context, convo schema.ConversationID, turn string) ([]protocol.Trace, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	var out []protocol.Trace
	q := protocol.TurnQuery{World: convo.World, NPC: convo.NPC, Player: convo.Player, TurnID: turn}
	for more := true; more; {
		var found protocol.TraceFound
		if err := c.askAnswer(ctx, protocol.SubjectTraceOf(convo.World), q, &found); err != nil {
			return nil, transport.Wrap(err, "trace of turn %s", turn)
		}
		for i := range found.Passes {
			out = append(out, whole(out, &found.Passes[i]))
		}
		last := found.Last
		q.After, more = &last, found.More
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("trace of turn %s: %w", turn, transport.ErrNotFound)
	}
	return out, nil
}

// whole is a trace with the evidence and the sources that stand in the one before.
func whole(before []protocol.Trace, t *protocol.Trace) protocol.Trace {
	if n := len(before); t.AsBefore && n > 0 && t.Turn != nil && before[n-1].Turn != nil {
		t.Turn.Evidence, t.Turn.Sources = before[n-1].Turn.Evidence, before[n-1].Turn.Sources
		t.AsBefore = before[n-1].AsBefore
	}
	return *t
}

// answerOutcomes answers svc.outcomes.<world>: the replies behind a place or since a time.
func (m *Mesh) answerOutcomes(ctx context.Context, world string, query []byte) (any, error) {
	var q schema.OutcomesQuery
	if err := readQuery(query, &q); err != nil {
		return nil, err
	}
	out := schema.OutcomesFound{Outcomes: []schema.StoredOutcome{}}
	subject := protocol.Prefix + "reply." + world + ".>"
	s, err := m.conn.Look(ctx, transport.StreamReplies)
	if err != nil {
		return nil, err
	}
	out.Last = s.CachedInfo().State.LastSeq
	switch {
	case q.After != nil:
		out.Last = *q.After
	case q.Since.IsZero():
		return out, nil
	default:
		first, err := m.conn.Read(ctx, transport.StreamReplies, "", fmt.Appendf(nil, `{"start_time":%q,"next_by_subj":%q}`,
			q.Since.UTC().Format(time.RFC3339Nano), subject))
		if errors.Is(err, transport.ErrNotFound) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out.Last = first.Sequence - 1
	}
	size := 0
	err = m.conn.EachFrom(ctx, transport.StreamReplies, subject, out.Last+1, func(msg *transport.Entry) bool {
		if size += len(msg.Data); size > maxEvents && len(out.Outcomes) > 0 {
			out.More = true
			return false
		}
		out.Last = msg.Sequence
		o := schema.StoredOutcome{Sequence: msg.Sequence, At: msg.Time.UTC()}
		if !transport.IsMarker(msg.Header) && json.Unmarshal(msg.Data, &o.Reply) == nil {
			out.Outcomes = append(out.Outcomes, o)
		}
		return true
	})
	return out, err
}

// Outcomes gives f the replies of a world in the order they were stored, until the context
// ends or f returns false: those behind a place, else those since a time, else those that
// come. What the broker repeats is only the bell: what is stored is asked for.
func (c *Client) Outcomes(ctx context.Context, world string, q schema.OutcomesQuery,
	f func(*schema.StoredOutcome) bool) error {
	if err := schema.CheckToken("world", world); err != nil {
		return err
	}
	bell := make(chan *transport.Message, 64)
	sub, err := c.conn.Core().ChanSubscribe(transport.LivePrefix+"reply."+world+".*.*.*", bell)
	if err != nil {
		return transport.Wrap(unanswered(err), "listen to the replies of %s", world)
	}
	defer func() { _ = sub.Unsubscribe() }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		goOn, err := c.nextOutcomes(ctx, world, &q, f)
		var denied *transport.RightError
		switch {
		case ctx.Err() != nil || err == nil && !goOn:
			return nil
		case err != nil && (first || errors.As(err, &denied)):
			return transport.Wrap(err, "replies of %s", world)
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

// nextOutcomes gives f what stands behind the query's place, and moves it on.
func (c *Client) nextOutcomes(ctx context.Context, world string, q *schema.OutcomesQuery,
	f func(*schema.StoredOutcome) bool) (goOn bool, err error) {
	for more := true; more; {
		var found schema.OutcomesFound
		if err := c.askAnswer(ctx, protocol.SubjectOutcomes(world), *q, &found); err != nil {
			return false, err
		}
		for i := range found.Outcomes {
			if ctx.Err() != nil || !f(&found.Outcomes[i]) {
				return false, nil
			}
		}
		*q = schema.OutcomesQuery{After: &found.Last}
		more = found.More
	}
	return true, nil
}
