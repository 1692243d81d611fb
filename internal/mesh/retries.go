package mesh

import (
	"maps"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Retries of a pass are a share of its turns, in each process: what a pass needs and is
// in trouble is not asked all the more because of it. A turn for which there is none
// left is put back unheard until there is one, and tried once more shortly before its
// end, when there is just time for the rest of its way.
const (
	retryShare   = 0.2 // unless Options says otherwise
	firstRetries = 20
	mostRetries  = 100

	lastTry = 1500 * time.Millisecond // before the end of the passes
)

// parking holds the turns of a pass that wait for a retry. It is this process's own:
// one that comes back to another process is tried there.
type parking struct {
	retries *limits.Retries

	mu     sync.Mutex
	parked map[uint64]time.Time // by sequence in the stream: the end of the turn
	tidyAt int
}

func newParking(share float64) *parking {
	return &parking{retries: limits.NewRetries(share, firstRetries, mostRetries), parked: map[uint64]time.Time{},
		tidyAt: 1024}
}

func (p *parking) park(sequence uint64, ends, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.parked) >= p.tidyAt {
		maps.DeleteFunc(p.parked, func(_ uint64, ends time.Time) bool { return now.After(ends) })
		p.tidyAt = max(1024, 2*len(p.parked))
	}
	p.parked[sequence] = ends
}

func (p *parking) leave(sequence uint64) (was bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, was = p.parked[sequence]
	delete(p.parked, sequence)
	return was
}

// retryIn is when a turn that failed is tried again; false where it is not.
func (p *passRunner) retryIn(d *transport.Delivery, t *protocol.Turn) (time.Duration, bool) {
	left := endsAt(t).Sub(p.m.opts.Now())
	delay := transport.RetryDelay(d.Attempt, transport.MaxLater)
	if p.parking.retries.Take() {
		return delay, delay < left
	}
	return p.putAside(d, t, left)
}

// putAside lets a turn wait until there may be a retry for it, or until its last try;
// false where that was it.
func (p *passRunner) putAside(d *transport.Delivery, t *protocol.Turn, left time.Duration) (time.Duration, bool) {
	last := left - min(lastTry, t.Deadline()/4)
	if last < lastTry/10 {
		return 0, false
	}
	p.parking.park(d.Sequence, endsAt(t), p.m.opts.Now())
	return min(last, max(transport.RetryDelay(transport.MostDelayed, transport.MaxLater), left/8)), true
}

// comesBack looks whether a turn that was put aside may be tried: wait says that it
// must stand aside longer, lent that a retry was taken for it.
func (p *passRunner) comesBack(d *transport.Delivery, t *protocol.Turn) (wait time.Duration, lent bool) {
	if !p.parking.leave(d.Sequence) {
		return 0, false
	}
	if p.parking.retries.Take() {
		return 0, true
	}
	wait, _ = p.putAside(d, t, endsAt(t).Sub(p.m.opts.Now()))
	return wait, false
}
