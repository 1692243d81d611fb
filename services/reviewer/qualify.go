package reviewer

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/review"
)

// qualifyAtOnce is how many pairs are put to a judge at a time.
const qualifyAtOnce = 4

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
	skill, answered := &review.Skill{}, 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(qualifyAtOnce)
	for _, p := range pairs {
		group.Go(func() error {
			v, err := m.JudgeOne(ctx, p.Evidence, p.Question, p.Sentence)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || v.N == 0 {
				failed = err
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
func (s *Service) Believe(skill *review.Skill) { s.believed.Store(skill) }

func (s *Service) skill() *review.Skill { return s.believed.Load() }
