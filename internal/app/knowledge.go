package app

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/retriever"
)

// knowledge searches for what an NPC may know, as Pass 1 does. No model is asked, and no
// memory: those have a door of their own.
func (a *App) knowledge(o Options) func(context.Context, string, schema.KnowledgeQuery) (schema.KnowledgeFound, error) {
	search := retriever.New(a.Library, retriever.Options{})
	return func(ctx context.Context, world string, q schema.KnowledgeQuery) (schema.KnowledgeFound, error) {
		t := &protocol.Turn{AcceptedAt: o.now(), Request: schema.Request{TurnID: "knowledge", World: world, NPC: q.NPC,
			Player: "nobody", Message: q.Question, Trust: &q.Trust, Flags: q.Flags}}
		out := schema.KnowledgeFound{NPC: q.NPC, Passages: []schema.Knowledge{}}
		if err := t.Request.Validate(); err != nil {
			return out, err
		}
		x := a.Library.Get(world)
		if x == nil || x.World.NPCs[q.NPC] == nil {
			return out, fmt.Errorf("%s in %s: %w", q.NPC, world, transport.ErrNotFound)
		}
		if _, err := search.Retrieve(ctx, t); err != nil {
			return out, err
		}
		r := t.Retrieval
		out.Question, out.Confidence, out.Zone = r.Query, r.Confidence, string(r.Zone)
		out.Withheld, out.Unknown = r.Gated, t.Unknown
		for i := range t.Sources {
			s := &t.Sources[i]
			out.Passages = append(out.Passages, schema.Knowledge{Path: s.Path, Page: s.Page, Text: s.Content,
				Score: s.Score})
		}
		return out, nil
	}
}
