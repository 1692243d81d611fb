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

// qualifyEvery is how often a judge is put to the test, and qualifyAgain how long the next
// one waits where it could not be asked.
const (
	qualifyEvery = 24 * time.Hour
	qualifyAgain = time.Minute
)

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

// startQualifying tests the judge once a day, and again soon where it could not be asked.
// Until it has shown skill nobody asks it. What it has shown is kept in the data folder,
// so a start within the day believes it at once. A process that runs no mesh may wait for
// the test.
func (a *App) startQualifying(ctx context.Context, o Options, s *reviewer.Service, m *model.Model) {
	if m == nil || !o.Judge || !a.reviews {
		return
	}
	if o.JudgeFirst != nil {
		skill, _ := qualify(ctx, o, s, m)
		o.JudgeFirst(skill)
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.qualifying = &qualifying{stop: stop}
	next := time.Duration(0)
	if before := readShown(o); before != nil {
		s.Believe(before.Skill)
		next = qualifyEvery - o.now().Sub(before.At)
	}
	a.qualifying.wait.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(next):
			}
			next = qualifyEvery
			skill, err := qualify(ctx, o, s, m)
			if err == nil {
				err = writeShown(o, skill)
			}
			if err != nil {
				next = qualifyAgain
			}
		}
	})
}

// qualify tests a judge once. One that cannot be asked has shown nothing.
func qualify(ctx context.Context, o Options, s *reviewer.Service, m *model.Model) (*review.Skill, error) {
	skill, err := reviewer.Qualify(ctx, m)
	if ctx.Err() != nil {
		return skill, ctx.Err()
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
	return skill, err
}
