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
	"github.com/nats-io/nats.go/jetstream"
)

// Confirm proposes an action to the game and waits for its answer. The proposal
// and the answer are each stored once, so a worker that asks again gets the
// first answer. Silence is no: accepted is false and the error nil.
func (m *Mesh) Confirm(
	ctx context.Context, t *protocol.Turn, index int, a schema.Action, wait time.Duration,
) (accepted bool, err error) {
	data, err := json.Marshal(acting(a, t.Scene, t.NPC, t.Player))
	if err != nil {
		return false, fmt.Errorf("action %d of turn %s: %w", index, t.TurnID, err)
	}
	convo := t.Conversation()
	answer := protocol.SubjectActionResult(convo, t.TurnID, index)
	heard := make(chan *transport.Message, 1)
	sub, err := m.conn.Core().ChanSubscribe(transport.LivePrefix+strings.TrimPrefix(answer, protocol.Prefix), heard)
	if err != nil {
		return false, fmt.Errorf("listen for the answer to action %d: %w", index, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	_, err = m.publish(ctx, transport.NewMessage(protocol.SubjectAction(convo, t.TurnID, index), data))
	if err != nil && !transport.IsSubjectFull(err) {
		return false, err
	}
	again := transport.IsSubjectFull(err)
	if again { // asked before: the answer may be there
		if accepted, err := m.answered(ctx, answer); !errors.Is(err, transport.ErrNotFound) {
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
	if errors.Is(err, transport.ErrNotFound) {
		return false, nil
	}
	return accepted, err
}

// answered reads the game's answer as it is stored.
func (m *Mesh) answered(ctx context.Context, subject string) (bool, error) {
	msg, err := m.conn.Last(ctx, transport.StreamActions, subject)
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
func (c *Client) Answer(
	ctx context.Context, convo schema.ConversationID, turn string, index int, r schema.ActionResult,
) error {
	if err := checkTurn(convo, turn); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	_, err = c.conn.Publish(ctx, transport.NewMessage(protocol.SubjectActionResult(convo, turn, index), data), c.attempt)
	if transport.IsSubjectFull(err) {
		return nil
	}
	return transport.Wrap(unanswered(err), "answer to action %d of turn %s", index, turn)
}

// Proposal is an action that an NPC proposes to the game.
type Proposal struct {
	Conversation schema.ConversationID
	Turn         string
	Index        int
	Action       schema.Action
	At           time.Time // when it was proposed, by the broker's clock
}

// Actions gives f the actions that a world's NPCs propose, one after the other and
// each at least once, from those stored at the time since (zero: from now on),
// until the context ends. One that the game has answered before this call is left
// out. It begins again by itself where a connection or a broker has broken.
func (c *Client) Actions(ctx context.Context, world string, since time.Time, f func(Proposal)) error {
	if err := schema.CheckToken("world", world); err != nil {
		return err
	}
	if c.backend {
		return transport.Wrap(c.askActions(ctx, world, since, f), "listen to the actions of %s", world)
	}
	began := time.Now()
	from := jetstream.OrderedConsumerConfig{FilterSubjects: []string{protocol.Prefix + "action." + world + ".>"},
		DeliverPolicy: jetstream.DeliverNewPolicy}
	if !since.IsZero() {
		from.DeliverPolicy, from.OptStartTime = jetstream.DeliverByStartTimePolicy, &since
	}
	consumer, err := c.conn.JetStream().OrderedConsumer(ctx, transport.StreamActions, from)
	if err != nil {
		return fmt.Errorf("listen to the actions of %s: %w", world, unanswered(err))
	}
	consuming, err := consumer.Consume(func(msg jetstream.Msg) {
		p, err := proposal(msg)
		if err != nil || p.At.Before(began) && c.isAnswered(ctx, p) || ctx.Err() != nil {
			return // of another tongue, or settled
		}
		f(p)
	}, jetstream.PullHeartbeat(transport.PullHeartbeat), jetstream.PullExpiry(30*time.Second))
	if err != nil {
		return fmt.Errorf("listen to the actions of %s: %w", world, unanswered(err))
	}
	select {
	case <-ctx.Done():
		err = nil
	case <-c.conn.Closed():
		err = transport.ErrDisconnected
	}
	consuming.Stop()
	<-consuming.Closed()
	return err
}

func proposal(msg jetstream.Msg) (Proposal, error) {
	s, err := protocol.ParseSubject(msg.Subject())
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{Conversation: s.Conversation, Turn: s.Turn}
	if p.Index, err = strconv.Atoi(s.Index); err != nil {
		return p, err
	}
	meta, err := msg.Metadata()
	if err != nil {
		return p, err
	}
	p.At = meta.Timestamp.UTC()
	return p, json.Unmarshal(msg.Data(), &p.Action)
}

// isAnswered says whether the game has answered an action; where nobody can tell,
// it has not.
func (c *Client) isAnswered(ctx context.Context, p Proposal) bool {
	ctx, cancel := bounded(ctx)
	defer cancel()
	_, err := c.conn.Last(ctx, transport.StreamActions, protocol.SubjectActionResult(p.Conversation, p.Turn, p.Index))
	return err == nil
}
