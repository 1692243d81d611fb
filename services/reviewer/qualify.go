package reviewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/review"
)

// qualifyAtOnce is how many pairs are put to a judge at a time.
const qualifyAtOnce = 4

// giveUpAfter is how many pairs in a row a judge may leave without an answer before
// nobody asks it any more.
const giveUpAfter = 8

var errMute = errors.New("it gives no verdict")

// Qualify puts the shipped pairs to a judge and gives what it has shown. A pair without
// an answer counts for nothing. The error is of the last call that failed, where no
// pair was answered at all.
func Qualify(ctx context.Context, m *model.Model) (*review.Skill, error) {
	pairs, err := review.Pairs()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var failed error
	misses := 0
	skill, answered := &review.Skill{}, 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(qualifyAtOnce)
	for _, p := range pairs {
		group.Go(func() error {
			v, err := m.JudgeOne(ctx, p.Evidence, p.Question, p.Sentence)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || v.N == 0 {
				if failed, misses = err, misses+1; answered == 0 && misses >= giveUpAfter {
					return cmp.Or(err, errMute)
				}
				return ctx.Err()
			}
			answered++
			skill.Saw(p.Label == "supported", v.Verdict, v.Confidence)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return skill, fmt.Errorf("qualify the judge: %w", err)
	}
	if answered == 0 && failed != nil {
		return skill, fmt.Errorf("qualify the judge: %w", failed)
	}
	return skill, nil
}

// Believe puts what a judge has shown in the place of what was known before.
func (s *Service) Believe(skill *review.Skill) {
	s.believed.Store(skill)
	if skill != nil {
		s.meter.Skilled(skill.Sensitivity(), skill.Specificity(), skill.Qualified())
	}
}

func (s *Service) skill() *review.Skill { return s.believed.Load() }
