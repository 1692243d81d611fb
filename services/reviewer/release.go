package reviewer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// releaseAll releases sentence by sentence behind what is stored, by this worker
// or another, until the draft is said or the turn is fenced off.
func (s *Service) releaseAll(
	ctx context.Context, t *protocol.Turn, person voice.Person, draft []protocol.DraftSentence,
	claims []schema.ClaimVerdict,
) (schema.Pass, error) {
	for rest := behind(t.Released, draft, person); len(rest) > 0; rest = behind(t.Released, draft, person) {
		d, said := rest[0], voice.Release(rest[0].Text, person)
		sentence := schema.Sentence{Seq: len(t.Released) + 1, Text: said, Authored: d.Authored, Evidence: refs(t, d),
			Hash: protocol.HashText(said)}
		record := protocol.ReviewRecord{TurnID: t.TurnID, Seq: sentence.Seq, Hash: sentence.Hash, Authored: d.Authored,
			Evidence: chunkIDs(sentence.Evidence), Claims: claimsOf(d, claims), Actions: promisedBy(t, sentence, person),
			Faithfulness: t.Faithfulness}
		err := s.release.Release(ctx, t, record, sentence)
		switch {
		case errors.Is(err, mesh.ErrClosed), errors.Is(err, mesh.ErrConflict):
			return schema.PassAct, nil
		case err != nil:
			return "", fmt.Errorf("release sentence %d: %w", sentence.Seq, err)
		case len(t.Released) < sentence.Seq:
			return "", fmt.Errorf("sentence %d is released and not in the turn", sentence.Seq)
		}
		s.cited(sentence, record.Claims)
	}
	return schema.PassAct, nil
}

// behind is what of a draft follows the fixed prefix: what stands behind its last
// sentence. A draft that does not hold that sentence is another speech, of which
// nothing is said once the first has begun.
func behind(released []schema.Sentence, draft []protocol.DraftSentence, person voice.Person) []protocol.DraftSentence {
	if len(released) == 0 {
		return draft
	}
	last := released[len(released)-1].Text
	for i := len(draft) - 1; i >= 0; i-- {
		if voice.Release(draft[i].Text, person) == last {
			return draft[i+1:]
		}
	}
	return nil
}

// promisedBy are the decision's actions where a sentence promises one of them, else
// nothing. Whoever ends the turn early reads there what was promised.
func promisedBy(t *protocol.Turn, s schema.Sentence, person voice.Person) []schema.Action {
	promises := func(a schema.Action) bool {
		return a.Promised && a.Checked && voice.Release(a.Phrase, person) == s.Text
	}
	if !s.Authored || !slices.ContainsFunc(t.Decision.Actions, promises) {
		return nil
	}
	return slices.Clone(t.Decision.Actions)
}

// refs is the evidence of a sentence as the reply shows it.
func refs(t *protocol.Turn, d protocol.DraftSentence) []schema.EvidenceRef {
	out := []schema.EvidenceRef{}
	seen := map[string]bool{}
	for _, c := range d.Citations {
		for _, e := range t.Evidence {
			if e.ID == c.EvidenceID && !seen[e.ID] {
				seen[e.ID] = true
				out = append(out, schema.EvidenceRef{ID: e.ID, Path: e.Path, Page: e.Page, Text: e.Text,
					Source: e.Provenance.Source, ChunkID: e.ChunkID})
			}
		}
	}
	return out
}

func chunkIDs(refs []schema.EvidenceRef) []string {
	out := []string{}
	for _, r := range refs {
		out = append(out, r.ChunkID)
	}
	return out
}

func claimsOf(d protocol.DraftSentence, claims []schema.ClaimVerdict) []schema.ClaimVerdict {
	cited := map[string]bool{}
	for _, c := range d.Citations {
		cited[c.EvidenceID] = true
	}
	var out []schema.ClaimVerdict
	for _, c := range claims {
		if cited[c.Citation] {
			out = append(out, c)
		}
	}
	return out
}

// claimed counts the claims of a draft, or of one sentence of it, by their verdicts.
func (s *Service) claimed(claims []schema.ClaimVerdict, of string) {
	for _, c := range claims {
		if of == "" || containsFolded(of, text.Fold(c.Claim)) {
			s.meter.Claimed(c.Kind, c.Verdict.Label)
			if c.Split != "" {
				s.meter.Split(c.Split, c.Verdict.Label)
			}
		}
	}
}

// cited counts what a released sentence rests on, each block once under each kind of
// claim.
func (s *Service) cited(sentence schema.Sentence, claims []schema.ClaimVerdict) {
	for _, e := range sentence.Evidence {
		kinds := map[schema.ClaimKind]bool{}
		for _, c := range claims {
			if c.Citation == e.ID && c.Verdict.Label == schema.Supported && !kinds[c.Kind] {
				kinds[c.Kind] = true
				s.meter.Cited(e.Source, c.Kind)
			}
		}
	}
}
