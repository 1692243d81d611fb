package grounding

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// MaxSourcesPerClaim is how many blocks one claim is held against at most.
const MaxSourcesPerClaim = 5

// Checker holds texts against sources that a caller brings, claim by claim. It is the
// verifier by itself: nobody speaks the text, nothing of it grounds a turn, and whether
// the sources are true is the caller's to say.
type Checker struct {
	Verifier entail.Verifier
	Reader   entail.Reader // nil: words alone say which sentences claim nothing
	Judge    Judge         // nil: there is none
}

// Check holds one text against its sources.
func (k *Checker) Check(ctx context.Context, q schema.CheckQuery) (schema.CheckResult, error) {
	if err := q.Validate(); err != nil {
		return schema.CheckResult{}, err
	}
	c := &textCheck{query: q}
	c.claims = c.claimsOf(ctx, k.Reader)
	err := c.verify(ctx, entail.NewCascade(k.Verifier))
	use := schema.JudgeUse("")
	if err == nil && q.Judge {
		use = c.judge(ctx, k.Judge)
		err = ctx.Err()
	}
	if err != nil {
		return schema.CheckResult{}, fmt.Errorf("check grounding: %w", err)
	}
	out := c.result()
	out.Judge = use
	return out, nil
}

// textCheck is one check on its way.
type textCheck struct {
	query  schema.CheckQuery
	claims []checked
}

type checked struct {
	claim   Claim
	verdict schema.Verdict
	source  *schema.CheckSource
}

// withoutCode takes out what stands between fences of three backticks.
func withoutCode(s string) string {
	parts := strings.Split(s, "```")
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i])
		b.WriteString("\n")
	}
	return b.String()
}

// verify puts each claim before the sources nearest to it, one by one and the two
// nearest together.
func (c *textCheck) verify(ctx context.Context, v entail.Verifier) error {
	type at struct {
		claim  int
		source *schema.CheckSource
	}
	var pairs []entail.Pair
	var where []at
	for i := range c.claims {
		k := &c.claims[i]
		near := c.nearest(k.claim.Text)
		for _, s := range near {
			for _, wording := range wordingsOf(k.claim) {
				pairs, where = append(pairs, entail.Pair{Premise: s.Content, Hypothesis: wording}), append(where, at{i, s})
			}
		}
		if len(near) > 1 {
			pairs = append(pairs, entail.Pair{Premise: near[0].Content + " " + near[1].Content, Hypothesis: k.claim.Text})
			where = append(where, at{i, near[0]})
		}
	}
	verdicts, err := v.Verify(ctx, pairs)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // what was not judged in time is not judged
		return err
	}
	for n, w := range where {
		k := &c.claims[w.claim]
		if k.source == nil || graver(verdicts[n], k.verdict) {
			k.verdict, k.source = verdicts[n], w.source
		}
	}
	return nil
}

func wordingsOf(claim Claim) []string {
	if text.Fold(claim.Text) == text.Fold(claim.Core) {
		return []string{claim.Core}
	}
	return []string{claim.Core, claim.Text}
}

// graver says whether a verdict tells more of a claim than the last: support from
// any source wins, then a contradiction, then the higher score.
func graver(now, before schema.Verdict) bool {
	rank := func(v schema.Verdict) int {
		switch v.Label {
		case schema.Supported:
			return 2
		case schema.Contradicted:
			return 1
		}
		return 0
	}
	if rank(now) != rank(before) {
		return rank(now) > rank(before)
	}
	return now.Score > before.Score
}

// nearest are the sources that share most words with a claim. One that shares none
// is still read where there is room: a paraphrase may share none.
func (c *textCheck) nearest(claim string) []*schema.CheckSource {
	all := make([]*schema.CheckSource, len(c.query.Sources))
	share := map[*schema.CheckSource]float64{}
	for i := range c.query.Sources {
		s := &c.query.Sources[i]
		all[i], share[s] = s, entail.Share(s.Content, claim)
	}
	slices.SortStableFunc(all, func(a, b *schema.CheckSource) int { return cmp.Compare(share[b], share[a]) })
	return all[:min(len(all), cmp.Or(c.query.MaxSourcesPerClaim, MaxSourcesPerClaim))]
}

func (c *textCheck) result() schema.CheckResult {
	out := schema.CheckResult{Claims: []schema.CheckedClaim{}, Total: len(c.claims)}
	for _, k := range c.claims {
		one := schema.CheckedClaim{Claim: k.claim.Text, Verdict: schema.Unverifiable, Tier: entail.TierNone,
			Why: "there are no sources"}
		if k.source != nil {
			v := k.verdict
			one = schema.CheckedClaim{Claim: k.claim.Text, Verdict: v.Label, Confidence: v.Score, Tier: v.Tier, Why: v.Why,
				Escalated: v.Tier == entail.TierSidecar || v.Tier == entail.TierJudge,
				Best: &schema.BestSource{ChunkID: k.source.ChunkID, Content: k.source.Content,
					Span: spanIn(k.source.Content, v.Span), Score: v.Score}}
		}
		switch one.Verdict {
		case schema.Supported:
			out.Supported++
		case schema.Contradicted:
			out.Contradicted++
		default:
			out.Unverifiable++
		}
		out.Claims = append(out.Claims, one)
	}
	if out.Total > 0 {
		out.Ratio = float64(out.Unverifiable) / float64(out.Total)
	}
	out.Reason = c.reason(out)
	out.Grounded = out.Reason == ""
	out.Summary = fmt.Sprintf("%d/%d claims supported", out.Supported, out.Total)
	return out
}

func (c *textCheck) reason(r schema.CheckResult) string {
	switch {
	case r.Total == 0:
		return ""
	case len(c.query.Sources) == 0:
		return protocol.GroundingNoSources
	case r.Contradicted > 0:
		return protocol.GroundingContradiction
	case r.Ratio > c.query.Ratio():
		return protocol.GroundingUnverifiable
	}
	return ""
}

func spanIn(content, span string) string {
	if strings.Contains(content, span) {
		return span
	}
	return ""
}

// Judge gives a second opinion of a claim that the verifier left open.
type Judge interface {
	// Qualified says whether there is a judge that has shown skill.
	Qualified(ctx context.Context) bool
	// Again gives the verdict that its opinion makes of the one before.
	Again(ctx context.Context, sources []string, claim string, before schema.Verdict) (schema.Verdict, error)
}

// Bounds of what a check may ask of a judge: each claim is a call of a language model.
const (
	judgedAtMost = 8
	judgedAtOnce = 4
)

// judge puts the open claims before a judge. What it does not answer stays as it was.
func (c *textCheck) judge(ctx context.Context, j Judge) schema.JudgeUse {
	var open []*checked
	for i := range c.claims {
		if k := &c.claims[i]; k.source != nil && !entail.Decides(k.verdict) {
			open = append(open, k)
		}
	}
	switch {
	case len(open) == 0:
		return schema.JudgeNotNeeded
	case j == nil || !j.Qualified(ctx):
		return schema.JudgeNone
	}
	var mu sync.Mutex
	answered := 0
	var group errgroup.Group
	group.SetLimit(judgedAtOnce)
	for _, k := range open[:min(len(open), judgedAtMost)] {
		group.Go(func() error {
			var texts []string
			for _, s := range c.nearest(k.claim.Text) {
				texts = append(texts, around(s.Content, k.claim.Text))
			}
			v, err := j.Again(ctx, texts, k.claim.Text, k.verdict)
			if err != nil {
				return nil //nolint:nilerr // the verdict before stands, and the result says that none came
			}
			mu.Lock()
			defer mu.Unlock()
			answered++
			k.verdict = v
			return nil
		})
	}
	_ = group.Wait() // no member gives an error
	if answered == 0 {
		return schema.JudgeFailed
	}
	return schema.JudgeAsked
}

// Bounds of what a judge reads of one source.
const (
	judgedWhole = 2 << 10 // bytes
	neighbours  = 4       // sentences before and behind the nearest one
)

// around is a source, or of a long one what stands around the sentence nearest to a claim.
func around(source, claim string) string {
	if len(source) <= judgedWhole {
		return source
	}
	sentences := text.Sentences(source)
	at := max(0, slices.Index(sentences, entail.Nearest(source, claim)))
	near := strings.Join(sentences[max(0, at-neighbours):min(len(sentences), at+neighbours+1)], " ")
	return strings.ToValidUTF8(near[:min(len(near), 2*judgedWhole)], "")
}
