package reviewer

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The judge's part in a review.
const (
	judgeSure  = 0.8  // from this confidence on its answer is a vote
	judgeScore = 0.75 // P(supported) of what the judge supports and the model was not sure of
	judgeShare = 0.3  // of the time that the turn has left, for one call
	judgeCalls = 2    // of one turn; the meter refuses more
)

// judge is the tier that asks a language model, where the verifier before it was
// not sure. It is one more vote: no answer, a malformed one or a timid one decides
// nothing, and what a rule or the verifier has decided it is never asked.
type judge struct{ asking *model.Turn }

// Verify asks about pairs of which nothing was said before.
func (j *judge) Verify(ctx context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	return j.VerifyAfter(ctx, pairs, make([]schema.Verdict, len(pairs)))
}

// VerifyAfter asks about the pairs that came nearest to support.
func (j *judge) VerifyAfter(ctx context.Context, pairs []entail.Pair, before []schema.Verdict) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i := range out {
		out[i] = schema.Verdict{Label: schema.Unverifiable, Score: before[i].Score, Tier: before[i].Tier}
	}
	for range judgeCalls {
		next := -1
		for i := range pairs {
			if out[i].Tier != entail.TierJudge && (next < 0 || before[i].Score > before[next].Score) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		out[next] = j.ask(ctx, pairs[next], before[next])
	}
	return out, nil
}

func (j *judge) ask(ctx context.Context, p entail.Pair, before schema.Verdict) schema.Verdict {
	v := schema.Verdict{Label: schema.Unverifiable, Score: before.Score, Tier: entail.TierJudge, Span: before.Span}
	premise, hypothesis := p.Spoken()
	var said prompt.Judgement
	_, err := j.asking.Ask(ctx, model.Asked{Name: prompt.Judge, Share: judgeShare,
		Data: new(prompt.Data).Section("evidence", "[E1] "+premise).Section("claim", hypothesis),
		Validate: func(answer []byte) (err error) {
			said, err = prompt.Judged(answer)
			return err
		}})
	switch {
	case err != nil:
		v.Why = "the judge gave no answer that counts"
	case said.Confidence < judgeSure:
		v.Why = "the judge is not sure: " + said.Reasoning
	case said.Verdict == string(schema.Supported):
		v.Label, v.Score, v.Why = schema.Supported, judgeScore, "the judge: "+said.Reasoning
	case said.Verdict == string(schema.Contradicted):
		v.Label, v.Score, v.Why = schema.Contradicted, 1-judgeScore, "the judge: "+said.Reasoning
	default:
		v.Why = "the judge: " + said.Reasoning
	}
	return v
}
