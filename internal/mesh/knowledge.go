package mesh

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
