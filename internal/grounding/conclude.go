package grounding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// conclude turns verdicts into issues and moves citations.
func (r *review) conclude() {
	for _, j := range r.claims {
		sv := &r.out[j.sentence]
		cv := schema.ClaimVerdict{Claim: j.Text, Kind: j.Kind, Verdict: j.verdict}
		if j.by != nil {
			cv.Citation = j.by.ID
		}
		if cv.Verdict.Label == "" {
			cv.Verdict = schema.Verdict{Label: schema.Unverifiable, Tier: "rule", Why: "nothing that may ground it is cited"}
		}
		if issue := r.issueOf(j, sv); issue != nil {
			issue.Claim = strings.TrimSpace(j.Raw)
			sv.Issues = append(sv.Issues, *issue)
		} else {
			r.settle(j, sv, &cv)
		}
		sv.Claims = append(sv.Claims, cv)
	}
	for i := range r.out {
		if issue := r.commitment(i); issue != nil {
			r.out[i].Issues = append(r.out[i].Issues, *issue)
		}
	}
}

// issueOf is what is wrong with a claim, or nil.
func (r *review) issueOf(j *judged, sv *SentenceVerdict) *schema.Issue {
	cites := r.in.Sentences[j.sentence].Citations
	switch {
	case j.settled:
		return nil
	case j.self && j.Kind == schema.ClaimSelf:
		return nil
	case j.self && j.verdict.Label != schema.Supported:
		return &schema.Issue{Type: schema.IssueSelfMisuse, Citation: selfID, Correction: "[self] stands for personality, opinion and feeling only; cite evidence or leave it out"}
	case len(cites) == 0:
		return &schema.Issue{Type: schema.IssueUncited, Correction: r.uncitedAdvice(j)}
	case j.verdict.Label == schema.Supported:
		return r.frameIssue(j)
	case j.verdict.Label == schema.Contradicted:
		return &schema.Issue{Type: schema.IssueContradicted, Citation: idOf(j.by, cites), Correction: r.advice(j)}
	case len(j.cited) == 0 && !hasIssue(sv, schema.IssueInvalidSource):
		return &schema.Issue{Type: schema.IssueInvalidSource, Citation: cites[0].EvidenceID, Correction: fmt.Sprintf("it may not ground a claim of kind %s", j.Kind)}
	}
	return &schema.Issue{Type: schema.IssueNotEntailed, Citation: idOf(j.by, cites), Correction: r.advice(j)}
}

func hasIssue(sv *SentenceVerdict, t schema.IssueType) bool {
	return slices.ContainsFunc(sv.Issues, func(i schema.Issue) bool { return i.Type == t })
}

func idOf(e *schema.Evidence, cites []schema.Citation) string {
	if e != nil {
		return e.ID
	}
	return cites[0].EvidenceID
}

func (r *review) advice(j *judged) string {
	if far := r.farWords(j); far != "" {
		return far
	}
	if j.verdict.Why != "" {
		return j.verdict.Why
	}
	return "say only what the evidence says"
}

// maxFar is how many words feedback names.
const maxFar = 6

// farWords is the feedback where a model was not sure: which words of the claim
// the evidence has nothing for, and its own words to say instead, as the NPC would say them: it
// was shown them so.
func (r *review) farWords(j *judged) string {
	v := j.verdict
	if v.Label != schema.Unverifiable || v.Final || j.by == nil || v.Tier != entail.TierModel && v.Tier != entail.TierSidecar && v.Tier != entail.TierJudge {
		return ""
	}
	own := v.Span
	if r.in.Worded != nil {
		own = r.in.Worded(*j.by, own)
	}
	words := entail.Unaligned(j.by.Text, j.Core)
	if len(words) == 0 {
		return fmt.Sprintf("not sure that the evidence says so; say it in its own words: “%s”", own)
	}
	return fmt.Sprintf("the evidence has nothing for “%s”; say it in its own words: “%s”", strings.Join(words[:min(len(words), maxFar)], "”, “"), own)
}

func (r *review) uncitedAdvice(j *judged) string {
	if j.verdict.Label == schema.Supported && j.by != nil {
		return fmt.Sprintf("cite [%s]", j.by.ID)
	}
	return "cite the evidence that says so, or leave it out"
}

// frameIssue: support from a rumour is spoken as hearsay only, and a pronoun must
// mean in the speech what it means in the evidence.
func (r *review) frameIssue(j *judged) *schema.Issue {
	if IsRumour(j.by) && j.Frame != FrameHearsay && j.Frame != FrameAttribution && !(j.whole && r.sentenceHearsay(j.sentence)) {
		return &schema.Issue{Type: schema.IssueNotEntailed, Citation: j.by.ID, Correction: "the evidence is a rumour; say it as hearsay"}
	}
	if why := r.meansAnother(j); why != "" {
		return &schema.Issue{Type: schema.IssueNotEntailed, Citation: j.by.ID, Correction: why}
	}
	return nil
}

// IsRumour says whether a block is something that the NPC has only heard.
func IsRumour(e *schema.Evidence) bool {
	return e != nil && e.Belief != "" && !strings.EqualFold(e.Belief, "fact") && !strings.EqualFold(e.Belief, "known")
}

func (r *review) sentenceHearsay(i int) bool {
	return slices.ContainsFunc(r.claims, func(j *judged) bool { return j.sentence == i && j.Frame == FrameHearsay })
}

// meansAnother finds a pronoun that stands for one in the speech and for another,
// or for nobody knows whom, in the block it is taken from.
func (r *review) meansAnother(j *judged) string {
	if j.Points == "" || j.by == nil || j.Frame == FrameAttribution || j.whole && j.Start > 0 || r.goesOn(j) {
		return "" // inside a run taken whole, a pronoun means what it meant
	}
	before := upTo(j.by.Text, j.verdict.Span)
	there := antecedent(j.Points, []string{before}, r.in.Context)
	here := j.Means
	if here == "" && personal[j.Points] {
		here = antecedent(j.Points, []string{r.in.Context.Message}, r.in.Context)
		if there == "" {
			return "" // the player named whom the block, found by that name, is about
		}
	}
	if personal[j.Points] && sameName(there, r.in.Context.NPCName) && !sameName(here, there) {
		return fmt.Sprintf("“%s” is you yourself in the evidence; say “I”", j.Points)
	}
	if here == "" || sameName(here, there) || sameName(there, r.in.Context.NPCName) {
		return ""
	}
	if there == "" {
		if strings.TrimSpace(before) != "" || r.restsOn(j.sentence-1, j.by) {
			return ""
		}
		return fmt.Sprintf("“%s” would be %s in the speech, and the evidence does not say so", j.Points, here)
	}
	return fmt.Sprintf("“%s” is %s in the speech and %s in the evidence", j.Points, here, there)
}

// goesOn says whether the sentence before in the draft stands before this claim in
// the same block too.
func (r *review) goesOn(j *judged) bool {
	if j.sentence == 0 {
		return false
	}
	before := text.Fold(upTo(j.by.Text, j.verdict.Span))
	said := text.Fold(r.in.Sentences[j.sentence-1].Text)
	return said != "" && strings.HasSuffix(before, said)
}

func (r *review) restsOn(i int, e *schema.Evidence) bool {
	return slices.ContainsFunc(r.claims, func(j *judged) bool { return j.sentence == i && j.by == e })
}

// upTo is what stands in a block before a span of it.
func upTo(block, span string) string {
	if i := strings.Index(block, span); i > 0 && span != "" {
		return block[:i]
	}
	return ""
}

func sameName(a, b string) bool {
	x, y := text.Words(a), text.Words(b)
	for _, w := range x {
		if !text.IsStop(w) && slices.Contains(y, w) {
			return true
		}
	}
	return false
}

// settle notes the support of a claim and moves the citation where it came from a
// block that the sentence does not cite.
func (r *review) settle(j *judged, sv *SentenceVerdict, cv *schema.ClaimVerdict) {
	if j.self && j.Kind == schema.ClaimSelf {
		cv.Citation, cv.Verdict = selfID, schema.Verdict{Label: schema.Supported, Score: 1, Tier: "rule", Why: "personality, opinion or feeling"}
		return
	}
	if j.by == nil || r.byID[j.by.ID] == nil {
		return
	}
	if j.by.Provenance.Source == schema.OriginSystem && j.Kind == schema.ClaimWorld {
		cv.Kind = schema.ClaimState
	}
	if j.by.Provenance.Source == schema.OriginCorpus && j.Kind == schema.ClaimState {
		cv.Kind = schema.ClaimWorld
	}
	if slices.ContainsFunc(sv.Sentence.Citations, func(c schema.Citation) bool { return c.EvidenceID == j.by.ID }) {
		return
	}
	r.moved++
	if len(sv.Sentence.Citations) == 1 && r.onlyClaim(j) {
		sv.Sentence.Citations = nil
	}
	sv.Sentence.Citations = append(sv.Sentence.Citations, schema.Citation{Claim: j.Core, EvidenceID: j.by.ID})
}

func (r *review) onlyClaim(j *judged) bool {
	return !slices.ContainsFunc(r.claims, func(x *judged) bool { return x != j && x.sentence == j.sentence })
}

// evasion finds a speech that says nothing although the evidence answers.
func (r *review) evasion() {
	if !r.in.Answerable || r.in.Withholds || len(r.claims) > 0 || len(r.out) == 0 {
		return
	}
	if slices.ContainsFunc(r.out, func(sv SentenceVerdict) bool { return sv.Released }) {
		return
	}
	r.out[0].Issues = append(r.out[0].Issues, schema.Issue{Claim: r.in.Sentences[0].Text, Type: schema.IssueEvasion,
		Correction: "the evidence answers this; say what it says"})
}
