package replay

import (
	"cmp"
	"context"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/mesh"
)

// workers handle messages beside each other, as those of the mesh do. A message whose
// handler says Later comes again when another worker has changed something, or when
// nobody is at work who could. No time is measured, so a replay ends as it did before.
type workers struct {
	running sync.WaitGroup

	mu      sync.Mutex
	busy    int           // messages that are handled, or about to be
	waiting int           // messages that wait for a change
	changes int           // how often something has changed
	news    chan struct{} // closed at the next change, where somebody waits
	failed  error         // of a message that nobody waits for
}

// begin counts a message in.
func (w *workers) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy++
}

// end counts a message out that is handled.
func (w *workers) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	w.tell()
}

// changed tells those who wait that something was stored.
func (w *workers) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell()
}

// tell wakes all who wait. They are at work from now on.
func (w *workers) tell() {
	w.changes++
	if w.waiting > 0 {
		w.busy, w.waiting = w.busy+w.waiting, 0
		close(w.news)
	}
}

func (w *workers) seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changes
}

// pause lets a message wait until more has changed than it has seen. Where that is so
// already it stays at work and wakes nobody: two that wait would else wake each other for
// ever, and take the worker for dead that both wait for.
func (w *workers) pause(seen int) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changes != seen {
		now := make(chan struct{})
		close(now)
		return now
	}
	if w.waiting == 0 {
		w.news = make(chan struct{})
	}
	news := w.news
	w.busy--
	if w.waiting++; w.busy == 0 {
		w.tell()
	}
	return news
}

// leave counts a message out that waits no longer.
func (w *workers) leave(news <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-news:
		w.busy--
	default:
		w.waiting--
	}
	if w.busy == 0 {
		w.tell()
	}
}

// deliver gives a message that is counted in to its handler, until that says something
// else than Later.
func (w *workers) deliver(ctx context.Context, handle func(attempt int) error) error {
	for attempt := 1; ; attempt++ {
		seen := w.seen()
		err := handle(attempt)
		if !mesh.IsLater(err) {
			w.end()
			return err
		}
		news := w.pause(seen)
		select {
		case <-news:
		case <-ctx.Done():
			w.leave(news)
			return context.Cause(ctx)
		}
	}
}

// send delivers a message that nobody waits for.
func (w *workers) send(ctx context.Context, handle func(attempt int) error) {
	w.begin()
	w.running.Go(func() {
		if err := w.deliver(ctx, handle); err != nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.failed = cmp.Or(w.failed, err)
		}
	})
}

// wait ends when every message has been handled, with the first error.
func (w *workers) wait() error {
	w.running.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}
