package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// parts takes apart the compound sentences that a judge supports while the model in process
// is not sure of them, and holds each claim against the evidence as any sentence. The sentence
// stays supported only where all of its claims are: a split keeps back, and never releases.
// Where the judge says nothing of any claim, they decide nothing.
func (l *line) parts(ctx context.Context, r *Reviewer) {
	if l.Split == nil || l.Judge == nil || l.Thoughts {
		return
	}
	var of []*Outcome
	for i := range l.out {
		if o := &l.out[i]; l.doubtful(o, r) {
			of = append(of, o)
		}
	}
	if len(of) == 0 {
		return
	}
	told := l.told(ctx, of)
	d := l.Draft
	d.Sentences, d.Split, d.Part = nil, nil, true
	taken := make([]apart, len(of))
	for k, o := range of {
		parts, by := grounding.Parts(o.Sentence.Text, told[k], l.claims(o))
		taken[k] = apart{of: o, by: by, from: len(d.Sentences), to: len(d.Sentences) + len(parts)}
		for _, part := range parts {
			d.Sentences = append(d.Sentences, protocol.DraftSentence{Text: part, Citations: o.Sentence.Citations})
		}
	}
	if len(d.Sentences) == 0 {
		return
	}
	claims := newLine(d)
	claims.ofClaims = true
	claims.exact()
	claims.ground(ctx, r)
	claims.judge(ctx, r)
	claims.policy(r)
	for _, a := range taken {
		a.of.hold(claims.out[a.from:a.to], a.by)
	}
}

// told are the claims that a model finds in sentences of which rules leave too much together.
func (l *line) told(ctx context.Context, of []*Outcome) [][]string {
	out := make([][]string, len(of))
	var texts []string
	var at []int
	for i, o := range of {
		if grounding.Coarse(grounding.Facts(l.claims(o))) {
			texts, at = append(texts, o.Sentence.Text), append(at, i)
		}
	}
	if len(texts) == 0 {
		return out
	}
	found, err := l.Split(ctx, texts)
	if err != nil || len(found) != len(texts) {
		return out // rules take apart what they can
	}
	for i, claims := range found {
		out[at[i]] = claims
	}
	return out
}

// maxAsked is how many sentences and claims one call of the judge is about where claims go
// along: its answer has so much room.
const maxAsked = 12

// along are the claims by rule of the compound sentences among the questions. They are asked
// about in the same call, so that parts finds the judge's answers without one of its own.
func (l *line) along(ask []Question) []Question {
	if l.Split == nil || l.ofClaims || l.Thoughts {
		return nil
	}
	var out []Question
	for _, q := range ask {
		claims := l.claims(&l.out[q.Sentence])
		if !grounding.Compound(q.Text, claims) {
			continue
		}
		facts := grounding.Facts(claims)
		if grounding.Coarse(facts) || len(ask)+len(out)+len(facts) > maxAsked {
			continue
		}
		for _, fact := range facts {
			out = append(out, Question{Sentence: q.Sentence, Text: fact, Score: q.Score, Claim: true, Along: true})
		}
	}
	return out
}

// apart is a sentence with the place of its claims.
type apart struct {
	of       *Outcome
	by       schema.SplitBy
	from, to int
}

// doubtful says whether a sentence is worth a split: it is compound, a judge supports it, and
// the model in process alone would not be sure of it.
func (l *line) doubtful(o *Outcome, r *Reviewer) bool {
	if o.Exempt || o.exact || !o.judged || len(o.Issues) > 0 || o.Kind != entail.KindWorld ||
		o.Verdict.Label != schema.Supported {
		return false
	}
	sure := o.known && r.Fit.Score(o.features) >= r.Fit.Line(grounding.Strict, false)
	return !sure && grounding.Compound(o.Sentence.Text, l.claims(o))
}

// hold takes the claims of the sentence into its verdict.
func (o *Outcome) hold(claims []Outcome, by schema.SplitBy) {
	if !slices.ContainsFunc(claims, func(c Outcome) bool { return c.heard }) {
		return // the sentence as a whole is judged already
	}
	o.split = by
	for i := range claims {
		c := &claims[i]
		label := c.Verdict.Label
		if c.Exempt { // a line that stands as it is was judged before
			label = schema.Supported
		}
		o.parts = append(o.parts, schema.Part{Claim: c.Sentence.Text, Verdict: label, Score: c.Verdict.Score})
		if label == schema.Supported || o.Verdict.Label == schema.Contradicted {
			continue
		}
		if label != schema.Contradicted {
			label = schema.Unverifiable
		}
		o.Verdict.Label, o.Verdict.Score = label, min(o.Verdict.Score, c.Verdict.Score)
		o.Verdict.Why = fmt.Sprintf("its claim “%s” is not supported; leave it out or say it as the evidence does",
			c.Sentence.Text)
	}
}
