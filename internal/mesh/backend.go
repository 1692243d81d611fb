package mesh

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// NewBackend makes a client for a game's server: one that needs no right to any
// stream. What NewClient's reads there, this one asks the mesh's services for, on
// subjects of one world each.
func NewBackend(conn *transport.Conn) *Client {
	c := NewClient(conn)
	c.backend = true
	return c
}

// snapshot is what is stored of a turn behind a place of its events.
type snapshot struct {
	events  []schema.StoredSaid
	reply   *transport.StoredReply // nil: none yet
	expired bool                   // it had a reply, which is kept no more
	over    bool                   // no other event follows
	more    bool                   // there are more events
}

// snapshot reads what is stored of a turn.
func (c *Client) snapshot(
	ctx context.Context, convo schema.ConversationID, turn string, after uint64,
) (snapshot, error) {
	if !c.backend {
		return c.readTurn(ctx, convo, turn, after)
	}
	ctx, stop := context.WithTimeout(ctx, c.attempt) // what comes meanwhile waits
	defer stop()
	out, err := c.askTurn(ctx, convo, turn, &after)
	if err != nil {
		return snapshot{}, err
	}
	s := snapshot{events: out.Events, expired: out.Expired, over: out.Over, more: out.More}
	if out.Reply != nil {
		s.reply = &transport.StoredReply{At: out.RepliedAt, Reply: out.Reply}
	}
	return s, nil
}

func (c *Client) readTurn(
	ctx context.Context, convo schema.ConversationID, turn string, after uint64,
) (s snapshot, err error) {
	read := func() error {
		return c.conn.EachFrom(ctx, transport.StreamSaid, protocol.SubjectSaid(convo, turn), after+1,
			func(msg *transport.Entry) bool {
				e := schema.StoredSaid{Sequence: msg.Sequence, At: msg.Time}
				if json.Unmarshal(msg.Data, &e.Event) == nil {
					s.events = append(s.events, e)
				}
				after = msg.Sequence
				return true
			})
	}
	if err := read(); err != nil {
		return s, err
	}
	stored, err := c.conn.Reply(ctx, convo, turn)
	switch {
	case errors.Is(err, transport.ErrNotFound):
		return s, nil
	case err != nil:
		return s, err
	case stored.Reply == nil:
		s.expired = true
		return s, nil
	}
	s.reply = stored
	// Events are kept for a shorter time than the reply. A turn that has left its
	// queue has had its last one, so that it is stored by now or has expired.
	if _, err := QueuedTurn(ctx, c.conn, convo, turn); errors.Is(err, transport.ErrNotFound) {
		s.over = read() == nil
	}
	return s, nil
}

// storedReply is the reply of a turn; ErrNotFound when it has none yet.
func (c *Client) storedReply(
	ctx context.Context, convo schema.ConversationID, turn string,
) (*transport.StoredReply, error) {
	if !c.backend {
		return c.conn.Reply(ctx, convo, turn)
	}
	out, err := c.askTurn(ctx, convo, turn, nil)
	switch {
	case err != nil:
		return nil, err
	case out.Reply != nil:
		return &transport.StoredReply{At: out.RepliedAt, Reply: out.Reply}, nil
	case out.Expired:
		return &transport.StoredReply{}, nil
	}
	return nil, transport.ErrNotFound
}

// isKnown says whether a turn of this conversation waits or has ended.
func (c *Client) isKnown(ctx context.Context, convo schema.ConversationID, turn string) (bool, error) {
	if c.backend {
		out, err := c.askTurn(ctx, convo, turn, nil)
		return err == nil && (out.State != schema.TurnUnknown || out.Expired), err
	}
	if _, err := QueuedTurn(ctx, c.conn, convo, turn); !errors.Is(err, transport.ErrNotFound) {
		return err == nil, err
	}
	// A turn leaves the queue after its reply is stored.
	_, err := c.conn.Reply(ctx, convo, turn)
	if errors.Is(err, transport.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
