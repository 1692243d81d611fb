package chaos

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/forsooth-npc/forsooth/internal/invariant"
)

// stillness watches for times in which the machine gives this process no processor.
// What breaks, and the mesh that is to hold, stand in this one process: while it does
// not run, no deadline can be kept. A time in which it ran and was slow is not one.
type stillness struct {
	end  chan struct{}
	once sync.Once
	wait sync.WaitGroup

	mu   sync.Mutex
	seen []invariant.Outage
}

// A watcher that is woken this much too late was not let run.
const (
	stillTick  = 10 * time.Millisecond
	stillLeast = 20 * time.Millisecond
)

func watchStillness() *stillness {
	s := &stillness{end: make(chan struct{})}
	s.wait.Go(func() {
		for last, spent := time.Now(), processor(); ; {
			timer := time.NewTimer(stillTick)
			select {
			case <-s.end:
				timer.Stop()
				return
			case <-timer.C:
			}
			now, ran := time.Now(), processor()
			if gap := now.Sub(last); gap > stillTick+stillLeast && ran-spent < gap/2 {
				s.mu.Lock()
				s.seen = append(s.seen, invariant.Outage{Begin: last.Add(stillTick), End: now})
				s.mu.Unlock()
			}
			last, spent = now, ran
		}
	})
	return s
}

// times are those that were seen so far.
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
