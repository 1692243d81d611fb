package chaos

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// stuck is a pass that does not come back.
type stuck struct {
	pass  schema.Pass
	until time.Time
}

// passStuck has a pass, in whatever process, keep the turns that come to it for some
// seconds until their time is up: so does a service behind it that hangs.
func passStuck(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	s := &stuck{pass: r.aim(d), until: time.Now().Add(between(d, 500*time.Millisecond, 2*time.Second))}
	if !r.stuck.CompareAndSwap(nil, s) {
		return false, nil
	}
	defer r.stuck.Store(nil)
	sleep(ctx, time.Until(s.until))
	return true, nil
}

// keeps says whether a pass keeps this turn, of which nobody may then expect that a
// model answers it.
func (r *run) keeps(pass schema.Pass, turn string) bool {
	s := r.stuck.Load()
	if s == nil || s.pass != pass {
		return false
	}
	r.expect(turn)
	return true
}

func modelsDown(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	if !r.models.down.CompareAndSwap(false, true) {
		return false, nil
	}
	defer r.models.down.Store(false)
	sleep(ctx, between(d, time.Second, 5*time.Second))
	return true, nil
}

func moderationIs(mode string) strike {
	return func(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
		r.moderator.become(mode)
		defer r.moderator.become("")
		sleep(ctx, between(d, time.Second, 3*time.Second))
		return true, nil
	}
}

func verifierIs(mode string) strike {
	return func(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
		r.judge.become(mode)
		defer r.judge.become("")
		sleep(ctx, between(d, time.Second, 5*time.Second))
		return true, nil
	}
}
