package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// The ways in which an index of memories fails.
const (
	storeSlow = "slow"
	storeDown = "down"
	storeHalf = "half" // of a batch the half is written, and then it fails
)

var errStore = errors.New("the store is broken by chaos")

// session is a process's index of memories, which fails as it is told.
type session struct {
	store.Session
	mode *atomic.Value
}

// ail fails, or waits, as the mode says.
func (s session) ail(ctx context.Context) error {
	switch s.mode.Load() {
	case storeDown:
		return errStore
	case storeSlow:
		sleep(ctx, 1500*time.Millisecond)
		return ctx.Err()
	}
	return nil
}

func (s session) Put(ctx context.Context, points []store.MemoryPoint) error {
	if err := s.ail(ctx); err != nil {
		return err
	}
	if s.mode.Load() == storeHalf {
		return errors.Join(s.Session.Put(ctx, points[:len(points)/2]), errStore)
	}
	return s.Session.Put(ctx, points)
}

func (s session) Get(ctx context.Context, world, id string) (store.MemoryPoint, error) {
	if err := s.ail(ctx); err != nil {
		return store.MemoryPoint{}, err
	}
	return s.Session.Get(ctx, world, id)
}

func (s session) Scroll(
	ctx context.Context, f store.MemoryFilter, after string, limit int,
) ([]store.MemoryPoint, error) {
	if err := s.ail(ctx); err != nil {
		return nil, err
	}
	return s.Session.Scroll(ctx, f, after, limit)
}

func (s session) Nearest(
	ctx context.Context, f store.MemoryFilter, model string, v []float32, k int,
) ([]store.Scored, error) {
	if err := s.ail(ctx); err != nil {
		return nil, err
	}
	return s.Session.Nearest(ctx, f, model, v, k)
}

func (s session) Mark(ctx context.Context, key, value string) error {
	if err := s.ail(ctx); err != nil {
		return err
	}
	return s.Session.Mark(ctx, key, value)
}

func (s session) Marked(ctx context.Context, key string) (string, error) {
	if err := s.ail(ctx); err != nil {
		return "", err
	}
	return s.Session.Marked(ctx, key)
}

// storeIs has the index of one process fail for a while; the process goes on.
func storeIs(mode string) strike {
	return func(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
		long := between(d, time.Second, 3*time.Second)
		p := r.fleet.take(d.IntN(r.Processes))
		if p == nil {
			return false, nil
		}
		defer r.fleet.giveBack(p)
		p.store.Store(mode)
		defer p.store.Store("")
		sleep(ctx, long)
		return true, nil
	}
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
