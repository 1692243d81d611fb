package chaos

import (
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
				s.seen = append(s.seen, invariant.Outage{Begin: last.Add(stillTick), End: now})
			}
			last, spent = now, ran
		}
	})
	return s
}

// stop ends the watch and says what it saw.
func (s *stillness) stop() []invariant.Outage {
	s.once.Do(func() { close(s.end) })
	s.wait.Wait()
	return s.seen
}

// processor is what this process has had of it.
func processor() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
