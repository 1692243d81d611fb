package grounding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// AuditOf describes how far a draft cites what it claims: claims of kind none and
// authored lines need nothing.
func AuditOf(drafts []protocol.DraftSentence, c Context) schema.Audit {
	need, cited := 0, 0
	for _, d := range drafts {
		if d.Authored {
			continue
		}
		for _, claim := range Claims(d.Text, c) {
			if claim.Kind != schema.ClaimNone {
				need++
				if len(d.Citations) > 0 {
					cited++
				}
				break
			}
		}
		c.Previous = append(slices.Clone(c.Previous), d.Text)
	}
	return auditOf(need, cited)
}

func auditOf(need, cited int) schema.Audit {
	switch {
	case cited == need:
		return schema.FullyCited
	case cited > 0:
		return schema.PartiallyCited
	}
	return schema.Uncited
}

// Ineligible is the source, to those who count, of evidence that calls itself corpus
// and that the provenance contract refuses.
const Ineligible schema.Origin = "ineligible"

// SourceCounts counts the evidence of a reply by origin.
func SourceCounts(sentences []schema.Sentence) map[schema.Origin]int {
	out := map[schema.Origin]int{schema.OriginCorpus: 0}
	for _, s := range sentences {
		for _, e := range s.Evidence {
			out[e.Source]++
		}
	}
	return out
}

// Audit refuses a reply that cites what it may not: a text of a model, a reserved
// id, a session or state text under a sentence that claims something about the
// world, or nothing at all under a claim. It reads the reply alone, so it can
// judge what any process has stored.
func Audit(reply *schema.Reply, c Context) error {
	for _, s := range reply.Sentences {
		if s.Hash != "" && s.Hash != protocol.HashText(s.Text) {
			return fmt.Errorf("sentence %d of turn %s: its hash is not that of its text", s.Seq, reply.TurnID)
		}
		if s.Authored {
			if len(s.Evidence) > 0 {
				return fmt.Errorf("sentence %d of turn %s: an authored line cites evidence", s.Seq, reply.TurnID)
			}
			continue
		}
		if err := auditSentence(s, c); err != nil {
			return fmt.Errorf("sentence %d of turn %s: %w", s.Seq, reply.TurnID, err)
		}
		c.Previous = append(slices.Clone(c.Previous), s.Text)
	}
	if counts := SourceCounts(reply.Sentences); reply.SourceCounts != nil && !sameCounts(counts, reply.SourceCounts) {
		return fmt.Errorf("turn %s: evidence_source_counts %v does not match its sentences %v", reply.TurnID,
			reply.SourceCounts, counts)
	}
	return nil
}

func auditSentence(s schema.Sentence, c Context) error {
	for _, e := range s.Evidence {
		switch {
		case e.Source == schema.OriginModel || e.Source == "":
			return fmt.Errorf("%s is of source %q", e.ID, e.Source)
		case reserved(e.ChunkID) || reserved(e.Path):
			return fmt.Errorf("%s has the reserved id %s", e.ID, strings.TrimSpace(e.ChunkID+" "+e.Path))
		case e.Source == schema.OriginCorpus && Signature(e.Text) != "":
			return fmt.Errorf("%s: %s", e.ID, Signature(e.Text))
		}
	}
	for _, claim := range Claims(s.Text, c) {
		if claim.Kind == schema.ClaimNone || claim.Kind == schema.ClaimSelf {
			continue
		}
		if !slices.ContainsFunc(s.Evidence, func(e schema.EvidenceRef) bool { return mayRest(claim.Kind, e.Source) }) {
			return fmt.Errorf("the claim %q (%s) rests on nothing that may ground it", claim.Raw, claim.Kind)
		}
	}
	return nil
}

// mayRest is the default policy, with the corpus also under what the words alone
// make look like state or shared past.
func mayRest(kind schema.ClaimKind, o schema.Origin) bool {
	return o == schema.OriginCorpus || DefaultPolicy.Grounds(kind, o)
}

func sameCounts(a, b map[schema.Origin]int) bool {
	for _, o := range []schema.Origin{schema.OriginCorpus, schema.OriginUser, schema.OriginModel, schema.OriginSystem} {
		if a[o] != b[o] {
			return false
		}
	}
	return true
}
