package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// PullLife is how long a pull of a shared consumer stands: a drain waits for its end. Where
// a message may lie for less than that with a worker that is gone, so may its pull.
const PullLife = time.Second

// pull asks for messages until ctx ends, never for more than there is room for. Two pulls
// at a time, so that one stands while the other is made. The error says why no message can
// be had.
func (r *Runner) pull(ctx, work context.Context, cons jetstream.Consumer) error {
	began := time.Now()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var both sync.WaitGroup
	var gone atomic.Bool
	for i := range 2 {
		life := PullLife / time.Duration(i+1) // of the first of each, so that they do not end together
		both.Go(func() {
			for r.pullOnce(asking, work, cons, life) {
				life = PullLife
			}
			if asking.Err() == nil {
				gone.Store(true)
				stop()
			}
		})
	}
	both.Wait()
	if err := r.conn.Denied(r.nextSubject(), began, nil); err != nil {
		return err
	}
	if gone.Load() && ctx.Err() == nil {
		return fmt.Errorf("consumer %s on %s is gone; run `forsooth doctor`", r.Name, r.Stream)
	}
	return nil
}

// nextSubject is where messages of the consumer are asked for.
func (r *Runner) nextSubject() string { return "$JS.API.CONSUMER.MSG.NEXT." + r.Stream + "." + r.Name }

// pullOnce is one pull, and says whether there may be another.
func (r *Runner) pullOnce(ctx, work context.Context, cons jetstream.Consumer, life time.Duration) bool {
	n := r.reserve(ctx)
	if n == 0 {
		return false
	}
	if r.bound.CompareAndSwap(false, true) {
		r.Bound()
	}
	began, came := time.Now(), 0
	err := r.receive(ctx, cons, n, life, func(msg jetstream.Msg) {
		r.take(work, msg)
		came++
	})
	for range n - came {
		<-r.room
	}
	if no, _ := r.conn.RefusedSince(r.nextSubject(), began); no && came == 0 {
		return false
	}
	switch {
	case ctx.Err() != nil, isGone(err):
		return false
	case err == nil:
		return true
	}
	r.Report(nil, "retry", err)
	select {
	case <-ctx.Done():
	case <-time.After(PullLife / 10): // the broker has just refused; it is not asked in a circle
	}
	return true
}

// receive asks for n messages and gives those that come. A process that has the consumer
// to itself leaves the broker at once when ctx ends: what the broker had on its way then
// comes again after AckWait. Where others share the consumer nothing is to come twice: the
// pull is short, and stands until the broker has ended it.
func (r *Runner) receive(
	ctx context.Context, cons jetstream.Consumer, n int, life time.Duration, take func(jetstream.Msg),
) error {
	if r.Shared {
		batch, err := cons.Fetch(n, jetstream.FetchMaxWait(min(life, r.AckWait)))
		if err != nil {
			return err
		}
		for msg := range batch.Messages() {
			take(msg)
		}
		return batch.Error()
	}
	// One that the broker has lost is made again by the library.
	pull, err := cons.Messages(jetstream.PullMaxMessages(n), jetstream.StopAfter(n),
		jetstream.PullExpiry(30*time.Second), jetstream.PullHeartbeat(PullHeartbeat),
		jetstream.WithMessagesErrOnMissingHeartbeat(false))
	if err != nil {
		return err
	}
	defer pull.Stop()
	defer context.AfterFunc(ctx, pull.Drain)()
	for {
		msg, err := pull.Next()
		switch {
		case err == nil:
			take(msg)
		case errors.Is(err, jetstream.ErrMsgIteratorClosed) && !errors.Is(err, jetstream.ErrConnectionClosed):
			return nil
		default:
			return err
		}
	}
}

// isGone: there is no use in another pull.
func isGone(err error) bool {
	for _, gone := range []error{jetstream.ErrConsumerDeleted, jetstream.ErrConsumerNotFound,
		jetstream.ErrConnectionClosed, nats.ErrConnectionClosed} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// reserve takes room for the messages of a pull: half of all at most, and what there is
// once there is any. None when ctx ends.
func (r *Runner) reserve(ctx context.Context) (n int) {
	select {
	case <-ctx.Done():
		return 0
	case r.room <- struct{}{}:
	}
	for n = 1; n < cap(r.room)/2; n++ {
		select {
		case r.room <- struct{}{}:
		default:
			return n
		}
	}
	return n
}
