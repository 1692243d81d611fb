package reviewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
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

// Testing says that the judge is put to its first test. Reviews wait for it, or the first
// players would be answered as if there were no judge. done ends the test.
func (s *Service) Testing() (done func()) {
	over := make(chan struct{})
	s.testing.Store(&over)
	return sync.OnceFunc(func() { close(over) })
}

// skill is what the judge has shown. It waits for a first test for a share of the time that
// the context leaves; once that was not enough, nobody waits for this test again.
func (s *Service) skill(ctx context.Context) *review.Skill {
	over := s.testing.Load()
	if known := s.believed.Load(); known != nil || over == nil {
		return known
	}
	ends, timed := ctx.Deadline()
	if !timed {
		ends = time.Now().Add(schema.DefaultDeadline * time.Millisecond)
	}
	timer := time.NewTimer(time.Duration(judgeShare * float64(time.Until(ends))))
	defer timer.Stop()
	select {
	case <-*over:
	case <-ctx.Done():
	case <-timer.C:
		s.testing.CompareAndSwap(over, nil)
	}
	return s.believed.Load()
}
