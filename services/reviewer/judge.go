package reviewer

import (
	"cmp"
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/world"
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
type judge struct {
	asking *model.Turn
	turn   *schema.Turn
	said   map[[2]string]schema.Verdict // one question is put once
}

// judgeFor is the judge of a review, or nil where none may be asked. Each sentence
// of a speech that streams is reviewed as a message of its own, whose meter does
// not see what the others spend: the n-th sentence of the first draft has the n-th
// call, and what comes after has none.
func (s *Service) judgeFor(ctx context.Context, t *schema.Turn, x *lore.Lore, npc *world.NPC) *judge {
	streamed := t.Speech != nil && t.Speech.Run != ""
	if streamed && (t.Part == 0 || t.SpeechReview != nil || spentBefore(t)+t.Part > judgeCalls) {
		return nil
	}
	a := s.asking.For(ctx, t, x, npc)
	if a == nil {
		return nil
	}
	return &judge{asking: a, turn: t, said: map[[2]string]schema.Verdict{}}
}

// spentBefore is what the reviews before the one that runs have asked the judge.
func spentBefore(t *schema.Turn) int {
	n := 0
	for _, p := range t.Passes[:max(0, len(t.Passes)-1)] {
		if p.Pass == schema.PassReviewThought || p.Pass == schema.PassReviewSpeech {
			n += p.LLMCalls
		}
	}
	return n
}

// Verify asks about pairs of which nothing was said before.
func (j *judge) Verify(ctx context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	return j.VerifyAfter(ctx, pairs, make([]schema.Verdict, len(pairs)))
}

// VerifyAfter asks about the pairs that came nearest to support. What it is not
// asked stays as the tiers before it left it.
func (j *judge) VerifyAfter(ctx context.Context, pairs []entail.Pair, before []schema.Verdict) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	order := make([]int, len(pairs))
	for i, v := range before {
		order[i], out[i] = i, v
		out[i].Label, out[i].Final = schema.Unverifiable, false
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(before[b].Score, before[a].Score) })
	for _, i := range order {
		premise, hypothesis := pairs[i].Spoken()
		question := [2]string{premise, hypothesis}
		v, known := j.said[question]
		if !known {
			if len(j.said) >= judgeCalls {
				continue
			}
			v, _ = j.ask(ctx, question, before[i])
			j.said[question] = v
		}
		out[i] = v
	}
	return out, nil
}

// ask puts one question; answered is false where no answer counts.
func (j *judge) ask(ctx context.Context, question [2]string, before schema.Verdict) (v schema.Verdict, answered bool) {
	defer j.reserve()()
	v = schema.Verdict{Label: schema.Unverifiable, Score: before.Score, Tier: entail.TierJudge, Span: before.Span}
	var said prompt.Judgement
	_, err := j.asking.Ask(ctx, model.Asked{Name: prompt.Judge, Share: judgeShare,
		Data: new(prompt.Data).Section("evidence", "[E1] "+question[0]).Section("claim", question[1]),
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
	return v, err == nil
}

// reserve lets a sentence that streams make one call and no second try: the other
// calls of the turn are those of other sentences. It gives them back.
func (j *judge) reserve() (giveBack func()) {
	n := len(j.turn.Passes)
	if j.turn.Part == 0 || n == 0 {
		return func() {}
	}
	r := &j.turn.Passes[n-1]
	others := max(0, judgeCalls-1-spentBefore(j.turn)-r.LLMCalls)
	r.LLMCalls += others
	return func() { r.LLMCalls -= others }
}
