package retriever

import (
	"context"
	"slices"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

// A complex question is thought about with more, and with longer stretches, than a plain one.
const (
	topKComplex   = 32 // passages of the search
	passagesApart = 2  // how far before and behind each of them its document is shown
	maxSources    = 96
)

// more adds sources to a complex question about which a model thinks: what the search finds
// further down, and what stands around it all in its documents. The evidence stays as it is:
// a source that stands beside it gives a block only once a thought rests on it.
func more(ctx context.Context, t *protocol.Turn, x *lore.Lore, a *model.Turn, query retrieval.Query) error {
	if a == nil || a.Lean() || t.Class != protocol.ClassComplex || len(t.Sources) == 0 {
		return nil
	}
	query.TopK = topKComplex
	found, err := x.Index.Search(ctx, query)
	if err != nil {
		return err
	}
	known, last := map[string]bool{}, 0
	for _, src := range t.Sources {
		n, _ := strconv.Atoi(src.ID)
		known[src.ChunkID], last = true, max(last, n)
	}
	add := func(src protocol.Source) {
		if known[src.ChunkID] || len(t.Sources) >= maxSources {
			return
		}
		last++
		known[src.ChunkID], src.ID, src.Beside, src.Keywords = true, strconv.Itoa(last), true, nil
		t.Sources = append(t.Sources, src)
	}
	for _, src := range found {
		add(src)
	}
	for _, src := range slices.Clone(t.Sources) {
		for _, c := range around(x.Index.Document(src.Path), src, query.Check) {
			beside := grounding.SourceOf(c, "", 0)
			beside.Private = c.NPC != "" && c.NPC == query.NPC.Handle
			add(beside)
		}
	}
	return nil
}

// around are the passages before and behind a source in its document that the NPC may cite.
// A document of several parts, such as an NPC's file, gives only those of the same part.
func around(document []protocol.Chunk, src protocol.Source, check grounding.Check) []protocol.Chunk {
	at := slices.IndexFunc(document, func(c protocol.Chunk) bool { return c.ID == src.ChunkID })
	if at < 0 {
		return nil
	}
	near := document[max(0, at-passagesApart):min(len(document), at+passagesApart+1)]
	return slices.DeleteFunc(slices.Clone(near), func(c protocol.Chunk) bool {
		_, ok := grounding.Eligible(c, check)
		return !ok || c.ID == src.ChunkID || c.Type != src.Type || c.Requires != src.Provenance.Requires
	})
}
