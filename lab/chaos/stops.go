package chaos

import (
	"context"
	"math/rand/v2"
	"time"
)

func brokerRestart(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	away := between(d, 100*time.Millisecond, 1500*time.Millisecond)
	err := r.broker.outage(ctx, r.fleet.back, func() error { return r.broker.restart(ctx, away, 0) })
	return err == nil, err
}

// diskFull starts the broker again with less room than it has filled: it takes nothing
// more, and what it holds can be read. A while later it has room again.
func diskFull(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	long := between(d, 500*time.Millisecond, 2*time.Second)
	err := r.broker.outage(ctx, r.fleet.back, func() error {
		if err := r.broker.restart(ctx, 0, 1); err != nil {
			return err
		}
		sleep(ctx, long)
		return r.broker.restart(ctx, 0, 0)
	})
	return err == nil, err
}

// stopped ends a process as an operator does, in the midst of its work.
func stopped(_ context.Context, r *run, d *rand.Rand) (bool, error) {
	p := r.fleet.take(d.IntN(r.Processes))
	if p == nil {
		return false, nil
	}
	p.stop()
	p.once.Do(func() { close(p.dead) })
	return true, nil
}
