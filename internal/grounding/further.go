package grounding

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Further are the blocks of some chunks that stand nearest to a claim and are not
// among the blocks at hand, under the next free ids. Every chunk is held against the
// provenance contract first.
func Further(
	chunks []protocol.Chunk, claim string, have []protocol.Evidence, check Check, handle string, most int,
) []protocol.Evidence {
	var sources []protocol.Source
	seen := map[string]bool{}
	for _, c := range chunks {
		if _, ok := Eligible(c, check); !ok || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		src := SourceOf(c, strconv.Itoa(len(sources)+1), 0)
		src.Private = c.NPC != "" && c.NPC == handle
		sources = append(sources, src)
	}
	blocks := Blocks(sources, Limits{MaxChars: DefaultLimits.MaxChars, MaxBlocks: 64, MaxTokens: 1 << 20})
	blocks = slices.DeleteFunc(blocks, func(e protocol.Evidence) bool {
		return slices.ContainsFunc(have, func(h protocol.Evidence) bool { return h.Text == e.Text && h.Path == e.Path })
	})
	slices.SortStableFunc(blocks, func(a, b protocol.Evidence) int {
		return cmp.Compare(entail.Share(b.Text, claim), entail.Share(a.Text, claim))
	})
	blocks = blocks[:min(len(blocks), most)]
	for i := range blocks {
		blocks[i].SourceID = "rav"
		blocks[i].ID = NextID(slices.Concat(have, blocks[:i]))
	}
	return blocks
}

// NextID is the first free id of a block: E1, E2, ….
func NextID(all []protocol.Evidence) string {
	top := 0
	for i := range all {
		if digits, ok := strings.CutPrefix(all[i].ID, "E"); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				top = max(top, n)
			}
		}
	}
	return fmt.Sprintf("E%d", top+1)
}

// SourceOf makes a citable source of a chunk, with all the provenance that the
// reviewer checks again. Whether it is the asking NPC's own note is for the caller
// to say.
func SourceOf(c protocol.Chunk, id string, score float64) protocol.Source {
	return protocol.Source{
		ID: id, Path: c.Path, Page: c.Page, ChunkID: c.ID, Type: c.Type, Summary: c.Summary, Content: c.Text,
		Keywords:   c.Keywords,
		AllowedFor: c.AllowedFor, Score: score, Author: c.Author, Speaker: c.Speaker, At: c.At, Belief: c.Belief,
		Provenance: ProvenanceOf(c),
	}
}

// ProvenanceOf is where a chunk comes from.
func ProvenanceOf(c protocol.Chunk) protocol.Provenance {
	return protocol.Provenance{Source: c.Source, IndexedAt: c.IndexedAt, CreatedAt: c.CreatedAt, ValidFrom: c.ValidFrom,
		ValidTo: c.ValidTo,
		World:   c.World, NPC: c.NPC, Hash: c.Hash, KnownBy: c.KnownBy, Requires: c.Requires}
}
