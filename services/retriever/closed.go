package retriever

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// keepBack finds out whether the message asks for what is closed to this player: a
// document or a secret of the NPC's whose condition does not hold. Then the NPC
// refuses rather than answer something else; nothing of the text goes on.
func keepBack(ctx context.Context, t *protocol.Turn, x *lore.Lore, query retrieval.Query) error {
	closed := slices.ContainsFunc(t.Retrieval.Rejected,
		func(c protocol.Count) bool { return c.Name == grounding.RejectRequires && c.N > 0 })
	if !closed || t.Retrieval.Confidence+surer(t.Retrieval.Zone) >= 1 { // nothing can be surer
		return nil
	}
	query.Gated, query.TopK = true, 1
	query.Check.Holds = func(string) bool { return true }
	all, err := x.Index.CitationQuery(ctx, query)
	if err != nil {
		return err
	}
	if !asksFor(&all, t.Retrieval) {
		return nil
	}
	best := all.Sources[0]
	if requires := best.Provenance.Requires; requires == "" || lore.Holds(requires, lore.Facts(t)) {
		return nil
	}
	t.Retrieval.Gated = schema.ReasonRequires
	if best.Type == "secret" {
		t.Retrieval.Gated = schema.ReasonSecret
	}
	t.Sources, t.Evidence = nil, nil
	return nil
}

// asksFor says whether the best of all there is, open and closed, is what the message
// asks for: it is the likelier answer by a margin, a word of the message stands in
// it, and a message that only states something could be answered by nothing else.
// Whoever is refused learns that there is something to refuse, and may have meant
// nothing of the kind: to come near is not enough.
func asksFor(all *retrieval.Result, open *protocol.Retrieval) bool {
	switch {
	case len(all.Sources) == 0 || !all.Named || all.Retrieval.Confidence < open.Confidence+surer(open.Zone):
		return false
	case open.Intent == protocol.IntentQuestion || open.Intent == protocol.IntentAction:
		return all.Retrieval.Zone == protocol.ZoneExtractive || all.Retrieval.Zone == protocol.ZoneModel
	}
	return all.Retrieval.Zone == protocol.ZoneModel
}

// surer is by how much a closed answer must be the better one: where an open one
// is likely to answer, it is given.
func surer(open protocol.Zone) float64 {
	switch open {
	case protocol.ZoneModel:
		return 0.15
	case protocol.ZoneExtractive:
		return 0.10
	}
	return 0
}
