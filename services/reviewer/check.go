package reviewer

import (
	"context"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// checkJudge is the judge of speeches, asked about a claim that belongs to no turn.
type checkJudge struct {
	service *Service
	from    float64
}

// Checks is the judge for texts that callers bring; nil where the process has no language
// model. A claim is supported from the score that is given.
func (s *Service) Checks(from float64) grounding.Judge {
	if s.asking == nil {
		return nil
	}
	return &checkJudge{service: s, from: from}
}

// Qualified says whether the judge has shown skill.
func (j *checkJudge) Qualified(ctx context.Context) bool { return j.service.skill(ctx).Qualified() }

// Again moves the score by what the answer weighs, as a review does.
func (j *checkJudge) Again(ctx context.Context, sources []string, claim string,
	before schema.Verdict) (schema.Verdict, error) {
	lines := make([]string, len(sources))
	for i, s := range sources {
		lines[i] = fmt.Sprintf("[E%d] %s", i+1, strings.Join(strings.Fields(s), " "))
	}
	said, err := j.service.asking.JudgeOne(ctx, strings.Join(lines, "\n"), "", claim)
	if err == nil && said.N == 0 {
		err = errMute
	}
	if err != nil {
		return before, err
	}
	skill := j.service.skill(ctx)
	opinion := review.Opinion{Label: said.Verdict, Evidence: skill.Evidence(said.Verdict, said.Confidence),
		Why: whyOf(said)}
	return opinion.Over(before, j.from), nil
}
