package transport

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Runner is one durable consumer with its workers. Every message of a stream is handled by
// one, under the same contract:
//
//   - The handler's error decides. nil acks the message. Later puts it back for a moment,
//     and is no failure. Reject makes a dead letter of it at once. Any other error is a
//     failure, and so is a panic: the message comes again after a growing delay.
//   - After MaxAttempts failures the message is a dead letter. That is stored before the
//     message goes, and the consumer goes on with the next one.
//   - A message is in hand from its receipt until its verdict, also while it waits for a
//     worker. The broker is told so three times within AckWait, and gives it to nobody else.
//   - There are at most as many workers at once as the consumer says, and as many messages
//     in hand as it has workers and prefetch. More is not asked for: it waits at the broker,
//     where any process may take it.
type Runner struct {
	Name     string
	Stream   string
	Filter   string
	Workers  int
	Prefetch int // messages in hand beyond those in work; default as many as workers
	AckWait  time.Duration
	Offered  bool // long work is offered to other processes as well
	Shared   bool // other processes work the same consumer

	// Handle does the work of a message. It may be given the same message again.
	Handle func(ctx context.Context, d *Delivery) error
	// Bury stores the dead letter of a message, and ends what waits for the message.
	Bury func(ctx context.Context, d *Delivery, cause error) error

	Limit       time.Duration // of one call of Handle or Bury; 0: they set their own
	Drain       time.Duration // how long work in hand may go on once the runner stops
	MaxAttempts int           // failures after which a message is a dead letter
	Slowest     time.Duration // the mean wait between two tries does not grow beyond it; default MaxLater
	Patient     bool          // only a panic is a failure: an error is tried until it succeeds
	Costly      bool          // the first panic makes a dead letter: another try would ask its models again

	// The owner of the runner sets these, but for Watch, which may be nil.
	Now    func() time.Time
	Watch  Watch                                        // told what becomes of each message
	Report func(d *Delivery, outcome string, err error) // what went wrong; d is nil where no message is at hand
	Bound  func()                                       // called once, when the runner asks for messages

	conn  *Conn
	tries tries
	mu    sync.Mutex
	held  map[uint64]*held // by stream sequence
	slots chan struct{}    // one taken for each worker at work
	room  chan struct{}    // one taken for each message in hand or asked for
	wg    sync.WaitGroup
	bound atomic.Bool // it is asking for messages
}

// Watch is told that a worker takes a message in hand. The worker goes on with the context that it gives, and calls
// end when it has done with the message.
type Watch func(ctx context.Context, d *Delivery) (_ context.Context, end func(Verdict))

// Delivery is a message in a worker's hands.
type Delivery struct {
	Msg      jetstream.Msg
	Subject  string
	Data     []byte
	Sequence uint64 // in its stream
	Attempt  int
	Stored   time.Time // the broker's timestamp
	Of       string    // the turn or event that it is of, once the handler has read it; for reports
}

type held struct {
	msg   jetstream.Msg
	since time.Time
}

// On gives the runner its connection, and defaults for what is not set.
func (r *Runner) On(conn *Conn) *Runner {
	r.conn = conn
	r.Prefetch = cmp.Or(r.Prefetch, r.Workers)
	r.Slowest = cmp.Or(r.Slowest, MaxLater)
	if r.Watch == nil {
		r.Watch = func(ctx context.Context, _ *Delivery) (context.Context, func(Verdict)) { return ctx, func(Verdict) {} }
	}
	return r
}

// Asks says whether the runner asks for messages: before Run, and after it, it does not.
func (r *Runner) Asks() bool { return r.bound.Load() }

// Run consumes until ctx ends. Handlers run under work, which lives longer.
func (r *Runner) Run(ctx, work context.Context) error {
	var cons jetstream.Consumer
	err := r.conn.RetryUnavailable(ctx, "consumer "+r.Name+" of "+r.Stream, func(ctx context.Context) (err error) {
		cons, err = r.conn.EnsureConsumer(ctx, r.Stream, r.Name, r.Filter, r.Workers, r.AckWait)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	work, stop := context.WithCancelCause(work)
	defer stop(nil)
	r.held = map[uint64]*held{}
	r.slots = make(chan struct{}, r.Workers)
	r.room = make(chan struct{}, r.Workers+r.Prefetch)
	defer r.bound.Store(false)
	beating, stopBeating := context.WithCancel(work)
	var beat sync.WaitGroup
	beat.Go(func() { r.beat(beating) })

	pulled := make(chan struct{})
	go func() {
		defer close(pulled)
		err = r.pull(ctx, work, cons)
	}()
	select {
	case <-ctx.Done():
	case <-pulled:
	}
	// What has been delivered here is worked on to its end: given back, it would come
	// to another worker a second time.
	timer := time.AfterFunc(r.Drain, func() { stop(ErrDrained) })
	<-pulled
	r.wg.Wait()
	timer.Stop()
	stopBeating()
	beat.Wait()
	return err
}

// offerAgain is how soon a process passes on what it is offered a second time.
const offerAgain = 100 * time.Millisecond

// take has a message in hand from now on, and gives it to a worker as soon as one is free.
// Its room is free again when the worker has done with it.
func (r *Runner) take(work context.Context, msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil { // not a message of a consumer
		<-r.room
		return
	}
	if IsMarker(msg.Headers()) {
		_ = msg.Ack()
		<-r.room
		return
	}
	h := r.hold(meta.Sequence.Stream, msg)
	if h == nil {
		<-r.room
		return
	}
	d := &Delivery{Msg: msg, Subject: msg.Subject(), Data: msg.Data(), Sequence: meta.Sequence.Stream,
		Attempt: int(meta.NumDelivered), Stored: meta.Timestamp}
	r.wg.Go(func() {
		defer func() { <-r.room }()
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-work.Done():
			// The drain took too long: what has not begun goes to another worker now.
			r.answer(d, h, putBack(time.Millisecond))
			return
		}
		ctx, ended := r.Watch(work, d)
		v := r.Work(ctx, d)
		r.answer(d, h, v)
		ended(v)
	})
}

// hold notes that a message is in hand; nil: it was before, and nothing is done twice.
func (r *Runner) hold(sequence uint64, msg jetstream.Msg) *held {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.held[sequence]
	if h == nil {
		h = &held{msg: msg, since: time.Now()}
		r.held[sequence] = h
		return h
	}
	if r.Offered {
		_ = msg.NakWithDelay(offerAgain) // for somebody else; the ack of the older delivery stands
	} else {
		h.msg = msg // the newer delivery is the one to be acked
	}
	return nil
}

// answer tells the broker what becomes of a message.
func (r *Runner) answer(d *Delivery, h *held, v Verdict) {
	r.mu.Lock()
	msg := h.msg
	delete(r.held, d.Sequence)
	r.mu.Unlock()
	var err error
	switch v.Kind {
	case VerdictAck:
		r.tries.forget(d.Sequence)
		err = msg.Ack()
	case VerdictTerm:
		r.tries.forget(d.Sequence)
		err = msg.Term()
	case VerdictPutBack:
		err = msg.NakWithDelay(max(v.Delay, time.Millisecond))
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		r.Report(d, "lost", err)
	}
}

// beat tells the broker that long work is still in hand, three times within the
// time after which it would give the message to another. Of work that is offered
// nothing is said: another is to have it.
func (r *Runner) beat(ctx context.Context) {
	if r.Offered {
		return
	}
	every := r.AckWait / 3
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var long []jetstream.Msg
		r.mu.Lock()
		for _, h := range r.held {
			if time.Since(h.since) >= every/2 {
				long = append(long, h.msg)
			}
		}
		r.mu.Unlock()
		for _, msg := range long {
			_ = msg.InProgress()
		}
	}
}
