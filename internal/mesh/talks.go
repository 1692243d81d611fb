package mesh

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// answerConversation answers svc.conversation.<world>.
func (m *Mesh) answerConversation(ctx context.Context, world string, query []byte) (any, error) {
	var q protocol.ConversationQuery
	if err := readQuery(query, &q); err != nil {
		return nil, err
	}
	id := schema.ConversationID{World: world, NPC: q.NPC, Player: q.Player}
	if err := checkTurn(id, "any"); err != nil {
		return nil, err
	}
	if q.Reset {
		if err := m.change(ctx, id, "", forget); err != nil {
			return nil, err
		}
	}
	doc, err := readConversation(ctx, m.conn, id)
	return doc.Conversation, err
}

// forget empties a conversation. Which turns it has taken stays, or they would be taken
// again.
func forget(doc *schema.Conversation) bool {
	if len(doc.Memory) == 0 && doc.Opinion == "" && doc.Trust == 0 &&
		len(doc.Favours)+len(doc.Ledger)+len(doc.Steps) == 0 {
		return false
	}
	doc.Memory, doc.Opinion, doc.Favours, doc.Trust = nil, "", nil, 0
	doc.Ledger, doc.Steps = nil, nil
	return true
}

// Talk asks the mesh for a conversation; one that never was is empty.
func (c *Client) Talk(ctx context.Context, id schema.ConversationID, reset bool) (*schema.Conversation, error) {
	if err := checkTurn(id, "any"); err != nil {
		return nil, err
	}
	var out schema.Conversation
	err := c.askAnswer(ctx, protocol.SubjectConversation(id.World), protocol.ConversationQuery{NPC: id.NPC,
		Player: id.Player, Reset: reset}, &out)
	return &out, transport.Wrap(err, "conversation %s", id)
}

// ServeMemories has Run answer what is asked about memories.
func (m *Mesh) ServeMemories(find func(ctx context.Context, world string, q schema.MemoriesQuery) (schema.MemoriesFound,
	error)) {
	m.answer(protocol.SubjectMemories, "memories", func(ctx context.Context, world string, query []byte) (any, error) {
		var q schema.MemoriesQuery
		if err := readQuery(query, &q); err != nil {
			return nil, err
		}
		return find(ctx, world, q)
	})
}

// Memories asks the mesh for what the NPCs of a world remember.
func (c *Client) Memories(ctx context.Context, world string, q schema.MemoriesQuery) (*schema.MemoriesFound, error) {
	if err := schema.CheckToken("world", world); err != nil {
		return nil, err
	}
	var out schema.MemoriesFound
	err := c.askAnswer(ctx, protocol.SubjectMemories(world), q, &out)
	return &out, transport.Wrap(err, "memories of %s", world)
}

// Messages gives every message that a stream holds, in order and as it stands, to
// those who check what a run has left behind. id is its Nats-Msg-Id. A stream asks
// for one message at a time: it is not for what is served.
func (c *Client) Messages(
	ctx context.Context, stream string, f func(subject, id string, sequence uint64, at time.Time, data []byte) error,
) error {
	var failed error
	err := c.conn.Each(ctx, stream, ">", func(msg *transport.Entry) bool {
		if transport.IsMarker(msg.Header) {
			return true
		}
		failed = f(msg.Subject, msg.Header.Get(transport.HeaderID), msg.Sequence, msg.Time.UTC(), msg.Data)
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return err
}

// Undone is what each consumer of the mesh has yet to do or has in hand; one with
// nothing to do is not named.
func (c *Client) Undone(ctx context.Context) (map[string]uint64, error) {
	consumers, err := c.consumers(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]uint64{}
	for _, x := range consumers {
		if n := x.Waiting + uint64(max(x.Taken, 0)); n > 0 { //nolint:gosec // it is not negative
			out[x.Name] = n
		}
	}
	return out, nil
}
