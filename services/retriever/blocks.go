package retriever

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// stateBlocks word what the game says of this NPC in this turn, where the wording
// is certain: "mira.shop_open": true is "My shop is open." Only a claim about the
// state can rest on them. A block is added when the message names its words.
func stateBlocks(t *protocol.Turn, npc *world.NPC) []protocol.Evidence {
	asked := text.ContentSet(t.Retrieval.Query)
	var keys []string
	for key := range t.State {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var out []protocol.Evidence
	for _, key := range keys {
		value, ok := t.State[key].(bool)
		name, own := strings.CutPrefix(key, npc.Handle+".")
		words := strings.Split(name, "_")
		if !ok || !own || len(words) != 2 || !asked[text.Stem(words[0])] || !asked[text.Stem(words[1])] {
			continue
		}
		verb := "is"
		if !value {
			verb = "is not"
		}
		out = append(out, protocol.Evidence{
			ID: fmt.Sprintf("S%d", len(out)+1), SourceID: "state", ChunkID: "state:" + key, Path: "state:" + key, Type: "state",
			Text:  fmt.Sprintf("My %s %s %s.", words[0], verb, words[1]),
			Score: 1, AllowedFor: []string{string(schema.ClaimState)}, Private: true,
			Provenance: protocol.Provenance{Source: schema.OriginSystem, World: t.World, NPC: t.NPC, CreatedAt: t.AcceptedAt,
				IndexedAt: t.AcceptedAt},
		})
	}
	return out
}

// lineBlock is a line of the conversation as session evidence.
func lineBlock(t *protocol.Turn, npc *world.NPC, line schema.Line, n int) protocol.Evidence {
	who := "You said"
	if line.Speaker == "npc" {
		who = "I said"
	}
	var heard []string
	if line.Speaker != "npc" {
		heard = []string{line.Text}
	}
	return protocol.Evidence{Heard: heard,
		ID: fmt.Sprintf("M%d", n), SourceID: "session", ChunkID: "session:" + line.TurnID, Path: "session:" + line.TurnID,
		Type: "session", Text: fmt.Sprintf("%s: “%s”", who, oneLine(line.Text)), Score: 1, Private: true, At: line.At,
		AllowedFor: []string{string(schema.ClaimSharedPast)},
		Provenance: protocol.Provenance{Source: line.Source, World: t.World, NPC: npc.Handle, CreatedAt: line.At,
			IndexedAt: line.At},
	}
}

// oneLine keeps a quoted line one sentence long for the reader: inner quotation
// marks become single ones, and a long line is cut at a word.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.NewReplacer("“", "‘", "”", "’", `"`, "'").Replace(s)), " ")
	const most = 160
	if len(s) <= most {
		return s
	}
	cut := strings.LastIndexByte(s[:most], ' ')
	if cut < 0 {
		cut = most
	}
	return strings.ToValidUTF8(s[:cut], "") + "…"
}

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
