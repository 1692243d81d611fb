package retriever

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
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
