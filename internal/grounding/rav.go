package grounding

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// RAVInput is a disputed claim with the way to more text than the blocks at hand.
type RAVInput struct {
	Issue    schema.Issue
	Sentence schema.DraftSentence
	Evidence []schema.Evidence                 // of the turn; a new block gets the next free id
	Fetch    func(path string) []schema.Chunk  // a whole document, in order
	Rest     func(claim string) []schema.Chunk // others in scope, nearest first; may be nil
	Check    Check
	Policy   Policy
	Context  Context
}

// ravBlocks is how many stretches of text one claim is held against in each step.
const ravBlocks = 8

// RAV looks for support of a disputed claim in the whole document that its
// sentence cites, and then in the others in scope. Support becomes a new verbatim
// block, to which the citation moves. Every chunk is held against the provenance
// contract first.
func RAV(ctx context.Context, v entail.Verifier, in RAVInput) (schema.DraftSentence, *schema.Evidence, error) {
	if in.Issue.Type == schema.IssueForm || in.Issue.Type == schema.IssueSecret || in.Issue.Type == schema.IssueEvasion || in.Fetch == nil {
		return in.Sentence, nil, nil
	}
	seen := map[string]bool{}
	for _, path := range citedPaths(&in) {
		if e, err := in.search(ctx, v, in.Fetch(path), seen); e != nil || err != nil {
			return in.moved(e), e, err
		}
	}
	if in.Rest == nil {
		return in.Sentence, nil, nil
	}
	e, err := in.search(ctx, v, in.Rest(in.Issue.Claim), seen)
	return in.moved(e), e, err
}

func citedPaths(in *RAVInput) []string {
	var out []string
	for _, c := range in.Sentence.Citations {
		for i := range in.Evidence {
			if e := &in.Evidence[i]; e.ID == c.EvidenceID && e.Path != "" && !slices.Contains(out, e.Path) {
				out = append(out, e.Path)
			}
		}
	}
	return out
}

// search reviews the sentence as if it cited each stretch of these chunks.
func (in *RAVInput) search(ctx context.Context, v entail.Verifier, chunks []schema.Chunk, seen map[string]bool) (*schema.Evidence, error) {
	var sources []schema.Source
	for _, c := range chunks {
		if _, ok := Eligible(c, in.Check); !ok || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		src := SourceOf(c, strconv.Itoa(len(sources)+1), 0)
		src.Private = c.NPC != "" && c.NPC == in.Context.NPCHandle
		sources = append(sources, src)
	}
	blocks := Blocks(sources, Limits{MaxChars: DefaultLimits.MaxChars, MaxBlocks: 4 * ravBlocks, MaxTokens: 1 << 20})
	slices.SortStableFunc(blocks, func(a, b schema.Evidence) int {
		x, y := entail.Share(a.Text, in.Issue.Claim), entail.Share(b.Text, in.Issue.Claim)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for i := range blocks[:min(len(blocks), ravBlocks)] {
		e := blocks[i]
		e.ID = nextID(in.Evidence)
		e.SourceID = "rav"
		draft := in.Sentence
		draft.Citations = []schema.Citation{{Claim: in.Issue.Claim, EvidenceID: e.ID}}
		review, _, err := Review(ctx, v, ReviewInput{Sentences: []schema.DraftSentence{draft}, Evidence: []schema.Evidence{e},
			Context: in.Context, Class: schema.ClassComplex, Policy: in.Policy})
		if err != nil {
			return nil, fmt.Errorf("look further for %q: %w", in.Issue.Claim, err)
		}
		if review.Verdict == schema.Approved {
			return &e, nil
		}
	}
	return nil, nil
}

func (in *RAVInput) moved(e *schema.Evidence) schema.DraftSentence {
	if e == nil {
		return in.Sentence
	}
	s := in.Sentence
	s.Citations = []schema.Citation{{Claim: s.Text, EvidenceID: e.ID}}
	return s
}

func nextID(all []schema.Evidence) string {
	top := 0
	for i := range all {
		if isBlockID(all[i].ID) {
			if n, err := strconv.Atoi(all[i].ID[1:]); err == nil {
				top = max(top, n)
			}
		}
	}
	return fmt.Sprintf("E%d", top+1)
}

// SourceOf makes a citable source of a chunk, with all the provenance that the
// reviewer checks again. Whether it is the asking NPC's own note is for the caller
// to say.
func SourceOf(c schema.Chunk, id string, score float64) schema.Source {
	return schema.Source{
		ID: id, Path: c.Path, ChunkID: c.ID, Type: c.Type, Summary: c.Summary, Content: c.Text, Keywords: c.Keywords,
		AllowedFor: c.AllowedFor, Score: score, Author: c.Author, Speaker: c.Speaker, At: c.At, Belief: c.Belief,
		Provenance: ProvenanceOf(c),
	}
}

// ProvenanceOf is where a chunk comes from.
func ProvenanceOf(c schema.Chunk) schema.Provenance {
	return schema.Provenance{Source: c.Source, IndexedAt: c.IndexedAt, CreatedAt: c.CreatedAt, ValidFrom: c.ValidFrom, ValidTo: c.ValidTo,
		World: c.World, NPC: c.NPC, Hash: c.Hash, KnownBy: c.KnownBy, Requires: c.Requires}
}
