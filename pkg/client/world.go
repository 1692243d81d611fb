package client

import (
	"context"
	"errors"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Worlds are the worlds that the mesh serves, with their NPCs. A login that is kept to
// one world may not ask it: see World.
func (c *Client) Worlds(ctx context.Context) ([]schema.WorldInfo, error) {
	found, err := c.mesh.Worlds(ctx)
	return found, owned(err)
}

// World is one world and its NPCs; ErrNotFound where the mesh serves none of that name.
func (c *Client) World(ctx context.Context, name string) (*schema.WorldInfo, error) {
	found, err := c.mesh.World(ctx, name)
	return found, owned(err)
}

// Conversation is what an NPC keeps in mind of a player: the last lines, its opinion,
// favours and trust. One that never was is empty.
func (c *Client) Conversation(ctx context.Context, convo schema.ConversationID) (*schema.Conversation, error) {
	found, err := c.mesh.Talk(ctx, convo, false)
	return found, owned(err)
}

// Reset has the NPC forget the conversation: the next turn begins a new one. What it
// remembers beyond the conversation stays.
func (c *Client) Reset(ctx context.Context, convo schema.ConversationID) (*schema.Conversation, error) {
	found, err := c.mesh.Talk(ctx, convo, true)
	return found, owned(err)
}

// Memories are what the NPCs of a world remember, as far as the query asks for it, at
// most schema.MaxMemories at a time.
func (c *Client) Memories(ctx context.Context, world string, q schema.MemoriesQuery) (*schema.MemoriesFound, error) {
	found, err := c.mesh.Memories(ctx, world, q)
	return found, owned(err)
}

// Knowledge is what an NPC may know about a question: the search of a turn by itself.
// The user of a game server has no right to it.
func (c *Client) Knowledge(ctx context.Context, world string, q schema.KnowledgeQuery) (*schema.KnowledgeFound, error) {
	found, err := c.mesh.Knowledge(ctx, world, q)
	return found, owned(err)
}

// Connected says whether the broker is reached now. Calls wait for it otherwise.
func (c *Client) Connected() bool { return c.conn.Connected() }

// Health says why the mesh cannot answer now: ErrUnreachable, where the broker or all
// services are away; nil where a turn that is said now will be answered.
func (c *Client) Health(ctx context.Context) error {
	_, err := c.mesh.World(ctx, "health") // an answer is enough, whatever it says
	var denied *transport.RightError
	if errors.Is(err, ErrNotFound) || errors.As(err, &denied) {
		return nil
	}
	return err
}

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
