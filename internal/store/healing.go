package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// HealingOptions are what such a session is made of.
type HealingOptions struct {
	Open   func(context.Context) (Session, error)
	Notice func(string)  // one line when it goes away, and one when it is back
	First  time.Duration // how long New waits for the server; default 3 s
}

const (
	firstWait  = 100 * time.Millisecond // between two tries; it doubles
	longestTry = 2 * time.Second
	pingLimit  = 2 * time.Second
	firstTry   = 3 * time.Second
)

// Healing is a session over a server that may be away: when it is opened, in the middle,
// for a second or for a day. Meanwhile every request fails at once with what is wrong, so
// that a turn does not wait for it. The server is tried again until it is back. Healing
// keeps nothing and repeats nothing: what could not be written is written by whoever
// follows the memory log.
type Healing struct {
	o    HealingOptions
	stop context.CancelFunc
	done sync.WaitGroup
	sick chan struct{} // told when a request failed

	mu     sync.Mutex
	inner  Session // nil until it was opened
	behind []Session
	err    error // why it cannot be used; nil while it can
}

var _ Session = (*Healing)(nil)

// NewHealing opens the session, or begins to try. It never fails: what is wrong is told,
// and is the error of each request.
func NewHealing(ctx context.Context, o HealingOptions) *Healing {
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.First == 0 {
		o.First = firstTry
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Healing{o: o, stop: stop, sick: make(chan struct{}, 1)}
	begin, cancel := context.WithTimeout(ctx, o.First)
	defer cancel()
	if err := s.open(begin); err != nil {
		s.fail(err)
	}
	s.done.Go(func() { s.watch(life) })
	return s
}

// away is why a session cannot be used now.
type away struct{ why error }

func (a away) Error() string        { return a.why.Error() }
func (a away) Unwrap() error        { return a.why }
func (a away) Is(target error) bool { return target == ErrUnavailable }

// fail notes that the session cannot be used, and tells it once.
func (s *Healing) fail(why error) {
	s.mu.Lock()
	known := s.err != nil
	if !known {
		s.err = away{why}
	}
	if errors.Is(why, ErrGone) && s.inner != nil { // it is made anew
		s.behind, s.inner = append(s.behind, s.inner), nil
	}
	s.mu.Unlock()
	if known {
		return
	}
	s.o.Notice("nothing is remembered beyond the conversation at hand until this is mended: " + why.Error())
	select {
	case s.sick <- struct{}{}:
	default:
	}
}

func (s *Healing) open(ctx context.Context) error {
	inner, err := s.o.Open(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inner = inner
	return nil
}

// watch tries a session that failed until it can be used again.
func (s *Healing) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.sick:
		}
		for wait := firstWait; ; wait = min(2*wait, longestTry) {
			if s.heal(ctx) {
				break
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
		}
	}
}

// heal tries once.
func (s *Healing) heal(ctx context.Context) bool {
	s.mu.Lock()
	inner := s.inner
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	var err error
	if inner == nil {
		err = s.open(ctx)
	} else {
		_, err = inner.Marked(ctx, "")
	}
	if ctx.Err() != nil && err == nil {
		err = ctx.Err()
	}
	s.mu.Lock()
	if errors.Is(err, ErrGone) && s.inner != nil {
		s.behind, s.inner = append(s.behind, s.inner), nil
	}
	changed := err != nil && s.err != nil && differs(err, s.err)
	if err == nil {
		s.err = nil
	} else if changed {
		s.err = away{err}
	}
	s.mu.Unlock()
	switch {
	case err == nil:
		s.o.Notice("the memories can be reached again")
	case changed:
		s.o.Notice("the memories still cannot be used: " + err.Error())
	}
	return err == nil
}

// differs says whether a failure is of another kind than the one that was told: a
// server that is back may turn out to hold what cannot be used.
func differs(now, told error) bool {
	return passing(now) != passing(errors.Unwrap(told))
}

func passing(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

// with runs a request, and looks at what it says of the server.
func (s *Healing) with(f func(Session) error) error {
	s.mu.Lock()
	inner, err := s.inner, s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err = f(inner); passing(err) || errors.Is(err, ErrGone) {
		s.fail(err)
		return away{err}
	}
	return err
}

// Put writes points.
func (s *Healing) Put(ctx context.Context, points []MemoryPoint) error {
	return s.with(func(in Session) error { return in.Put(ctx, points) })
}

// Get is one point.
func (s *Healing) Get(ctx context.Context, world, id string) (p MemoryPoint, err error) {
	err = s.with(func(in Session) error { p, err = in.Get(ctx, world, id); return err })
	return p, err
}

// Scroll is a page of points.
func (s *Healing) Scroll(
	ctx context.Context, f MemoryFilter, after string, limit int,
) (out []MemoryPoint, err error) {
	err = s.with(func(in Session) error { out, err = in.Scroll(ctx, f, after, limit); return err })
	return out, err
}

// Nearest are the points with the highest cosine.
func (s *Healing) Nearest(
	ctx context.Context, f MemoryFilter, model string, v []float32, k int,
) (out []Scored, err error) {
	err = s.with(func(in Session) error { out, err = in.Nearest(ctx, f, model, v, k); return err })
	return out, err
}

// Touch counts one use of each of the memories.
func (s *Healing) Touch(ctx context.Context, world string, ids []string, at time.Time) error {
	return s.with(func(in Session) error { return in.Touch(ctx, world, ids, at) })
}

// Gather counts the uses of some memories as uses of another.
func (s *Healing) Gather(ctx context.Context, world, into string, from []string) error {
	return s.with(func(in Session) error { return in.Gather(ctx, world, into, from) })
}

// Count is how many points the filter names.
func (s *Healing) Count(ctx context.Context, f MemoryFilter) (n int, err error) {
	err = s.with(func(in Session) error { n, err = in.Count(ctx, f); return err })
	return n, err
}

// Delete removes points.
func (s *Healing) Delete(ctx context.Context, f MemoryFilter) (n int, err error) {
	err = s.with(func(in Session) error { n, err = in.Delete(ctx, f); return err })
	return n, err
}

// Mark keeps a small value beside the points.
func (s *Healing) Mark(ctx context.Context, key, value string) error {
	return s.with(func(in Session) error { return in.Mark(ctx, key, value) })
}

// Marked is the value of a key.
func (s *Healing) Marked(ctx context.Context, key string) (value string, err error) {
	err = s.with(func(in Session) error { value, err = in.Marked(ctx, key); return err })
	return value, err
}

// Close ends the tries and the connection.
func (s *Healing) Close() error {
	s.stop()
	s.done.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var failed error
	for _, in := range append(s.behind, s.inner) {
		if in != nil {
			failed = errors.Join(failed, in.Close())
		}
	}
	s.behind, s.inner, s.err = nil, nil, away{fmt.Errorf("the session is closed")}
	return failed
}
