package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// fleet is the processes: as many as there are slots, each started again when it dies.
type fleet struct {
	r      *run
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu       sync.Mutex
	slots    []*process // nil while a slot has none
	away     int        // slots that a fault has taken, or that have no process
	repeated map[string]int
}

// process is one process: the whole mesh behind its own connection to the broker. To
// kill it is to cut that connection for good: no ack, no put-back and no publish of it
// arrives any more, whatever its goroutines still do.
type process struct {
	fleet *fleet
	slot  int
	proxy *faults.Proxy
	app   *app.App
	stop  context.CancelFunc
	done  chan error

	trap  atomic.Pointer[trap]
	skew  atomic.Int64  // of its clock
	store atomic.Value  // how its index of memories fails
	dead  chan struct{} // closed by its death
	once  sync.Once
	taken bool // a fault has it; guarded by the fleet
}

func startFleet(ctx context.Context, r *run) (*fleet, error) {
	f := &fleet{r: r, slots: make([]*process, r.Processes), repeated: map[string]int{}}
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for i := range f.slots {
		p, err := f.start(ctx, i)
		if err != nil {
			err = fmt.Errorf("start process %d: %w", i, err)
			for _, begun := range f.slots[:i] {
				err = errors.Join(err, begun.end())
			}
			f.cancel()
			return nil, err
		}
		f.slots[i] = p
	}
	for i := range f.slots {
		f.wait.Go(func() { f.keep(i) })
	}
	return f, nil
}

// start starts a process in a slot. All share the index of the worlds, which any can
// make; each has an index of memories of its own.
func (f *fleet) start(ctx context.Context, slot int) (*process, error) {
	proxy, err := faults.Listen(f.r.broker.address)
	if err != nil {
		return nil, err
	}
	p := &process{fleet: f, slot: slot, proxy: proxy, done: make(chan error, 1), dead: make(chan struct{})}
	p.store.Store("")
	p.app, err = app.Start(ctx, app.Options{
		Streams: transport.Settings{Replicas: f.r.replicas()},
		Worlds:  []*world.World{f.r.World}, Data: f.data(slot), Index: filepath.Join(f.r.dir, "index.db"),
		NATS: "nats://" + proxy.Addr(), Name: fmt.Sprintf("chaos-%d", slot), Workers: 8, Meaning: app.MeaningOff,
		LLM:       llm.Config{Primary: llm.Provider{URL: f.r.models.url(), Model: "scripted"}},
		Verifying: app.Verifying{NoModel: true, Sidecar: f.r.judge.url(), Timeout: 200 * time.Millisecond},
		Wrap:      p.wrap,
		Now:       p.now,
		Session:   func(s store.Session) store.Session { return session{s, &p.store} },
	})
	if err != nil {
		proxy.Close()
		return nil, err
	}
	proxy.Watch(p.look)
	var running context.Context
	running, p.stop = context.WithCancel(f.ctx)
	go func() {
		err := p.app.Run(running)
		p.once.Do(func() { close(p.dead) }) // one that gives up is started again, as a supervisor does
		p.done <- err
	}()
	return p, nil
}

func (f *fleet) data(slot int) string {
	dir := filepath.Join(f.r.dir, fmt.Sprint("process-", slot))
	_ = os.MkdirAll(dir, 0o700) // the start says what is wrong with it
	return dir
}

// keep has a process in its slot for as long as the fleet runs.
func (f *fleet) keep(slot int) {
	for {
		p := f.at(slot)
		select {
		case <-f.ctx.Done():
			_ = p.end()
			return
		case <-p.dead:
			f.set(slot, nil)
			f.wait.Go(func() { f.gaveUp(p.end()) })
		}
		for {
			next, err := f.start(f.ctx, slot)
			if err == nil {
				f.set(slot, next)
				break
			}
			if !sleep(f.ctx, 200*time.Millisecond) { // the broker is away as well
				return
			}
		}
	}
}

func (f *fleet) at(slot int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.slots[slot]
}

// set puts a process into a slot; one that a fault had taken has left it.
func (f *fleet) set(slot int, p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.slots[slot]; p == nil && !old.taken {
		f.away++
	}
	if p != nil {
		f.away--
	}
	f.slots[slot] = p
}

// gaveUp tells of a process that ended by itself, as one may whose broker is away
// while it starts. What one that was killed still says is nobody's concern.
func (f *fleet) gaveUp(err error) {
	if err != nil {
		f.r.Told("a process gave up: %v", err)
	}
}

// take gives a process to a fault, and one that nothing ails is always left.
func (f *fleet) take(slot int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.slots[slot]
	if p == nil || p.taken || f.away >= len(f.slots)-1 {
		return nil
	}
	p.taken = true
	f.away++
	return p
}

// giveBack ends a fault; a process that died of it is away until its slot has another.
func (f *fleet) giveBack(p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-p.dead:
		return
	default:
	}
	if p.taken {
		p.taken = false
		f.away--
	}
}

// back waits until a process that nothing ails has its connection again.
func (f *fleet) back(ctx context.Context) {
	for {
		f.mu.Lock()
		for _, p := range f.slots {
			if p != nil && !p.taken && p.app.Conn.Connected() {
				f.mu.Unlock()
				return
			}
		}
		f.mu.Unlock()
		if !sleep(ctx, 5*time.Millisecond) {
			return
		}
	}
}

// mend lets every process work.
func (f *fleet) mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.slots {
		if p != nil {
			p.trap.Store(nil)
			p.skew.Store(0)
			p.store.Store("")
			p.proxy.Slow(0)
			p.proxy.Thaw()
			p.proxy.Up()
		}
	}
}

func (f *fleet) stop() {
	f.cancel()
	f.wait.Wait()
}

// kill is the death of a process.
func (p *process) kill() {
	p.once.Do(func() {
		p.proxy.Down()
		close(p.dead)
	})
}

// end waits for what of a process still runs.
func (p *process) end() error {
	p.stop()
	err := <-p.done
	p.app.Close()
	p.proxy.Close()
	return err
}

// errKilled is what a pass of a dead process says; nobody hears it.
var errKilled = errors.New("killed by chaos")

// wrap stands around each pass: it dies there where a trap says so.
func (p *process) wrap(pass schema.Pass, h mesh.Handler) mesh.Handler {
	return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
		if n := len(t.Passes); n > 0 && t.Passes[n-1].Attempt > 1 {
			p.fleet.again(t.TurnID)
		}
		if p.sprung(beforeHandle, pass) {
			return "", errKilled
		}
		if p.fleet.r.keeps(pass, t.TurnID) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		next, err := h(ctx, t)
		if err == nil && p.sprung(afterHandle, pass) {
			return "", errKilled
		}
		return next, err
	}
}

// again counts a pass that was begun again.
func (f *fleet) again(turn string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.repeated[turn]++
}
