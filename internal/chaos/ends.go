package chaos

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

func brokerRestart(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	err := r.broker.restart(ctx, between(d, 100*time.Millisecond, 1500*time.Millisecond), r.fleet.back)
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

// storeDamaged kills a process and leaves half of its index of memories on the disk.
func storeDamaged(_ context.Context, r *run, d *rand.Rand) (bool, error) {
	slot := d.IntN(r.Processes)
	p := r.fleet.take(slot)
	if p == nil {
		return false, nil
	}
	path := filepath.Join(r.fleet.data(slot), "session.db")
	if info, err := os.Stat(path); err == nil {
		_ = os.Truncate(path, info.Size()/2) // the process dies either way
	}
	p.kill()
	return true, nil
}
