package client

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What an operator's window reads and does. The user of a game server has no right to it.

// Trace is every pass of a turn, in the order they were done; ErrNotFound where none is
// kept. Traces are kept for seven days.
func (c *Client) Trace(ctx context.Context, convo schema.ConversationID, turnID string) ([]protocol.Trace, error) {
	found, err := c.mesh.TurnTrace(ctx, convo, turnID)
	return found, owned(err)
}

// Outcomes gives do the replies of a world's turns in the order they were stored, until ctx
// ends (nil), do returns false (nil) or the client is closed (ErrDisconnected). They begin
// behind a place (After), else at a time (Since), else now.
func (c *Client) Outcomes(ctx context.Context, world string, q schema.OutcomesQuery,
	do func(*schema.StoredOutcome) bool) error {
	return owned(c.mesh.Outcomes(ctx, world, q, do))
}

// Letters are the dead letters of a world behind a place.
func (c *Client) Letters(ctx context.Context, world string, q schema.LettersQuery) (*schema.LettersFound, error) {
	found, err := c.mesh.Letters(ctx, world, q)
	return found, owned(err)
}

// Retry has the reader of a dead letter try its message again; the letter goes where it
// succeeds. ErrInvalid, with the reason, where it fails again or where its turn is over.
func (c *Client) Retry(ctx context.Context, world string, number uint64) error {
	return owned(c.mesh.Retry(ctx, world, number))
}

// Resolve settles a contradiction between memories, and gives the entry of the log.
func (c *Client) Resolve(ctx context.Context, world string, q schema.ResolveQuery) (*schema.MemoryEvent, error) {
	found, err := c.mesh.Resolve(ctx, world, q)
	return found, owned(err)
}
