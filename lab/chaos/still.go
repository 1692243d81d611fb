package chaos

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/forsooth-npc/forsooth/lab/invariant"
)

// stillness watches for times in which the machine gives this process no processor.
// What breaks, and the mesh that is to hold, stand in this one process: while it does
// not run, no deadline can be kept. A time in which it ran and was slow is not one: of
// each gap what it has run is taken off, or a machine that lets it run a little between
// two gaps would count as one that never does, and no deadline would ever come.
type stillness struct {
	end  chan struct{}
	once sync.Once
	wait sync.WaitGroup

	last  time.Time     // when the watcher was awake before
	spent time.Duration // and what the process had run by then

	mu   sync.Mutex
	seen []invariant.Outage
}

// A watcher that is woken this much too late, less what the process ran, was not let run.
const (
	stillTick  = 10 * time.Millisecond
	stillLeast = 20 * time.Millisecond
)

func watchStillness() *stillness {
	s := newStillness(time.Now(), processor())
	s.wait.Go(func() {
		for {
			timer := time.NewTimer(stillTick)
			select {
			case <-s.end:
				timer.Stop()
				return
			case <-timer.C:
			}
			s.awake(time.Now(), processor())
		}
	})
	return s
}

func newStillness(now time.Time, spent time.Duration) *stillness {
	return &stillness{end: make(chan struct{}), last: now, spent: spent}
}

// awake is told each time when the watcher is awake, and what the process has run in all.
func (s *stillness) awake(now time.Time, spent time.Duration) {
	still := now.Sub(s.last) - stillTick - (spent - s.spent)
	s.last, s.spent = now, spent
	if still <= stillLeast {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, invariant.Outage{Begin: now.Add(-still), End: now})
}

// times are those that were seen so far. They stand in order and apart.
func (s *stillness) times() []invariant.Outage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func (s *stillness) stop() {
	s.once.Do(func() { close(s.end) })
	s.wait.Wait()
}

// processor is what this process has had of it.
func processor() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
