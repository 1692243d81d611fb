// Package mesh carries turns over NATS JetStream: streams and consumers, the
// hop from pass to pass, the queue of each conversation, deadlines, the one
// reply of a turn, dead letters and draining. It stands on internal/mesh/transport,
// which connects, publishes and reads. It is not a pass: it knows nothing of evidence, claims,
// models or worlds, and what an NPC says at a deadline or how a reply changes a
// conversation is handed in by the services.
//
// A process makes one Conn, one Mesh over it, registers what it runs (Handle
// for a pass, Intake, Ends) and calls Run, which owns every goroutine. A Client
// over the same Conn publishes requests and watches turns.
package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"
)

// Handler is a pass: a function of a turn. It changes its own part of the turn
// and names the pass that comes next. schema.PassDone ends the turn with
// t.Reply. The context carries the turn's deadline and ends early when the turn
// is cancelled or superseded.
//
// A message with t.Part set is one sentence of a speech under way: its handler
// names no next pass.
//
// The outcomes: nil goes on; an error is tried again with a growing, jittered
// delay while the turn lives; Reject(err) is a dead letter and aborts the turn;
// Later(d) puts the turn back for at most two seconds.
//
// The last element of t.Passes is the record of this very run: a handler may
// fill in tokens, cost, calls and a note, the mesh fills in the rest.
type Handler func(ctx context.Context, t *protocol.Turn) (next schema.Pass, err error)

// Options are what a Mesh needs besides its connection. The zero value is fit
// for use.
type Options struct {
	Settings transport.Settings // of streams and consumers

	Workers        int           // per consumer unless a pass says otherwise; default 16
	AckWait        time.Duration // default 2 s: how long a silent worker keeps a message
	PublishTimeout time.Duration // default 2 s: one attempt at one publish
	DrainTimeout   time.Duration // default 10 s: what handlers in flight get after Run's context ends
	// other processes run the same services: a drain waits, for about a second, until nothing is on its way to this one
	Shared      bool
	RetryShare  float64 // default 0.2: retries for each turn of a pass
	MaxAttempts int     // default 25: failures after which a message is poison; see transport.Runner

	Now    func() time.Time // default time.Now
	Report func(Report)     // what went wrong, once each; called from many goroutines; default: nobody

	Observer Observer // told what the workers do; nil: nobody

	failpoints // they work in builds with the tag failpoint only
}

// Report is something that went wrong (or was put right) while no caller
// was there to be told.
type Report struct {
	Where   string // consumer, such as "pass-think" or "finisher"
	Subject string // of the message at hand, if any
	Turn    string
	Attempt int
	Outcome string // retry, later, reject, drop, shed, lost; unbegun: of what an NPC was to say unasked
	Reason  string // of unbegun
	Err     error
}

// Mesh runs the services of one process.
type Mesh struct {
	conn    *transport.Conn
	opts    Options
	said    *Said
	runners []*transport.Runner
	subs    []subscription
	ends    Ends
	stage   Stage
	check   Checker
	flags   Flags

	beside []func(context.Context) // what Run has going besides the consumers

	drafts drafts

	mu      sync.Mutex
	running map[string]map[*inflight]struct{} // by turn: handlers to stop when a turn ends

	bound     chan struct{} // closed once every consumer asks for messages
	bindsOnce sync.Once

	queues    *queues
	crowdedAt atomic.Int64 // when it was last said

	self string // this mesh among those of other processes

	cancelled map[string]time.Time // by turn: when a cancel of it was heard
	tidyAt    int                  // how many of them may stand before the old ones go
}

// New makes a mesh over a connection. Nothing runs before Run.
func New(conn *transport.Conn, opts Options) *Mesh {
	opts.Settings = opts.Settings.WithDefaults()
	opts.Workers = cmp.Or(opts.Workers, 16)
	opts.AckWait = cmp.Or(opts.AckWait, 2*time.Second)
	opts.PublishTimeout = cmp.Or(opts.PublishTimeout, 2*time.Second)
	opts.DrainTimeout = cmp.Or(opts.DrainTimeout, 10*time.Second)
	opts.RetryShare = cmp.Or(opts.RetryShare, retryShare)
	opts.MaxAttempts = cmp.Or(opts.MaxAttempts, 25)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Report == nil {
		opts.Report = func(Report) {}
	}
	m := &Mesh{conn: conn, opts: opts, bound: make(chan struct{}), running: map[string]map[*inflight]struct{}{},
		cancelled: map[string]time.Time{}}
	m.said = &Said{m: m}
	m.queues = newQueues()
	m.self = nats.NewInbox() // a name that nobody else has
	return m
}

// Said is how a reviewer releases sentences.
func (m *Mesh) Said() *Said { return m.said }

// Run consumes until the context ends, then drains: what has been delivered is
// finished (for at most DrainTimeout), what has not begun by then goes back.
// It returns nil after a clean drain.
func (m *Mesh) Run(ctx context.Context) error {
	// Handlers outlive ctx by the drain; the publishes of a handler need a
	// living context to end what they began.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	if err := m.subscribe(work); err != nil {
		return err
	}
	defer m.unsubscribe()
	stopCheck, err := m.serveCheck(work)
	if err != nil {
		return err
	}
	defer stopCheck()
	// No turn is taken before the switches are known.
	if err := m.conn.RetryUnavailable(ctx, "stream "+transport.StreamFlags, m.readFlags); err != nil && ctx.Err() == nil {
		return fmt.Errorf("mesh: %w", err)
	}

	m.noteBound() // of no consumer at all
	g, gctx := errgroup.WithContext(ctx)
	for _, r := range m.runners {
		g.Go(func() error { return r.Run(gctx, work) })
	}
	g.Go(func() error { return m.watchFlags(gctx) })
	g.Go(func() error { m.watchRefusals(gctx); return nil })
	for _, f := range m.beside {
		g.Go(func() error { f(gctx); return nil })
	}
	g.Go(func() error {
		select {
		case <-gctx.Done():
			return nil
		case <-m.conn.Closed():
			return fmt.Errorf("mesh: the connection to %s is closed", m.conn.URL())
		}
	})
	err = g.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Bound is closed once every consumer of this process has asked for messages, so that
// nobody who looks finds one for which nobody works.
func (m *Mesh) Bound() <-chan struct{} { return m.bound }

func (m *Mesh) noteBound() {
	if len(m.Unbound()) == 0 {
		m.bindsOnce.Do(func() { close(m.bound) })
	}
}

// step is a point of the protocol: everything before it has happened, nothing after it
// has. Tests kill a worker here, in builds with the tag failpoint; others do nothing.
func (m *Mesh) step(name string) error { return m.opts.reach(name) }

// margin is how long before its deadline a turn is ended.
func margin(deadline time.Duration) time.Duration {
	return max(time.Second, deadline*15/100)
}

// endsAt is when the deadline handler takes a turn over.
func endsAt(t *protocol.Turn) time.Time {
	return t.DeadlineAt.Add(-margin(t.Deadline()))
}

func (m *Mesh) publish(ctx context.Context, msg *transport.Message) (transport.Stored, error) {
	m.carry(ctx, msg)
	return m.conn.Publish(ctx, msg, m.opts.PublishTimeout)
}

// Setup creates the streams that are missing and verifies those that exist. It
// never changes what the protocol rests on; sizes and replicas follow Settings.
func (m *Mesh) Setup(ctx context.Context) error { return m.conn.Setup(ctx, m.opts.Settings) }

// Beside has Run call a function as well, which must end with its context.
func (m *Mesh) Beside(f func(ctx context.Context)) { m.beside = append(m.beside, f) }

// Serve has Run answer questions on a subject; nil is no answer. Every process that serves
// a subject hears each question.
func (m *Mesh) Serve(subject string, answer func(ctx context.Context, question []byte) []byte) {
	m.subs = append(m.subs, subscription{subject: subject, handle: func(ctx context.Context, msg *transport.Message) {
		if data := answer(ctx, msg.Data); data != nil {
			respond(msg, data)
		}
	}})
}
