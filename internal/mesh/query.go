package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// maxEvents bounds the bytes of events or actions in one answer, so that it fits
// into a message with a reply beside them.
const maxEvents = 256 << 10

// maxAnswer bounds an answer as a whole.
const maxAnswer = 900 << 10

// respond answers whoever asked, at an inbox. What asks for an answer elsewhere
// would have it written there by this process, which may write where the asker may
// not: it gets none.
func respond(msg *transport.Message, data []byte) {
	if isInbox(msg.Reply) {
		_ = msg.Respond(data)
	}
}

func isInbox(subject string) bool {
	return subject != "" && !strings.HasPrefix(subject, "forsooth.") && !strings.HasPrefix(subject, "$")
}

// handleQuery answers svc.turn and svc.turn.<world>: what became of a turn, for a
// backend that has no right to the streams, or reads none.
func (m *Mesh) handleQuery(ctx context.Context, msg *transport.Message) {
	ctx, stop := context.WithTimeout(ctx, messageTimeout)
	defer stop()
	out, err := m.outcome(ctx, msg.Subject, msg.Data)
	if err != nil {
		out = &schema.TurnOutcome{State: schema.TurnUnknown, Error: err.Error()}
	}
	data, err := json.Marshal(out)
	if err == nil && len(data) > maxAnswer && len(out.Events) > 0 {
		out.Reply, out.More, out.Over = nil, true, false // it comes with the next answer
		data, err = json.Marshal(out)
	}
	if err == nil {
		respond(msg, data)
	}
}

func (m *Mesh) outcome(ctx context.Context, subject string, query []byte) (*schema.TurnOutcome, error) {
	var q protocol.TurnQuery
	if err := json.Unmarshal(query, &q); err != nil {
		return nil, fmt.Errorf("the query is not JSON such as "+
			"{\"world\":…,\"npc\":…,\"player\":…,\"turn_id\":…}: %w", err)
	}
	if world, one := strings.CutPrefix(subject, protocol.SubjectTurnOutcome+"."); one && q.World != world {
		return nil, fmt.Errorf("the query is for world %q; ask for it on %s", q.World, protocol.SubjectTurnOutcomeOf(q.World))
	}
	convo := schema.ConversationID{World: q.World, NPC: q.NPC, Player: q.Player}
	if err := checkTurn(convo, q.TurnID); err != nil {
		return nil, err
	}
	out, err := m.state(ctx, convo, q.TurnID)
	if err != nil || q.After == nil {
		return out, err
	}
	if out.State == schema.TurnEnded {
		// Looked for after its reply was seen: a turn that has left its queue has had its
		// last event, so that it is read below or has expired.
		_, err := QueuedTurn(ctx, m.conn, convo, q.TurnID)
		out.Over = errors.Is(err, transport.ErrNotFound)
	}
	size := 0
	err = m.conn.EachFrom(ctx, transport.StreamSaid, protocol.SubjectSaid(convo, q.TurnID), *q.After+1,
		func(msg *transport.Entry) bool {
			if size += len(msg.Data); size > maxEvents && len(out.Events) > 0 {
				out.More, out.Over = true, false
				return false
			}
			e := schema.StoredSaid{Sequence: msg.Sequence, At: msg.Time.UTC()}
			if json.Unmarshal(msg.Data, &e.Event) == nil {
				out.Events = append(out.Events, e)
			}
			return true
		})
	return out, err
}

// state is how far a turn is.
func (m *Mesh) state(ctx context.Context, convo schema.ConversationID, turn string) (*schema.TurnOutcome, error) {
	// The queue first: a turn leaves it after its reply is stored, so that one that
	// ends between the two reads is found by the second.
	asked, err := queuedMessage(ctx, m.conn, convo, turn)
	if err != nil && !errors.Is(err, transport.ErrNotFound) {
		return nil, err
	}
	if err := m.step("query.looked"); err != nil {
		return nil, err
	}
	stored, err := m.conn.Reply(ctx, convo, turn)
	switch {
	case err == nil && stored.Reply != nil:
		return &schema.TurnOutcome{State: schema.TurnEnded, Reply: stored.Reply, RepliedAt: stored.At}, nil
	case err != nil && !errors.Is(err, transport.ErrNotFound):
		return nil, err
	case asked != nil:
		return &schema.TurnOutcome{State: schema.TurnWaiting, Player: playerIn(asked.Data)}, nil
	}
	return &schema.TurnOutcome{State: schema.TurnUnknown, Expired: err == nil}, nil
}

// playerIn is who speaks in a message on TURNS; empty where its body does not say it.
func playerIn(data []byte) string {
	var said struct {
		Player string `json:"player"`
	}
	if json.Unmarshal(data, &said) != nil {
		return ""
	}
	return said.Player
}

// Outcome asks the running mesh what became of a turn, whoever said it and
// whenever.
func (c *Client) Outcome(ctx context.Context, convo schema.ConversationID, turn string) (*schema.TurnOutcome, error) {
	return c.askTurn(ctx, convo, turn, nil)
}

// askTurn asks what became of a turn, and for its events behind a place if one is
// given.
func (c *Client) askTurn(
	ctx context.Context, convo schema.ConversationID, turn string, after *uint64,
) (*schema.TurnOutcome, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	subject := protocol.SubjectTurnOutcome
	if c.backend {
		subject = protocol.SubjectTurnOutcomeOf(convo.World)
	}
	var out schema.TurnOutcome
	query := protocol.TurnQuery{World: convo.World, NPC: convo.NPC, Player: convo.Player, TurnID: turn, After: after}
	if err := c.askJSON(ctx, subject, query, &out); err != nil {
		return nil, fmt.Errorf("ask for turn %s: %w", turn, err)
	}
	if out.Error != "" {
		return nil, fmt.Errorf("ask for turn %s: %s", turn, out.Error)
	}
	return &out, nil
}

// askJSON puts a question to a service of the mesh and reads its answer.
func (c *Client) askJSON(ctx context.Context, subject string, query, answer any) error {
	data, err := json.Marshal(query)
	if err != nil {
		return err
	}
	msg, _, err := c.ask(ctx, transport.NewMessage(subject, data))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(msg.Data, answer); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	return nil
}

// ServeWorlds has Run say which worlds are served.
func (m *Mesh) ServeWorlds(list func() []schema.WorldInfo) {
	all := func(context.Context, *transport.Message) (any, error) {
		return protocol.WorldsFound{Worlds: list()}, nil
	}
	m.answerOn(protocol.SubjectWorlds, "worlds", all)
	m.answer(protocol.SubjectWorld, "worlds", func(_ context.Context, world string, _ []byte) (any, error) {
		for _, w := range list() {
			if w.Name == world {
				return protocol.WorldsFound{Worlds: []schema.WorldInfo{w}}, nil
			}
		}
		return nil, fmt.Errorf("world %s: %w", world, transport.ErrNotFound)
	})
}

// Worlds are all worlds that the mesh serves.
func (c *Client) Worlds(ctx context.Context) ([]schema.WorldInfo, error) {
	var out protocol.WorldsFound
	err := c.askAnswer(ctx, protocol.SubjectWorlds, struct{}{}, &out)
	return out.Worlds, transport.Wrap(err, "worlds")
}

// World is one world that the mesh serves; ErrNotFound where it serves none of that name.
func (c *Client) World(ctx context.Context, name string) (*schema.WorldInfo, error) {
	if err := schema.CheckToken("world", name); err != nil {
		return nil, err
	}
	var out protocol.WorldsFound
	if err := c.askAnswer(ctx, protocol.SubjectWorld(name), struct{}{}, &out); err != nil {
		return nil, err
	}
	if len(out.Worlds) != 1 {
		return nil, fmt.Errorf("world %s: the answer holds %d worlds", name, len(out.Worlds))
	}
	return &out.Worlds[0], nil
}

// ServeKnowledge has Run answer what an NPC may know about a question.
func (m *Mesh) ServeKnowledge(find func(ctx context.Context, world string,
	q schema.KnowledgeQuery) (schema.KnowledgeFound, error)) {
	m.answer(protocol.SubjectKnowledge, "knowledge", func(ctx context.Context, world string, query []byte) (any, error) {
		var q schema.KnowledgeQuery
		if err := readQuery(query, &q); err != nil {
			return nil, err
		}
		return find(ctx, world, q)
	})
}

// Knowledge asks the mesh for what an NPC may know about a question.
func (c *Client) Knowledge(ctx context.Context, world string, q schema.KnowledgeQuery) (*schema.KnowledgeFound, error) {
	for field, value := range map[string]string{"world": world, "npc": q.NPC} {
		if err := schema.CheckToken(field, value); err != nil {
			return nil, err
		}
	}
	var out schema.KnowledgeFound
	err := c.askAnswer(ctx, protocol.SubjectKnowledge(world), q, &out)
	return &out, transport.Wrap(err, "knowledge of %s in %s", q.NPC, world)
}
