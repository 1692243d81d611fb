package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
)

// Confirm proposes an action to the game and waits for its answer. The proposal
// and the answer are each stored once, so a worker that asks again gets the
// first answer. Silence is no: accepted is false and the error nil.
func (m *Mesh) Confirm(ctx context.Context, t *schema.Turn, index int, a schema.Action, wait time.Duration) (accepted bool, err error) {
	data, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("action %d of turn %s: %w", index, t.TurnID, err)
	}
	convo := t.Conversation()
	answer := schema.SubjectActionResult(convo, t.TurnID, index)
	heard := make(chan *nats.Msg, 1)
	sub, err := m.conn.nc.ChanSubscribe(livePrefix+strings.TrimPrefix(answer, schema.Prefix), heard)
	if err != nil {
		return false, fmt.Errorf("listen for the answer to action %d: %w", index, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	_, err = m.publish(ctx, message(schema.SubjectAction(convo, t.TurnID, index), data))
	if err != nil && !isSubjectFull(err) {
		return false, err
	}
	again := isSubjectFull(err)
	if again { // asked before: the answer may be there
		if accepted, err := m.answered(ctx, answer); !errors.Is(err, ErrNotFound) {
			return accepted, err
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-heard:
	case <-timer.C:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	accepted, err = m.answered(ctx, answer)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return accepted, err
}

// answered reads the game's answer as it is stored.
func (m *Mesh) answered(ctx context.Context, subject string) (bool, error) {
	msg, err := m.conn.last(ctx, streamActions, subject)
	if err != nil {
		return false, err
	}
	var r schema.ActionResult
	if err := json.Unmarshal(msg.Data, &r); err != nil {
		return false, nil // an answer that cannot be read is no yes
	}
	return r.Accepted, nil
}

// Answer is the game's side of Confirm: the first answer stands.
func (c *Client) Answer(ctx context.Context, convo schema.ConversationID, turn string, index int, r schema.ActionResult) error {
	if err := checkTurn(convo, turn); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = c.conn.publish(ctx, message(schema.SubjectActionResult(convo, turn, index), data), c.attempt)
	if isSubjectFull(err) {
		return nil
	}
	return err
}

// Actions shows the actions of a world as they are proposed, until the context
// ends. It begins with those proposed from now on.
func (c *Client) Actions(ctx context.Context, world string, f func(Proposal)) error {
	if err := schema.CheckToken("world", world); err != nil {
		return err
	}
	sub, err := c.conn.nc.Subscribe(livePrefix+"action."+world+".>", func(msg *nats.Msg) {
		s, err := schema.ParseSubject(schema.Prefix + strings.TrimPrefix(msg.Subject, livePrefix))
		p := Proposal{Conversation: s.Conversation, Turn: s.Turn}
		if err != nil || json.Unmarshal(msg.Data, &p.Action) != nil {
			return
		}
		if _, err := fmt.Sscanf(s.Index, "%d", &p.Index); err == nil {
			f(p)
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	<-ctx.Done()
	return nil
}

// Proposal is an action that an NPC proposes to the game.
type Proposal struct {
	Conversation schema.ConversationID
	Turn         string
	Index        int
	Action       schema.Action
}
