package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
)

// handleQuery answers svc.turn: what became of a turn, for a backend that speaks
// NATS and has no stream reader.
func (m *Mesh) handleQuery(ctx context.Context, msg *nats.Msg) {
	ctx, stop := context.WithTimeout(ctx, messageTimeout)
	defer stop()
	out, err := m.outcome(ctx, msg.Data)
	if err != nil {
		out = &schema.TurnOutcome{State: schema.TurnUnknown, Error: err.Error()}
	}
	if data, err := json.Marshal(out); err == nil && msg.Reply != "" {
		_ = msg.Respond(data)
	}
}

func (m *Mesh) outcome(ctx context.Context, query []byte) (*schema.TurnOutcome, error) {
	var q schema.TurnQuery
	if err := json.Unmarshal(query, &q); err != nil {
		return nil, fmt.Errorf("the query is not JSON such as {\"world\":…,\"npc\":…,\"player\":…,\"turn_id\":…}: %w", err)
	}
	convo := schema.ConversationID{World: q.World, NPC: q.NPC, Player: q.Player}
	if err := checkTurn(convo, q.TurnID); err != nil {
		return nil, err
	}
	// The queue first: a turn leaves it after its reply is stored, so that one that
	// ends between the two reads is found by the second.
	_, err := m.conn.queued(ctx, convo, q.TurnID)
	waiting := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	if err := m.step("query.looked"); err != nil {
		return nil, err
	}
	stored, err := m.conn.reply(ctx, convo, q.TurnID)
	switch {
	case err == nil && stored.Reply != nil:
		return &schema.TurnOutcome{State: schema.TurnEnded, Reply: stored.Reply, RepliedAt: stored.At}, nil
	case err != nil && !errors.Is(err, ErrNotFound):
		return nil, err
	case waiting:
		return &schema.TurnOutcome{State: schema.TurnWaiting}, nil
	}
	return &schema.TurnOutcome{State: schema.TurnUnknown}, nil
}

// Outcome asks the running mesh what became of a turn, whoever said it and
// whenever.
func (c *Client) Outcome(ctx context.Context, convo schema.ConversationID, turn string) (*schema.TurnOutcome, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	query, err := json.Marshal(schema.TurnQuery{World: convo.World, NPC: convo.NPC, Player: convo.Player, TurnID: turn})
	if err != nil {
		return nil, err
	}
	answer, _, err := c.ask(ctx, message(schema.SubjectTurnOutcome, query))
	if err != nil {
		return nil, fmt.Errorf("ask for turn %s: %w", turn, err)
	}
	var out schema.TurnOutcome
	if err := json.Unmarshal(answer.Data, &out); err != nil {
		return nil, fmt.Errorf("outcome of turn %s is not JSON: %w", turn, err)
	}
	if out.Error != "" {
		return nil, fmt.Errorf("ask for turn %s: %s", turn, out.Error)
	}
	return &out, nil
}
