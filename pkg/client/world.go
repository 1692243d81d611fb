package client

import (
	"context"
	"errors"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
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
