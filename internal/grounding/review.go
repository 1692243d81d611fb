package grounding

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// MaxSourcesPerClaim is how many blocks one claim is held against at most.
const MaxSourcesPerClaim = 5

// ReviewInput is a draft with all that it is judged by.
type ReviewInput struct {
	Sentences []schema.DraftSentence
	Evidence  []schema.Evidence // speech: E1 …; thoughts: the sources under their own ids
	Released  []schema.Sentence // what the player was already told
	Context   Context
	Class     schema.Class
	Self      string // who the NPC is: what a feeling may speak of besides the evidence
	Thoughts  bool   // 2.5: plans and suspicions marked as such pass

	// Thresholds are for tiers that give probabilities; what is zero is the tier's own.
	Thresholds entail.Thresholds
	// Worded is how the NPC would say a sentence of a block; nil: as it stands.
	Worded func(e schema.Evidence, sentence string) string
	// MaxSources is how many blocks one claim is held against; 0: MaxSourcesPerClaim.
	MaxSources int

	// Authored says whether a text is an authored line, exactly. Without it no
	// sentence counts as authored, whatever the draft says.
	Authored func(text string) bool
	// Check, where given, is the provenance contract, judged once more here.
	Check *Check
	// Policy is the world's source policy; the zero value is the default one.
	Policy Policy
	// Answerable says that the evidence answers the message above the gate.
	Answerable bool
	// Withholds says that the decision keeps something back.
	Withholds bool
	// Actions are the decision's, with the outcome of their check; Specs declare
	// the phrases that promise one.
	Actions []schema.Action
	Specs   []schema.ActionSpec
}

// SentenceVerdict is what the review found of one sentence.
type SentenceVerdict struct {
	Sentence schema.DraftSentence // with its citations moved to the evidence that supports it
	Claims   []schema.ClaimVerdict
	Issues   []schema.Issue
	Released bool // stood in the released prefix
}

// OK says whether nothing was found against the sentence.
func (s *SentenceVerdict) OK() bool { return len(s.Issues) == 0 }

// judged is a claim of the draft on its way to a verdict.
type judged struct {
	Claim
	sentence int
	cited    []*schema.Evidence // that may ground this kind, best first
	verdict  schema.Verdict
	by       *schema.Evidence
	self     bool
	settled  bool // needs no verdict
	whole    bool // judged with its whole sentence
}

// review is one review on its way.
type review struct {
	in       ReviewInput
	verifier entail.Verifier
	out      []SentenceVerdict
	claims   []*judged
	byID     map[string]*schema.Evidence
	moved    int
	clean    map[*schema.Evidence]bool  // blocks judged by the provenance contract
	sets     map[string]map[string]bool // content words by text
}

// Review judges a draft sentence by sentence and claim by claim. A claim passes
// only where a block that may ground it supports it; an error or a missing answer
// of the verifier supports nothing.
func Review(ctx context.Context, v entail.Verifier, in ReviewInput) (schema.Review, []SentenceVerdict, error) {
	// The cascade keeps a tier that fails or answers out of shape from supporting
	// anything, and from stopping the review.
	r := &review{in: in, verifier: entail.NewCascade(v), out: make([]SentenceVerdict, len(in.Sentences)), byID: map[string]*schema.Evidence{}, clean: map[*schema.Evidence]bool{}, sets: map[string]map[string]bool{}}
	for i := range in.Evidence {
		if e := &in.Evidence[i]; r.byID[e.ID] == nil {
			r.byID[e.ID] = e
		}
	}
	r.readDraft()
	for _, step := range []func(context.Context) error{r.wholeSentences, r.citedBlocks, r.otherBlocks, r.contradictions} {
		if err := ctx.Err(); err != nil {
			return schema.Review{}, nil, fmt.Errorf("review: %w", err)
		}
		if err := step(ctx); err != nil {
			return schema.Review{}, nil, fmt.Errorf("review: %w", err)
		}
	}
	if err := ctx.Err(); err != nil { // what was not judged in time is not judged
		return schema.Review{}, nil, fmt.Errorf("review: %w", err)
	}
	r.conclude()
	r.evasion()
	return r.result(), r.out, nil
}

// readDraft finds the claims of each sentence and what is wrong without asking
// the verifier.
func (r *review) readDraft() {
	c := r.in.Context
	words := 0
	for i, d := range r.in.Sentences {
		sv := &r.out[i]
		sv.Sentence = d
		sv.Sentence.Citations = slices.Clone(d.Citations)
		sv.Released = r.released(d.Text)
		if r.authored(d) || sv.Released {
			words += r.spokenWords(d.Text)
			c.Previous = append(slices.Clone(c.Previous), d.Text)
			continue
		}
		if len(d.Text) > maxDraft {
			sv.Issues = []schema.Issue{{Claim: d.Text, Type: schema.IssueForm, Correction: "longer than a sentence can be"}}
			continue
		}
		sv.Issues = append(sv.Issues, r.formIssues(d, words, i)...)
		words += r.spokenWords(d.Text)
		sv.Issues = append(sv.Issues, r.idIssues(d)...)
		states := false
		for _, claim := range Claims(d.Text, c) {
			states = states || claim.Kind != schema.ClaimNone
			if claim.Kind != schema.ClaimNone && !r.deed(&claim, d.Text) {
				r.claims = append(r.claims, r.newJudged(claim, i))
			}
		}
		if !states && !r.in.Thoughts && citesEvidence(d) {
			// What cites evidence is to stand there, though it be an order or a greeting.
			r.claims = append(r.claims, r.newJudged(Claim{Text: d.Text, Core: d.Text, Raw: d.Text, Kind: schema.ClaimWorld, End: len(d.Text)}, i))
		}
		c.Previous = append(slices.Clone(c.Previous), d.Text)
	}
}

func citesEvidence(d schema.DraftSentence) bool {
	return slices.ContainsFunc(d.Citations, func(c schema.Citation) bool { return c.EvidenceID != selfID })
}

func (r *review) authored(d schema.DraftSentence) bool {
	return d.Authored && r.in.Authored != nil && r.in.Authored(d.Text)
}

func (r *review) released(s string) bool {
	return slices.ContainsFunc(r.in.Released, func(x schema.Sentence) bool { return x.Text == s })
}

// newJudged finds the blocks that a claim cites and that may ground it. A claim
// that cites [self] is fine for a feeling and misuse for anything else.
func (r *review) newJudged(claim Claim, i int) *judged {
	if claim.Kind == schema.ClaimSelf && !r.in.Thoughts && r.presumes(claim.Core) {
		claim.Kind = schema.ClaimWorld
	}
	j := &judged{Claim: claim, sentence: i}
	for _, cite := range r.in.Sentences[i].Citations {
		if cite.EvidenceID == selfID {
			j.self = true
			continue
		}
		if e := r.byID[cite.EvidenceID]; e != nil && r.mayGround(e, &j.Claim) && !slices.Contains(j.cited, e) {
			j.cited = append(j.cited, e)
		}
	}
	if r.in.Thoughts && claim.Hedged && claim.Frame == FrameOpinion {
		j.settled = true // a suspicion marked as such
	}
	return j
}

// mayGround says whether a block may ground a claim. What the words make look
// like state or like the world is what its evidence is about, so both are tried:
// the verdict decides.
func (r *review) mayGround(e *schema.Evidence, c *Claim) bool {
	switch c.Kind {
	case schema.ClaimWorld, schema.ClaimState:
		return r.in.Policy.Serves(e, schema.ClaimWorld) || r.in.Policy.Serves(e, schema.ClaimState)
	case schema.ClaimSelf:
		return r.in.Policy.Serves(e, schema.ClaimWorld) || r.in.Policy.Serves(e, schema.ClaimSelf)
	}
	return r.in.Policy.Serves(e, c.Kind)
}

const selfID = "self"

// idIssues are the citations that name no evidence, or evidence that may not be
// cited at all.
func (r *review) idIssues(d schema.DraftSentence) []schema.Issue {
	var out []schema.Issue
	for _, cite := range d.Citations {
		if cite.EvidenceID == selfID {
			continue
		}
		e := r.byID[cite.EvidenceID]
		why := ""
		switch {
		case e == nil && r.in.Thoughts && isBlockID(cite.EvidenceID):
			why = "thoughts cite sources by number, not evidence blocks"
		case e == nil && !r.in.Thoughts && isSourceID(cite.EvidenceID):
			why = "speech cites evidence blocks such as [E1], not sources"
		case e == nil:
			why = "no evidence has this id"
		case r.in.Check != nil:
			if reason, ok := EligibleEvidence(*e, *r.in.Check); !ok {
				why = "provenance: " + reason
			}
		}
		if why != "" {
			out = append(out, schema.Issue{Claim: d.Text, Type: schema.IssueInvalidSource, Citation: cite.EvidenceID, Correction: why})
		}
	}
	return out
}

func isBlockID(id string) bool { return len(id) > 1 && id[0] == 'E' && allDigits(id[1:]) }

func isSourceID(id string) bool { return allDigits(id) }

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// maxDraft bounds a sentence of a draft: what is longer is not read at all.
const maxDraft = 16 << 10

// result is the review as a turn carries it.
func (r *review) result() schema.Review {
	out := schema.Review{Verdict: schema.Approved, RAVResolved: r.moved}
	out.Audit = r.audit()
	for i := range r.out {
		out.Issues = append(out.Issues, r.out[i].Issues...)
		out.Claims = append(out.Claims, r.out[i].Claims...)
	}
	if len(out.Issues) > 0 {
		out.Verdict = schema.IssuesFound
	}
	return out
}

// audit is AuditOf over the claims that the review has read already.
func (r *review) audit() schema.Audit {
	claims := make([]bool, len(r.in.Sentences))
	for _, j := range r.claims {
		claims[j.sentence] = true
	}
	need, cited := 0, 0
	for i, d := range r.in.Sentences {
		if claims[i] {
			need++
			if len(d.Citations) > 0 {
				cited++
			}
		}
	}
	return auditOf(need, cited)
}
