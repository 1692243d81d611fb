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

// silentAtStart is how long a process that starts waits for a stream whose servers elect a
// leader. An election takes four to nine seconds, and one may follow another.
const silentAtStart = time.Minute

// isSilent: the stream or consumer has no leader at the moment, or the answer was lost.
// That there is no JetStream at all is no silence: it is said at once.
func isSilent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || apiCode(err) == codeUnavailable
}

// untilAnswered puts a question again while nobody answers it. An answer may be lost with
// its connection: no attempt has all the time there is.
func untilAnswered(ctx context.Context, ask func(context.Context) error) error {
	return RetryWhile(ctx, isSilent, func() error {
		attempt, stop := context.WithTimeout(ctx, ReadTimeout)
		defer stop()
		return ask(attempt)
	})
}

// RetryUnavailable puts a question, which must do no harm when it is put twice, until somebody
// answers.
func (c *Conn) RetryUnavailable(ctx context.Context, about string, ask func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, silentAtStart)
	defer stop()
	err := untilAnswered(ctx, ask)
	if err != nil && isSilent(err) {
		return fmt.Errorf("the NATS server at %s gives no answer about %s; it may have no leader: look at the servers' "+
			"log, or at `nats server report jetstream` (%w)", c.url, about, err)
	}
	return err
}

// lookPatiently asks for a stream as it is now.
func (c *Conn) lookPatiently(ctx context.Context, name string) (s jetstream.Stream, err error) {
	err = c.RetryUnavailable(ctx, "stream "+name, func(ctx context.Context) error {
		s, err = c.Look(ctx, name)
		return err
	})
	return s, err
}

// How soon a question is put again under haste. What ends a turn has two
// seconds from the moment in which the broker is back, for some six questions.
const (
	hasteFirst = 500 * time.Millisecond // until it is put a second time
	hasteAgain = 250 * time.Millisecond
)

type hasteKey struct{}

// WithUrgentRetry has the requests under a context put again soon where an answer stays out:
// one that broke with its connection never comes, nor does one that was asked of a
// stream without a leader, and there is no time to wait for it.
func WithUrgentRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, hasteKey{}, true)
}

func hasty(ctx context.Context) bool {
	is, _ := ctx.Value(hasteKey{}).(bool)
	return is
}

// insist puts a question again and again and takes the first answer to any of these: a
// broker that is merely slow is heard as well.
func (c *Conn) insist(ctx context.Context, msg *nats.Msg, limit time.Duration) (*nats.Msg, error) {
	answers, err := c.nc.SubscribeSync(c.nc.NewInbox())
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	question := *msg
	question.Reply = answers.Subject
	began, asked := time.Now(), false
	for last := error(nats.ErrTimeout); ; {
		if !asked || c.nc.IsConnected() { // without a connection one copy waits for it, not one more each time
			if err := c.nc.PublishMsg(&question); err != nil {
				return nil, err
			}
			asked = true
		}
		for next := time.Now().Add(hasteAgain); time.Until(next) > 0; {
			answer, err := answers.NextMsg(time.Until(next))
			switch {
			case errors.Is(err, nats.ErrTimeout):
			case errors.Is(err, nats.ErrNoResponders):
				last = err // of this copy; an earlier one may still be answered
			case err != nil:
				return nil, err
			case IsLost(parseRefusal(answer.Data)):
				last = nats.ErrTimeout // an earlier copy is on its way
			default:
				return answer, nil
			}
		}
		if no, _ := c.refused.since(msg.Subject, began); no || time.Since(began) >= limit || ctx.Err() != nil {
			return nil, last
		}
	}
}
