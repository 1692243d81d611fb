// Package chaos breaks a running mesh on purpose and says what of its promises did
// not hold: several processes-in-one on one broker, each behind a connection of its
// own that can be cut, held back and killed at a boundary of the protocol, with a
// scripted model, a verifier and a broker that fail. Every choice comes from one
// seed. What holds and what does not is said by lab/invariant from the streams;
// nothing here reaches a mesh that serves players.
package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Options size a run.
type Options struct {
	World     *world.World
	For       time.Duration // how long turns are published and things break; default 3 min
	Turns     int           // in that time; default 600
	Seed      uint64
	Processes int                              // default 3
	Cluster   bool                             // of three servers, every stream on each
	Only      []string                         // kinds of fault; empty: all
	Pass      schema.Pass                      // that every fault of a pass strikes; empty: the dice say
	Told      func(format string, args ...any) // progress, a line each; nil: nobody
	Deadline  time.Duration                    // of every turn; 0: four, eight or twelve seconds, by the dice
	Settle    time.Duration                    // how long what is left at the end may take; default 2 min
	// the share of turns that their deadlines may end; default 0.15: a turn whose worker dies is another\'s
	// after two seconds, and the shortest deadline is four
	Ended float64
}

func (o Options) withDefaults() Options {
	if o.For <= 0 {
		o.For = 3 * time.Minute
	}
	if o.Turns <= 0 {
		o.Turns = 600
	}
	if o.Processes < 2 {
		o.Processes = 3
	}
	if o.Ended <= 0 {
		o.Ended = 0.15
	}
	if o.Settle <= 0 {
		o.Settle = 2 * time.Minute
	}
	if o.Told == nil {
		o.Told = func(string, ...any) {}
	}
	return o
}

// Result is what came of a run.
type Result struct {
	Turns      int                   `json:"turns"`
	Faults     int                   `json:"faults"`
	Kinds      int                   `json:"kinds"`
	Seed       uint64                `json:"seed"`
	TookS      float64               `json:"took_s"`
	ByKind     map[string]int        `json:"faults_by_kind"`
	Replies    map[string]int        `json:"replies"`
	Prompts    int                   `json:"prompts"`
	Memories   int                   `json:"memory_events"`
	Away       float64               `json:"broker_away_s"`         // by faults, and by elections after them
	Still      float64               `json:"machine_stood_still_s"` // and deadlines were moved by it
	Doors      *Doors                `json:"sockets,omitempty"`     // where gateways stood before the mesh
	Violations []invariant.Violation `json:"violations"`
	Around     map[string][]string   `json:"faults_around,omitempty"` // by a turn of a violation
}

// Line is the one line in which a run ends.
func (r *Result) Line() string {
	return fmt.Sprintf("chaos turns=%d faults=%d kinds=%d violations=%d seed=%d", r.Turns, r.Faults, r.Kinds,
		len(r.Violations), r.Seed)
}

// run is a mesh under fault.
type run struct {
	Options
	dir       string
	broker    *broker
	models    *models
	judge     *verifier
	moderator *moderator
	tamper    *natstest.Broker
	load      *load
	fleet     *fleet
	doors     *doors // nil: no kind strikes at a gateway
	client    *mesh.Client
	counts    counts
	log       blows
	still     *stillness
	stuck     atomic.Pointer[stuck]
	pass      schema.Pass // that every fault strikes; empty: the dice say
	one       string      // the kind that is struck alone; empty: all are mixed

	mu    sync.Mutex
	ended map[string]bool // turns that a fault has their deadline end
}

// expect has a turn ended by its deadline, so that nobody wonders at it.
func (r *run) expect(turn string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[turn] = true
}

// aim draws the pass that a fault strikes.
func (r *run) aim(d *rand.Rand) schema.Pass {
	if r.pass != "" {
		return r.pass
	}
	pass := protocol.Passes[d.IntN(len(protocol.Passes))]
	if d.IntN(3) == 0 {
		pass = schema.PassAct // where a turn is committed
	}
	return pass
}

// Run breaks a mesh and says what came of it. The error is about the run itself:
// it could not be begun, or its context ended.
func Run(ctx context.Context, o Options) (out *Result, err error) {
	err = onMesh(ctx, o, func(r *run) error {
		out, err = r.play(ctx)
		return err
	})
	return out, err
}

// onMesh starts all that a run needs, and ends it again.
func onMesh(ctx context.Context, o Options, play func(*run) error) (err error) {
	o = o.withDefaults()
	if err := CheckKinds(o.Only); err != nil {
		return err
	}
	r := &run{Options: o, pass: o.Pass, counts: counts{by: map[string]int{}}, ended: map[string]bool{},
		still: watchStillness()}
	defer r.still.stop()
	if r.dir, err = os.MkdirTemp("", "forsooth-chaos-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.dir)) }()
	if r.broker, err = startBroker(ctx, r.dir, o.Cluster); err != nil {
		return err
	}
	defer r.broker.stop()
	if r.models, err = startModels(o.Seed, r.allowed); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.models.close()) }()
	if r.judge, err = startVerifier(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.judge.close()) }()
	if r.moderator, err = startModerator(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.moderator.close()) }()
	if r.allowed("moderation-down") || r.allowed("moderation-slow") {
		r.World = r.moderator.moderate(r.World)
	}
	if r.tamper, err = natstest.TamperWith(r.broker.url()); err != nil {
		return err
	}
	defer r.tamper.Close()
	conn, err := transport.Connect(ctx, transport.Dial{URL: r.broker.url(), Name: "chaos"})
	if err != nil {
		return err
	}
	defer conn.Close()
	r.client = mesh.NewClient(conn)
	if r.fleet, err = startFleet(ctx, r); err != nil {
		return err
	}
	defer r.fleet.stop()
	if slices.ContainsFunc(atGateways, r.allowed) {
		if r.doors, err = openDoors(ctx, r); err != nil {
			return err
		}
		defer r.doors.close()
	}
	r.broker.watch(ctx)
	return play(r)
}

// play publishes and breaks, mends everything, waits for the end of every turn, and
// looks.
func (r *run) play(ctx context.Context) (*Result, error) {
	began := time.Now()
	breaking, stop := context.WithTimeout(ctx, r.For)
	defer stop()
	r.load = newLoad(r)
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.load.run(gctx, breaking) })
	g.Go(func() error { return r.breakThings(breaking) })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	r.Told("%d turns were published; everything is mended, and the rest is waited for", len(r.load.accepted))
	r.mend()
	r.load.later.Wait()
	if err := r.settle(ctx); err != nil {
		r.Told("%v", err)
	}
	kept, err := invariant.Read(ctx, r.client)
	if err != nil {
		return nil, fmt.Errorf("read what the run left behind: %w", err)
	}
	found, took := r.load.found(kept), time.Since(began)
	for kind, n := range r.models.struck() {
		r.counts.add(kind, n)
	}
	out := &Result{Turns: len(r.load.accepted), Seed: r.Seed, TookS: took.Seconds(), ByKind: r.counts.by,
		Replies: map[string]int{},
		Prompts: len(found.Prompts), Memories: len(kept.Memory), Violations: invariant.Check(found)}
	for _, n := range r.counts.by {
		out.Faults += n
	}
	out.Kinds = len(r.counts.by)
	for i := range kept.Replies {
		out.Replies[string(kept.Replies[i].Status)]++
	}
	out.Away = invariant.Overlap(began, began.Add(took), found.Outages).Seconds()
	out.Still = invariant.Overlap(began, began.Add(took), found.Still).Seconds() // what it stood before is no turn's
	if r.doors != nil {
		out.Doors = r.doors.result(found)
	}
	out.Around = r.around(found, out.Violations)
	return out, nil
}

// around are the faults in the life of each turn that a violation names.
func (r *run) around(found *invariant.Run, broken []invariant.Violation) map[string][]string {
	out := map[string][]string{}
	for _, a := range found.Accepted {
		if slices.ContainsFunc(broken, func(v invariant.Violation) bool { return v.Turn == a.Turn }) {
			out[a.Turn] = r.log.around(a.At, a.At.Add(a.Deadline))
		}
	}
	return out
}

// settle waits until nothing is under way. What still is afterwards is a violation,
// which the invariants name.
func (r *run) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.Settle)
	defer cancel()
	if err := r.client.Idle(ctx); err != nil {
		return fmt.Errorf("turns are still in flight after %s: %w", r.Settle, err)
	}
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		undone, err := r.client.Undone(ctx)
		if err == nil && len(undone) == 0 {
			if timers, err := invariant.Timers(ctx, r.client); err == nil && len(timers) == 0 {
				return r.doors.settle(ctx)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s something is still to be done: %v", r.Settle, undone)
		case <-ticker.C:
		}
	}
}

// mend ends every fault that lasts.
func (r *run) mend() {
	r.models.down.Store(false)
	r.models.spoil.Store(false)
	r.judge.become("")
	r.moderator.become("")
	r.fleet.mend()
}

// counts are the faults that struck, by kind.
type counts struct {
	mu sync.Mutex
	by map[string]int
}

func (c *counts) add(kind string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 {
		c.by[kind] += n
	}
}

// replicas is on how many servers a stream stands.
func (r *run) replicas() int {
	if r.Cluster {
		return nodes
	}
	return 1
}

// dice are the choices of one part of a run.
func (r *run) dice(part uint64) *rand.Rand { return rand.New(rand.NewPCG(r.Seed, part)) }

// sleep waits, and says whether the context still lives.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// between is a time between two, by the dice.
func between(d *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(d.Int64N(int64(most-least)+1))
}
