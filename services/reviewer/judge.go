package reviewer

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// judgeShare is the share of the time that a turn has left, for one call of the judge.
const judgeShare = 0.3

// splitShare is that share for a call that takes sentences apart.
const splitShare = 0.2

// judge asks a language model about the sentences that the model in process leaves
// open. It belongs to one run of the review over one turn, and asks about a sentence
// once. No answer, or one that does not agree with itself, decides nothing. Sentences are
// known by their words without a connective, which a refused neighbour takes away.
type judge struct {
	asking *model.Turn
	skill  *review.Skill
	said   map[string]review.Opinion
	told   map[string][]string // the claims of sentences that a model was to take apart
	from   float64             // a sentence of a lower score waits for the end of the speech
	ahead  bool                // everything that is open was put already, and nothing more is
}

// judgeFor is the judge of a review, or nil where none may be asked.
func (s *Service) judgeFor(ctx context.Context, t *protocol.Turn, of scene) *judge {
	if t.Speech == nil || !t.Speech.ByModel() {
		return nil
	}
	skill := s.skill(ctx)
	if !skill.Qualified() {
		return nil
	}
	a := s.asking.Speaking(ctx, t, of.x, of.npc)
	if a == nil {
		return nil
	}
	return &judge{asking: a, skill: skill, said: map[string]review.Opinion{}, told: map[string][]string{}}
}

// Qualified says whether the judge has shown skill.
func (j *judge) Qualified() bool { return j != nil && j.skill.Qualified() }

// Ask puts the sentences that were not asked about yet, in one call. One that had better
// wait for the rest of its speech has no opinion yet.
func (j *judge) Ask(ctx context.Context, questions []review.Question) ([]review.Opinion, error) {
	var texts, along []string
	asking := j.asking
	for _, q := range questions {
		_, known := j.said[grounding.WithoutConnective(q.Text)]
		switch {
		case known || j.ahead:
		case q.Along && q.Score >= j.from && j.asking.Splits():
			along = append(along, q.Text)
		case q.Claim && !q.Along:
			texts, asking = append(texts, q.Text), j.asking.Aside()
		case !q.Claim && q.Score >= j.from:
			texts = append(texts, q.Text)
		}
	}
	if len(texts) > 0 {
		texts = append(texts, along...)
	}
	err := j.put(ctx, asking, texts)
	out := make([]review.Opinion, len(questions))
	for i, q := range questions {
		out[i] = j.said[grounding.WithoutConnective(q.Text)]
	}
	return out, err
}

// split has a model take sentences apart, and gives nothing where it does not. It leaves a call
// for the judgement of what comes of it.
func (j *judge) split(ctx context.Context, sentences []string) ([][]string, error) {
	var texts []string
	for _, s := range sentences {
		if _, known := j.told[grounding.WithoutConnective(s)]; !known && !j.ahead {
			texts = append(texts, s)
			j.told[grounding.WithoutConnective(s)] = nil // it is not asked again in this run
		}
	}
	var err error
	if a := j.asking.Aside(); len(texts) > 0 && a.CallsLeft() > 1 {
		var told [][]string
		if told, err = a.SplitSentences(ctx, texts, splitShare); err == nil {
			for i, claims := range told {
				j.told[grounding.WithoutConnective(texts[i])] = claims
			}
		}
	}
	out := make([][]string, len(sentences))
	for i, s := range sentences {
		out[i] = j.told[grounding.WithoutConnective(s)]
	}
	return out, err
}

// put asks about some sentences and keeps the opinions.
func (j *judge) put(ctx context.Context, asking *model.Turn, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	said, err := asking.JudgeSentences(ctx, texts, judgeShare)
	if err != nil {
		for _, text := range texts { // it is not asked again in this run
			j.said[grounding.WithoutConnective(text)] = review.Opinion{}
		}
		return err
	}
	for i, v := range said {
		j.said[grounding.WithoutConnective(texts[i])] = j.opinion(v)
	}
	return nil
}

// opinion is a judgement with what it weighs.
func (j *judge) opinion(v prompt.Judgement) review.Opinion {
	if v.N == 0 {
		return review.Opinion{}
	}
	return review.Opinion{Kind: entail.Kind(v.Kind), Label: v.Verdict, Evidence: j.skill.Evidence(v.Verdict, v.Confidence),
		Why: whyOf(v)}
}

// whyOf is what a judgement says for itself.
func whyOf(v prompt.Judgement) string {
	if v.Verdict != schema.Supported {
		return "the judge: not shown: " + v.Difference
	}
	return "the judge supports it"
}
