package mesh

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
)

// ServeWorlds has Run say which worlds are served.
func (m *Mesh) ServeWorlds(list func() []schema.WorldInfo) {
	all := func(context.Context, *nats.Msg) (any, error) { return protocol.WorldsFound{Worlds: list()}, nil }
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
