package gateway

import (
	"context"
	"sync"
)

// lasting is what lives as long as the gateway and not as long as a request: sockets, and
// who listens to the proposals of a world.
type lasting struct {
	living context.Context
	stop   context.CancelFunc

	mu    sync.Mutex
	ended bool
	wait  sync.WaitGroup
}

func newLasting() *lasting {
	l := &lasting{}
	l.living, l.stop = context.WithCancel(context.Background())
	return l
}

// begin runs f until the gateway ends; false where it has.
func (l *lasting) begin(f func(living context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.wait.Go(func() { f(l.living) })
	return true
}

// end has everything end, and waits for it.
func (l *lasting) end() {
	l.stop()
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.wait.Wait()
}
