package chaos

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/lab/invariant"
)

// lookTick is how often it is looked whether a cluster can store.
const lookTick = 20 * time.Millisecond

// elections watches a cluster for times in which a stream that every turn needs has no
// leader. A cut that has healed is not over with that: a node that comes back with a
// higher term has the others elect anew, which takes them four to nine seconds, and
// nothing can be stored meanwhile.
type elections struct {
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu   sync.Mutex
	seen []invariant.Outage
	from time.Time // when the one under way began; zero while all is led
}

// watchElections looks until stop. The first look must find all led.
func watchElections(ctx context.Context, whole func() bool) *elections {
	e := &elections{}
	ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	e.wait.Go(func() {
		for sleep(ctx, lookTick) {
			began := time.Now()
			e.note(whole(), began)
		}
	})
	return e
}

// note is told what a look found that began then. What was led at the first look and
// at the last of a time counts as led in between: no time is made longer than it was
// seen.
func (e *elections) note(whole bool, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case !whole && e.from.IsZero():
		e.from = at
	case whole && !e.from.IsZero():
		e.seen = append(e.seen, invariant.Outage{Begin: e.from, End: at})
		e.from = time.Time{}
	}
}

// times are those that have ended so far.
func (e *elections) times() []invariant.Outage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen)
}

func (e *elections) stop() {
	e.cancel()
	e.wait.Wait()
}
