package reviewer

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Scorer is who Guard 3 asks for a second opinion: a verifier, or a language model, or
// nobody. It is asked of what the review supports, and its word only lowers a score.
type Scorer struct {
	Verifier entail.Verifier
	Model    *model.Model
}

// score is Guard 3's of claims as the review left them.
func (s *Service) score(ctx context.Context, t *protocol.Turn, of scene, claims []schema.ClaimVerdict) faithful.Score {
	return s.guard.score(t, of, s.second(ctx, t, of, claims))
}

// second holds the claims that the review supports against their evidence once more.
// One counts as supported only where both say so; a scorer who fails, or is asked of
// enough already, leaves the review's word.
func (s *Service) second(
	ctx context.Context, t *protocol.Turn, of scene, claims []schema.ClaimVerdict,
) []schema.ClaimVerdict {
	if s.scorer.Verifier == nil && s.scorer.Model == nil {
		return claims
	}
	out := slices.Clone(claims)
	var at []int
	var pairs []entail.Pair
	around := contextOf(t, of)
	for i := range out {
		if e := supportOf(t, &out[i]); e != nil {
			at, pairs = append(at, i), append(pairs, grounding.PairOf(e, out[i].Claim, around))
		}
	}
	for k, v := range s.opinions(ctx, t, of, pairs, at, out) {
		if v.Label != schema.Supported {
			out[at[k]].Verdict = v
		}
	}
	return out
}

// supportOf is the evidence by which the review supports a claim that counts.
func supportOf(t *protocol.Turn, c *schema.ClaimVerdict) *protocol.Evidence {
	if c.Verdict.Label != schema.Supported || !faithful.Counts(c.Kind) {
		return nil
	}
	i := slices.IndexFunc(t.Evidence, func(e protocol.Evidence) bool { return e.ID == c.Verdict.Evidence })
	if i < 0 {
		return nil
	}
	return &t.Evidence[i]
}

// opinions are the scorer's verdicts of pairs, by their place.
func (s *Service) opinions(
	ctx context.Context, t *protocol.Turn, of scene, pairs []entail.Pair, at []int, claims []schema.ClaimVerdict,
) map[int]schema.Verdict {
	out := map[int]schema.Verdict{}
	if s.scorer.Verifier != nil {
		wording := &renderings{evidence: t.Evidence, person: of.x.Person(of.npc), openers: of.npc.Voice.Openers}
		first, err := wording.Verify(ctx, pairs)
		if err != nil {
			return out
		}
		verdicts, err := s.scorer.Verifier.Verify(ctx, pairs)
		if err != nil || len(verdicts) != len(pairs) {
			s.alert(AlertUnscored, t.TurnID, "the scorer gives no verdict, and the review's stand")
			return out
		}
		for k, v := range verdicts {
			if first[k].Label != schema.Supported {
				out[k] = v
			}
		}
		return out
	}
	if !t.Speech.ByModel() {
		return out // what is said is quoted
	}
	a := s.scorer.Model.Speaking(ctx, t, of.x, of.npc)
	if a == nil {
		return out
	}
	texts := make([]string, len(pairs))
	for k := range pairs {
		texts[k] = claims[at[k]].Claim
	}
	calls, cost := spentHere(t)
	for k, v := range secondOpinions(ctx, a, texts) {
		out[k] = v
	}
	moreCalls, moreCost := spentHere(t)
	s.guard.meter.Called("score", moreCalls-calls, moreCost-cost)
	return out
}

// spentHere is what the pass that runs has asked of models.
func spentHere(t *protocol.Turn) (calls int, cost float64) {
	if len(t.Passes) == 0 {
		return 0, 0
	}
	r := &t.Passes[len(t.Passes)-1]
	return r.LLMCalls, r.Cost
}

// secondOpinions are the verdicts of a language model on claims, in one call. What it
// does not answer, or is not sure of, has none.
func secondOpinions(ctx context.Context, a *model.Turn, claims []string) map[int]schema.Verdict {
	out := map[int]schema.Verdict{}
	var said []prompt.Judgement
	_, err := a.Ask(ctx, model.Asked{Name: prompt.Judge, Share: judgeShare, Data: a.Scene.Speak().Numbered(claims),
		Validate: func(answer []byte) (err error) {
			said, err = prompt.Judged(answer, len(claims))
			return err
		}})
	if err != nil {
		return out
	}
	for i, v := range said {
		if v.N > 0 && v.Confidence >= review.SureFrom {
			out[i] = schema.Verdict{Label: v.Verdict, Score: v.Confidence, Tier: entail.TierJudge, Why: v.Difference}
		}
	}
	return out
}

// weigh gives the reason codes of what a review found wrong, and the code for
// which the whole reply is to be the extractive answer, or "".
func weigh(review protocol.Review, settings grounding.Settings) (codes []string, over string) {
	contradicted, unverifiable := 0, 0
	for _, c := range review.Claims {
		switch c.Verdict.Label {
		case schema.Contradicted:
			contradicted++
		case schema.Unverifiable:
			unverifiable++
		}
	}
	if contradicted > 0 {
		codes = append(codes, protocol.GroundingContradiction)
		if settings.OnContradiction == grounding.Block {
			over = protocol.GroundingContradiction
		}
	}
	if unverifiable == 0 {
		return codes, over
	}
	codes = append(codes, protocol.GroundingUnverifiable)
	tooMany := float64(unverifiable) > settings.MaxUnverifiable*float64(len(review.Claims))
	if over == "" && (tooMany || settings.OnUnverifiable == grounding.Block) {
		over = protocol.GroundingUnverifiable
	}
	return codes, over
}
