package review

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// judge asks about what the model in process leaves open, in one call. An answer moves
// the score by the likelihood ratio that the judge has shown. A veto stands above it.
func (l *line) judge(ctx context.Context, r *Reviewer) {
	if l.Judge == nil || !l.Judge.Qualified() {
		return
	}
	var ask []Question
	for i := range l.out {
		o := &l.out[i]
		if o.open() && len(o.Issues) == 0 && (o.known && o.Kind == entail.KindWorld || o.unread()) {
			ask = append(ask, Question{Sentence: i, Text: o.Sentence.Text, Score: o.Verdict.Score,
				Claim: l.ofClaims})
		}
	}
	if len(ask) == 0 {
		return
	}
	all := slices.Concat(ask, l.along(ask))
	opinions, err := l.Judge.Ask(ctx, all)
	if err != nil || len(opinions) != len(all) {
		return // the score of the model in process decides alone
	}
	for k, q := range ask {
		l.out[q.Sentence].take(opinions[k])
	}
}

// take combines an opinion with the score in process.
func (o *Outcome) take(p Opinion) {
	o.heard = p.Label != ""
	if p.Label == schema.Supported && p.Kind != "" && p.Kind != entail.KindWorld && o.reading.World < mostlyClaim {
		o.Kind = p.Kind // of kinds a judge is a good judge even where it is not sure of more
	}
	if p.Label == "" || p.Evidence == 0 { // an answer of a sort that has shown no skill
		return
	}
	o.Verdict.Score = sigmoid(logit(o.Verdict.Score) + p.Evidence)
	o.Verdict.Tier, o.Verdict.Why = entail.TierJudge, p.Why
	o.judged = p.Evidence > 0 // only a yes lowers the line: a no must not release what was kept back
	if p.Label == schema.Contradicted {
		o.denied = true
	}
}

// mostlyClaim is P(world) from which no judge turns a claim into a feeling.
const mostlyClaim = 0.9

// Over is the verdict that an opinion makes of the one before, of a claim that is supported
// from the given score. An answer of a sort that has shown no skill changes nothing.
func (p Opinion) Over(before schema.Verdict, from float64) schema.Verdict {
	if p.Label == "" || p.Evidence == 0 {
		return before
	}
	v := before
	v.Score, v.Tier, v.Why = sigmoid(logit(v.Score)+p.Evidence), entail.TierJudge, p.Why
	switch {
	case p.Label == schema.Supported && v.Score >= from:
		v.Label = schema.Supported
	case p.Label == schema.Contradicted && p.Evidence < 0:
		v.Label = schema.Contradicted
	}
	return v
}
