package mesh

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

// pullHeartbeat is how often the broker says that a waiting pull still stands;
// twice that without a word, and the pull is made again.
const pullHeartbeat = 500 * time.Millisecond

// delivery is a message in a worker's hands.
type delivery struct {
	msg      jetstream.Msg
	subject  string
	data     []byte
	sequence uint64 // in its stream
	attempt  int
	stored   time.Time // the broker's timestamp
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

// runner is one durable consumer with its workers.
type runner struct {
	m        *Mesh
	name     string
	stream   string
	filter   string
	workers  int
	prefetch int
	ackWait  time.Duration // of the mesh unless set
	offered  bool          // long work is offered to other processes as well
	handle   func(ctx context.Context, d *delivery) verdict

	mu    sync.Mutex
	held  map[uint64]*held // by stream sequence
	slots chan struct{}
	wg    sync.WaitGroup
	bound atomic.Bool // it is asking for messages

	denied error // why it may ask for none; read after its end
}

// offerAgain is how soon a process passes on what it is offered a second time.
const offerAgain = 100 * time.Millisecond

type held struct {
	msg   jetstream.Msg
	since time.Time
}

// run consumes until ctx ends. Handlers run under work, which lives longer.
func (r *runner) run(ctx, work context.Context) error {
	var cons jetstream.Consumer
	err := r.m.conn.patiently(ctx, "consumer "+r.name+" of "+r.stream, func(ctx context.Context) (err error) {
		cons, err = r.m.consumer(ctx, r.stream, r.name, r.filter, r.workers, r.ackWait)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	r.held = map[uint64]*held{}
	r.slots = make(chan struct{}, r.workers)
	work, stop := context.WithCancelCause(work)
	defer stop(nil)

	pull := r.consume
	if r.m.opts.Shared {
		pull = r.fetch
	}
	consuming, err := pull(ctx, work, cons)
	if err != nil {
		return fmt.Errorf("consume %s: %w", r.name, err)
	}
	r.bound.Store(true)
	r.m.noteBound()
	defer r.bound.Store(false)
	beating, stopBeating := context.WithCancel(work)
	var beat sync.WaitGroup
	beat.Go(func() { r.beat(beating) })

	lost := false
	select {
	case <-ctx.Done():
	case <-consuming.Closed():
		lost = true
	}
	// What has been delivered here is worked on to its end: given back, it would come
	// to another worker a second time.
	timer := time.AfterFunc(r.m.opts.DrainTimeout, func() { stop(errDrained) })
	consuming.Drain()
	<-consuming.Closed()
	r.wg.Wait()
	timer.Stop()
	stopBeating()
	beat.Wait()
	if r.denied != nil {
		return r.denied
	}
	if lost && ctx.Err() == nil {
		return fmt.Errorf("consumer %s on %s is gone; run `forsooth doctor`", r.name, r.stream)
	}
	return nil
}

// consuming is a consumer at work. A drain takes no more, and closes it when all
// that came has been handed to the workers.
type consuming interface {
	Drain()
	Closed() <-chan struct{}
}

// consume has the library pull ahead. Its drain leaves the broker at once, and
// what the broker had on its way then comes again after AckWait.
func (r *runner) consume(_, work context.Context, cons jetstream.Consumer) (consuming, error) {
	return cons.Consume(func(msg jetstream.Msg) { r.take(work, msg) },
		jetstream.PullMaxMessages(r.prefetch),
		jetstream.PullHeartbeat(pullHeartbeat),
		jetstream.PullExpiry(30*time.Second),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			// A missed heartbeat or an ended pull mends itself: the library pulls again.
			if !errors.Is(err, jetstream.ErrNoHeartbeat) && !errors.Is(err, nats.ErrConnectionClosed) {
				r.m.opts.Report(Report{Where: r.name, Outcome: "retry", Err: err})
			}
		}),
	)
}

// fetchLife is how long a pull stands: a drain waits for its end. Where a message may
// lie for less than that with a worker that is gone, so may its pull.
const fetchLife = time.Second

// fetch pulls in short pulls, and drains by making no more of them and waiting
// until the broker has answered those that stand: nothing that it sends is lost
// on the way. Two at a time, so that one stands while the other is made.
func (r *runner) fetch(ctx, work context.Context, cons jetstream.Consumer) (consuming, error) {
	f := &fetching{closed: make(chan struct{})}
	began := time.Now()
	var both sync.WaitGroup
	for i := range min(2, r.prefetch) {
		life := fetchLife / time.Duration(i+1) // of the first of each, so that they do not end together
		both.Go(func() {
			for ctx.Err() == nil && r.fetchOnce(ctx, work, cons, max(1, r.prefetch/2), life) {
				life = fetchLife
			}
		})
	}
	go func() {
		both.Wait()
		r.denied = r.m.conn.denied(r.nextSubject(), began, nil)
		close(f.closed)
	}()
	return f, nil
}

type fetching struct{ closed chan struct{} }

func (f *fetching) Drain()                  {} // the context says so
func (f *fetching) Closed() <-chan struct{} { return f.closed }

// nextSubject is where messages of the consumer are asked for.
func (r *runner) nextSubject() string { return "$JS.API.CONSUMER.MSG.NEXT." + r.stream + "." + r.name }

// fetchOnce is one pull, and says whether there may be another.
func (r *runner) fetchOnce(ctx, work context.Context, cons jetstream.Consumer, n int, life time.Duration) bool {
	began, came := time.Now(), 0
	batch, err := cons.Fetch(n, jetstream.FetchMaxWait(min(life, r.ackWait)))
	if err == nil {
		for msg := range batch.Messages() {
			r.take(work, msg)
			came++
		}
		err = batch.Error()
	}
	if no, _ := r.m.conn.refused.since(r.nextSubject(), began); no && came == 0 {
		return false
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, jetstream.ErrConsumerDeleted), errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, nats.ErrConnectionClosed):
		return false
	case ctx.Err() == nil:
		r.m.opts.Report(Report{Where: r.name, Outcome: "retry", Err: err})
		select {
		case <-ctx.Done():
		case <-time.After(fetchLife / 10): // the broker has just refused; it is not asked in a circle
		}
	}
	return true
}

// errDrained is the cause of a handler's context that outlived the drain.
var errDrained = errors.New("the service is stopping")

// take waits for a free worker and gives it the message. While it waits nothing
// more is pulled than prefetch.
func (r *runner) take(work context.Context, msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		return // not a message of a consumer
	}
	if isMarker(msg.Headers()) {
		_ = msg.Ack()
		return
	}
	if r.offered && r.holds(meta.Sequence.Stream) {
		_ = msg.NakWithDelay(offerAgain) // for somebody else; the ack of the older delivery stands
		return
	}
	select {
	case <-work.Done():
		// The drain took too long: what has not begun goes to another worker now.
		_ = msg.NakWithDelay(time.Millisecond)
		return
	case r.slots <- struct{}{}:
	}
	seq := meta.Sequence.Stream
	r.mu.Lock()
	if h := r.held[seq]; h != nil {
		// Redelivered while it is still worked on here: the newer delivery is the
		// one to be acked, and nothing is done twice.
		h.msg = msg
		r.mu.Unlock()
		<-r.slots
		return
	}
	h := &held{msg: msg, since: time.Now()}
	r.held[seq] = h
	r.mu.Unlock()
	d := &delivery{msg: msg, subject: msg.Subject(), data: msg.Data(), sequence: seq,
		attempt: int(meta.NumDelivered), stored: meta.Timestamp}
	r.wg.Go(func() {
		ctx, ended := r.begin(work, d)
		v := r.handle(ctx, d)
		r.finish(d, h, v)
		ended(v)
		<-r.slots
	})
}

// holds says whether a message is worked on here.
func (r *runner) holds(sequence uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[sequence] != nil
}

func (r *runner) finish(d *delivery, h *held, v verdict) {
	r.mu.Lock()
	msg := h.msg
	delete(r.held, d.sequence)
	r.mu.Unlock()
	var err error
	switch v.kind {
	case verdictAck:
		err = msg.Ack()
	case verdictTerm:
		err = msg.Term()
	case verdictPutBack:
		err = msg.NakWithDelay(max(v.delay, time.Millisecond))
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		r.m.opts.Report(Report{Where: r.name, Subject: d.subject, Attempt: d.attempt, Outcome: "lost", Err: err})
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

func (m *Mesh) addRunner(r *runner) {
	r.m = m
	r.workers = orDefault(r.workers, m.opts.Workers)
	r.prefetch = orDefault(r.prefetch, r.workers)
	r.ackWait = min(orDefault(r.ackWait, m.opts.AckWait), m.opts.AckWait)
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
