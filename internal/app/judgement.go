package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// Judgement is how a process judges sentences: by the model in process and the fit that
// belongs to its weights. Without the model only what is word for word in the evidence
// is supported; missing says why there is none.
func Judgement(o Verifying) (r *review.Reviewer, missing error) {
	if o.NoModel {
		return &review.Reviewer{}, nil
	}
	reader, err := NLI()
	if err != nil {
		return &review.Reviewer{}, err
	}
	fit, err := review.FitOf(reader.Calibration().Weights)
	if err != nil {
		return &review.Reviewer{}, err
	}
	return &review.Reviewer{Reader: reader, Fit: fit}, nil
}

// AlertJudge tells an operator what the judge has shown.
const AlertJudge = "JudgeSkill"

// qualifyEvery is how often a judge is put to the test.
const qualifyEvery = 24 * time.Hour

// qualifying is the test of a judge on its way.
type qualifying struct {
	stop context.CancelFunc
	wait sync.WaitGroup
}

// Close stops it.
func (q *qualifying) Close() {
	if q != nil {
		q.stop()
		q.wait.Wait()
	}
}

// startQualifying tests the language model as a judge now and once a day. Until it has
// shown skill nobody asks it. A process that runs no mesh may wait for the test.
func (a *App) startQualifying(ctx context.Context, o Options, s *reviewer.Service, m *model.Model) {
	if m == nil || !o.Judge || !a.reviews {
		return
	}
	if o.JudgeFirst != nil {
		o.JudgeFirst(qualify(ctx, o, s, m))
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.qualifying = &qualifying{stop: stop}
	a.qualifying.wait.Go(func() {
		for {
			qualify(ctx, o, s, m)
			select {
			case <-ctx.Done():
				return
			case <-time.After(qualifyEvery):
			}
		}
	})
}

// qualify tests a judge once. One that cannot be asked has shown nothing.
func qualify(ctx context.Context, o Options, s *reviewer.Service, m *model.Model) *review.Skill {
	skill, err := reviewer.Qualify(ctx, m)
	if ctx.Err() != nil {
		return skill
	}
	s.Believe(skill)
	switch {
	case err != nil:
		o.notice("the judge is not believed: " + err.Error())
	case !skill.Qualified():
		o.notice(fmt.Sprintf("the judge is not believed: of the test pairs it supports %.0f %% of the true and %.0f %% of the false ones",
			100*skill.Sensitivity(), 100*(1-skill.Specificity())))
		if o.Alert != nil {
			o.Alert(AlertJudge, "", "the judge has shown no skill, and the model in process decides alone")
		}
	}
	return skill
}
