package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// runner is one durable consumer with its workers. Every message of a stream is handled by
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
type runner struct {
	m        *Mesh
	name     string
	stream   string
	filter   string
	workers  int
	prefetch int
	ackWait  time.Duration // of the mesh unless set
	offered  bool          // long work is offered to other processes as well

	// handle does the work of a message. It may be given the same message again.
	handle func(ctx context.Context, d *delivery) error
	// bury stores the dead letter of a message, and ends what waits for the message.
	bury func(ctx context.Context, d *delivery, cause error) error

	limit   time.Duration // of one call of handle or bury; 0: they set their own
	slowest time.Duration // the mean wait between two tries does not grow beyond it; default maxLater
	patient bool          // only a panic is a failure: an error is tried until it succeeds
	costly  bool          // the first panic makes a dead letter: another try would ask its models again

	tries tries
	mu    sync.Mutex
	held  map[uint64]*held // by stream sequence
	slots chan struct{}    // one taken for each worker at work
	room  chan struct{}    // one taken for each message in hand or asked for
	wg    sync.WaitGroup
	bound atomic.Bool // it is asking for messages
}

// delivery is a message in a worker's hands.
type delivery struct {
	msg      jetstream.Msg
	subject  string
	data     []byte
	sequence uint64 // in its stream
	attempt  int
	stored   time.Time // the broker's timestamp
	of       string    // the turn or event that it is of, once the handler has read it; for reports
}

// verdict is what becomes of a delivery.
type verdict struct {
	kind  verdictKind
	delay time.Duration
}

type verdictKind int

const (
	verdictAck verdictKind = iota
	verdictTerm
	verdictPutBack // always with a delay: a bare Nak comes back at once, for ever
	verdictAbandon // say nothing; only a killed worker does
)

var (
	acked     = verdict{kind: verdictAck}
	termed    = verdict{kind: verdictTerm}
	abandoned = verdict{kind: verdictAbandon}
)

func putBack(d time.Duration) verdict { return verdict{kind: verdictPutBack, delay: d} }

type held struct {
	msg   jetstream.Msg
	since time.Time
}

func (m *Mesh) addRunner(r *runner) {
	r.m = m
	r.workers = cmp.Or(r.workers, m.opts.Workers)
	r.prefetch = cmp.Or(r.prefetch, r.workers)
	r.ackWait = min(cmp.Or(r.ackWait, m.opts.AckWait), m.opts.AckWait)
	r.slowest = cmp.Or(r.slowest, maxLater)
	m.runners = append(m.runners, r)
}

// Unbound are the consumers of this process that ask for no messages: before Run,
// and after it.
func (m *Mesh) Unbound() []string {
	var out []string
	for _, r := range m.runners {
		if !r.bound.Load() {
			out = append(out, r.name)
		}
	}
	return out
}

// run consumes until ctx ends. Handlers run under work, which lives longer.
func (r *runner) run(ctx, work context.Context) error {
	var cons jetstream.Consumer
	err := r.m.conn.RetryUnavailable(ctx, "consumer "+r.name+" of "+r.stream, func(ctx context.Context) (err error) {
		cons, err = r.m.conn.EnsureConsumer(ctx, r.stream, r.name, r.filter, r.workers, r.ackWait)
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
	r.slots = make(chan struct{}, r.workers)
	r.room = make(chan struct{}, r.workers+r.prefetch)
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
	timer := time.AfterFunc(r.m.opts.DrainTimeout, func() { stop(errDrained) })
	<-pulled
	r.wg.Wait()
	timer.Stop()
	stopBeating()
	beat.Wait()
	return err
}

// errDrained is the cause of a handler's context that outlived the drain.
var errDrained = errors.New("the service is stopping")

// offerAgain is how soon a process passes on what it is offered a second time.
const offerAgain = 100 * time.Millisecond

// take has a message in hand from now on, and gives it to a worker as soon as one is free.
// Its room is free again when the worker has done with it.
func (r *runner) take(work context.Context, msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil { // not a message of a consumer
		<-r.room
		return
	}
	if transport.IsMarker(msg.Headers()) {
		_ = msg.Ack()
		<-r.room
		return
	}
	h := r.hold(meta.Sequence.Stream, msg)
	if h == nil {
		<-r.room
		return
	}
	d := &delivery{msg: msg, subject: msg.Subject(), data: msg.Data(), sequence: meta.Sequence.Stream,
		attempt: int(meta.NumDelivered), stored: meta.Timestamp}
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
		ctx, ended := r.begin(work, d)
		v := r.work(ctx, d)
		r.answer(d, h, v)
		ended(v)
	})
}

// hold notes that a message is in hand; nil: it was before, and nothing is done twice.
func (r *runner) hold(sequence uint64, msg jetstream.Msg) *held {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.held[sequence]
	if h == nil {
		h = &held{msg: msg, since: time.Now()}
		r.held[sequence] = h
		return h
	}
	if r.offered {
		_ = msg.NakWithDelay(offerAgain) // for somebody else; the ack of the older delivery stands
	} else {
		h.msg = msg // the newer delivery is the one to be acked
	}
	return nil
}

// work handles a message and says what becomes of it.
func (r *runner) work(ctx context.Context, d *delivery) verdict {
	if cause := r.tries.condemned(d.sequence); cause != nil {
		return r.buried(ctx, d, cause) // only its dead letter is still to be stored
	}
	return r.decide(ctx, d, r.guarded(ctx, d, r.handle))
}

// guarded calls a function of the consumer; a panic in it is an error.
func (r *runner) guarded(ctx context.Context, d *delivery, f func(context.Context, *delivery) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{where: r.name, value: v, stack: debug.Stack()}
		}
	}()
	if r.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.limit)
		defer stop()
	}
	return f(ctx, d)
}

// decide turns the error of a handler into what becomes of its message.
func (r *runner) decide(ctx context.Context, d *delivery, err error) verdict {
	var later *laterError
	var rejected *rejectError
	switch {
	case err == nil:
		return acked
	case killed(err):
		return abandoned
	case errors.As(err, &rejected):
		return r.condemn(ctx, d, rejected.err)
	case errors.As(err, &later):
		return putBack(later.delay)
	case errors.Is(context.Cause(ctx), errDrained):
		return putBack(time.Millisecond)
	}
	switch n := r.failures(d, err); {
	case n == 1:
		return r.condemn(ctx, d, err)
	case n > 1:
		return r.condemn(ctx, d, fmt.Errorf("failed %d times: %w", n, err))
	}
	r.report(d, "retry", err)
	return putBack(r.pause(d, err))
}

// failures counts a failure. It gives their number where they have made the message poison.
func (r *runner) failures(d *delivery, err error) int {
	var p *panicError
	panicked := errors.As(err, &p)
	if r.patient && !panicked {
		return 0
	}
	n := r.tries.failed(d.sequence, r.m.opts.Now())
	if n >= r.m.opts.MaxAttempts || panicked && r.costly {
		return n
	}
	return 0
}

// pause is how long a message that has failed waits for its next try. It follows the count
// of deliveries, which all processes of the consumer share.
func (r *runner) pause(d *delivery, err error) time.Duration {
	var failed *failedError
	if errors.As(err, &failed) {
		return failed.again
	}
	return transport.RetryDelay(d.attempt, r.slowest)
}

// condemn makes a dead letter of a message, now or when it comes again.
func (r *runner) condemn(ctx context.Context, d *delivery, cause error) verdict {
	r.report(d, "reject", cause)
	r.tries.condemn(d.sequence, cause, r.m.opts.Now())
	return r.buried(ctx, d, cause)
}

func (r *runner) buried(ctx context.Context, d *delivery, cause error) verdict {
	err := r.guarded(ctx, d, func(ctx context.Context, d *delivery) error { return r.bury(ctx, d, cause) })
	switch {
	case err == nil:
		return termed
	case killed(err):
		return abandoned
	}
	r.report(d, "retry", err)
	return putBack(transport.RetryDelay(d.attempt, r.slowest))
}

func (r *runner) report(d *delivery, outcome string, err error) {
	if d.of == "" { // it was not read
		subject, _ := protocol.ParseSubject(d.subject)
		d.of = subject.Turn
	}
	r.m.opts.Report(Report{Where: r.name, Subject: d.subject, Turn: d.of, Attempt: d.attempt, Outcome: outcome, Err: err})
}

// answer tells the broker what becomes of a message.
func (r *runner) answer(d *delivery, h *held, v verdict) {
	r.mu.Lock()
	msg := h.msg
	delete(r.held, d.sequence)
	r.mu.Unlock()
	var err error
	switch v.kind {
	case verdictAck:
		r.tries.forget(d.sequence)
		err = msg.Ack()
	case verdictTerm:
		r.tries.forget(d.sequence)
		err = msg.Term()
	case verdictPutBack:
		err = msg.NakWithDelay(max(v.delay, time.Millisecond))
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		r.report(d, "lost", err)
	}
}

// beat tells the broker that long work is still in hand, three times within the
// time after which it would give the message to another. Of work that is offered
// nothing is said: another is to have it.
func (r *runner) beat(ctx context.Context) {
	if r.offered {
		return
	}
	every := r.ackWait / 3
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
