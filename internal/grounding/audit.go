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

// The kinds of faults that a stored reply can show by itself. A text that must not
// be cited at all has the reason of the provenance contract as its kind.
const (
	FaultHash     = "altered_text"   // the hash of a sentence is not that of its text
	FaultAuthored = "authored_cites" // an authored line cites evidence
	FaultOrigin   = "wrong_origin"   // a claim rests on evidence that may not ground its kind
	FaultUncited  = "uncited"        // a sentence without evidence reads like a claim by its words
	FaultCounts   = "source_counts"  // evidence_source_counts differs from the sentences
)

// Fault is what is wrong with a sentence of a stored reply.
type Fault struct {
	Seq    int // of the sentence; 0: of the reply
	Kind   string
	Detail string
}

// Audit finds what a reply cites and may not: a text of a model, a reserved id, a
// session or state text under a sentence that claims something about the world, or
// nothing at all under a claim. It reads the reply alone, so it can judge what any
// process has stored. A sentence is uncited by its words alone: the review, which reads
// the meaning, may have found a feeling or a courtesy in it.
func Audit(reply *schema.Reply, c Context) []Fault {
	var out []Fault
	for _, s := range reply.Sentences {
		if s.Hash != "" && s.Hash != protocol.HashText(s.Text) {
			out = append(out, Fault{s.Seq, FaultHash, "its hash is not that of its text"})
		}
		if s.Authored {
			if len(s.Evidence) > 0 {
				out = append(out, Fault{s.Seq, FaultAuthored, "an authored line cites evidence"})
			}
			continue
		}
		out = append(out, auditSentence(s, c)...)
		c.Previous = append(slices.Clone(c.Previous), s.Text)
	}
	if counts := SourceCounts(reply.Sentences); reply.SourceCounts != nil && !sameCounts(counts, reply.SourceCounts) {
		out = append(out, Fault{0, FaultCounts,
			fmt.Sprintf("evidence_source_counts %v does not match its sentences %v", reply.SourceCounts, counts)})
	}
	return out
}

func auditSentence(s schema.Sentence, c Context) []Fault {
	var out []Fault
	for _, e := range s.Evidence {
		switch {
		case e.Source == schema.OriginModel || e.Source == "":
			out = append(out, Fault{s.Seq, RejectSource, fmt.Sprintf("%s is of source %q", e.ID, e.Source)})
		case reserved(e.ChunkID) || reserved(e.Path):
			id := strings.TrimSpace(e.ChunkID + " " + e.Path)
			out = append(out, Fault{s.Seq, RejectReservedID, fmt.Sprintf("%s has the reserved id %s", e.ID, id)})
		case e.Source == schema.OriginCorpus && Signature(e.Text) != "":
			out = append(out, Fault{s.Seq, Signature(e.Text), fmt.Sprintf("%s: %q", e.ID, e.Text)})
		}
	}
	for _, claim := range Claims(s.Text, c) {
		if claim.Kind == schema.ClaimNone || claim.Kind == schema.ClaimSelf {
			continue
		}
		if !slices.ContainsFunc(s.Evidence, func(e schema.EvidenceRef) bool {
			return mayRest(claim.Kind,
				e.Source)
		}) {
			kind := FaultOrigin
			if len(s.Evidence) == 0 {
				kind = FaultUncited
			}
			out = append(out, Fault{s.Seq, kind,
				fmt.Sprintf("the claim %q (%s) rests on nothing that may ground it", claim.Raw, claim.Kind)})
		}
	}
	return out
}

// mayRest is the default policy, with the corpus also under what the words alone
// make look like state or shared past.
func mayRest(kind schema.ClaimKind, o schema.Origin) bool {
	return o == schema.OriginCorpus || DefaultPolicy.Grounds(kind, o)
}

func sameCounts(a, b map[schema.Origin]int) bool {
	for _, o := range []schema.Origin{schema.OriginCorpus, schema.OriginUser, schema.OriginModel,
		schema.OriginSystem} {
		if a[o] != b[o] {
			return false
		}
	}
	return true
}
