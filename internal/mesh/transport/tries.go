package transport

import (
	"maps"
	"sync"
	"time"
)

// tries are the messages of a consumer that have failed in this process and are not done
// yet. The broker counts deliveries, and a message that is only put back for a moment is
// delivered as often. Other processes count for themselves: what fails on one machine alone
// is done on another.
type tries struct {
	mu     sync.Mutex
	by     map[uint64]*tried // by stream sequence
	tidyAt int
}

type tried struct {
	failures int
	cause    error // why it is to be a dead letter; nil: it is not
	last     time.Time
}

// triedFor is how long a message is remembered that another process may have done.
const triedFor = time.Hour

// of gives the record of a message. The lock is held.
func (t *tries) of(sequence uint64, now time.Time) *tried {
	x := t.by[sequence]
	if x == nil {
		if t.by == nil {
			t.by, t.tidyAt = map[uint64]*tried{}, 1024
		}
		if len(t.by) >= t.tidyAt {
			maps.DeleteFunc(t.by, func(_ uint64, x *tried) bool { return now.Sub(x.last) > triedFor })
			t.tidyAt = max(1024, 2*len(t.by))
		}
		x = &tried{}
		t.by[sequence] = x
	}
	x.last = now
	return x
}

// failed counts a failure, and gives their number.
func (t *tries) failed(sequence uint64, now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.of(sequence, now)
	x.failures++
	return x.failures
}

// condemn keeps why a message is to be a dead letter, until that is stored.
func (t *tries) condemn(sequence uint64, cause error, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(sequence, now).cause = cause
}

func (t *tries) condemned(sequence uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.by[sequence]; x != nil {
		return x.cause
	}
	return nil
}

func (t *tries) forget(sequence uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.by, sequence)
}
