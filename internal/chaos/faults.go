package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// fault is a kind of fault. It says whether it struck; it has the processes, the
// services and the dice of its own.
type fault struct {
	kind   string
	weight int
	strike func(ctx context.Context, r *run, d *rand.Rand) (bool, error)
}

// faults are the kinds that the run itself strikes with; the models' own and those of
// the backend come besides.
var faults = []fault{
	{"kill-" + beforeHandle, 3, trapped(beforeHandle, true)},
	{"kill-" + afterHandle, 3, trapped(afterHandle, true)},
	{"kill-" + afterPublish, 3, trapped(afterPublish, true)},
	{"kill-" + beforeAck, 3, trapped(beforeAck, true)},
	{"kill-" + afterSentence, 3, trapped(afterSentence, true)},
	{"duplicate-delivery", 4, trapped(beforeAck, false)},
	{answerLost, 4, trapped(answerLost, false)},
	{"pause", 3, pause},
	{"partition", 2, partition},
	{"flap", 3, flap},
	{"broker-restart", 2, brokerRestart},
	{"stopped", 2, stopped},
	{"store-damaged", 1, storeDamaged},
	{"models-down", 2, modelsDown},
	{"verifier-down", 2, verifierIs("down")},
	{"verifier-slow", 2, verifierIs("slow")},
	{"verifier-garbage", 2, verifierIs("garbage")},
}

// Kinds are the names of all kinds.
func Kinds() []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.kind)
	}
	for _, f := range modelFaults {
		out = append(out, "llm-"+f)
	}
	return append(out, backendKinds...)
}

// CheckKinds refuses a name that is none.
func CheckKinds(names []string) error {
	for _, name := range names {
		if !slices.Contains(Kinds(), name) {
			return fmt.Errorf("fault %q: there is none of this name; there are %s", name, strings.Join(Kinds(), ", "))
		}
	}
	return nil
}

func (r *run) allowed(kind string) bool { return len(r.Only) == 0 || slices.Contains(r.Only, kind) }

// breakThings strikes with one fault after the other, some of them at once, until the
// context ends.
func (r *run) breakThings(ctx context.Context) error {
	var drawn []fault
	for _, f := range faults {
		for range f.weight {
			if r.allowed(f.kind) {
				drawn = append(drawn, f)
			}
		}
	}
	if len(drawn) == 0 {
		<-ctx.Done()
		return nil
	}
	g := errgroup.Group{}
	for lane := range uint64(2) {
		d := r.dice(100 + lane)
		g.Go(func() error {
			for sleep(ctx, between(d, 300*time.Millisecond, 1200*time.Millisecond)) {
				f := drawn[d.IntN(len(drawn))]
				struck, err := f.strike(ctx, r, d)
				if err != nil {
					return err
				}
				if struck {
					r.counts.add(f.kind, 1)
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// others are the consumers that are no passes.
var others = []string{"TURNS.intake", "TIMERS.deadline", "REPLIES.finisher", "REPLIES.memory"}

// patience is how long a trap waits for its boundary.
const patience = 4 * time.Second

// trapped kills a process, or cuts its connection, at a boundary of a pass.
func trapped(at string, kills bool) func(context.Context, *run, *rand.Rand) (bool, error) {
	return func(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
		slot, pass := d.IntN(r.Processes), schema.Passes[d.IntN(len(schema.Passes))]
		if d.IntN(3) == 0 {
			pass = schema.PassAct // where a turn is committed
		}
		p := r.fleet.take(slot)
		if p == nil {
			return false, nil
		}
		defer r.fleet.giveBack(p)
		t := &trap{at: at, pass: pass, kills: kills, struck: make(chan struct{}), consumer: "PASSES.pass-" + string(pass)}
		if x := d.IntN(3 * len(others)); x < len(others) {
			t.consumer = others[x]
		}
		p.trap.Store(t)
		defer p.trap.Store(nil)
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		select {
		case <-t.struck:
		case <-ctx.Done():
			if t.once.CompareAndSwap(false, true) {
				return false, nil
			}
		}
		if kills {
			<-p.dead
			return true, nil
		}
		sleep(ctx, time.Second) // it finds its way back
		return true, nil
	}
}

// pause stops a process for longer than the broker waits for its acks; then it wakes
// and goes on as if nothing had been.
func pause(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	slot, long := d.IntN(r.Processes), between(d, 2500*time.Millisecond, 5*time.Second)
	p := r.fleet.take(slot)
	if p == nil {
		return false, nil
	}
	defer r.fleet.giveBack(p)
	p.proxy.Freeze()
	defer p.proxy.Thaw()
	sleep(ctx, long)
	return true, nil
}

// partition leaves the connection open and lets nothing through.
func partition(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	slot, long := d.IntN(r.Processes), between(d, time.Second, 6*time.Second)
	p := r.fleet.take(slot)
	if p == nil {
		return false, nil
	}
	defer r.fleet.giveBack(p)
	p.proxy.Stall()
	sleep(ctx, long)
	p.proxy.Down() // whoever has not noticed is told
	p.proxy.Up()
	sleep(ctx, time.Second)
	return true, nil
}

// flap cuts a connection some times over.
func flap(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	slot := d.IntN(r.Processes)
	p := r.fleet.take(slot)
	if p == nil {
		return false, nil
	}
	defer r.fleet.giveBack(p)
	for range 1 + d.IntN(4) {
		p.proxy.Down()
		sleep(ctx, between(d, 20*time.Millisecond, 300*time.Millisecond))
		p.proxy.Up()
		sleep(ctx, between(d, 100*time.Millisecond, 500*time.Millisecond))
	}
	sleep(ctx, time.Second)
	return true, nil
}

func brokerRestart(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	err := r.broker.restart(ctx, between(d, 100*time.Millisecond, 1500*time.Millisecond), r.fleet.back)
	return err == nil, err
}

// stopped ends a process as an operator does, in the midst of its work.
func stopped(_ context.Context, r *run, d *rand.Rand) (bool, error) {
	p := r.fleet.take(d.IntN(r.Processes))
	if p == nil {
		return false, nil
	}
	p.stop()
	p.once.Do(func() { close(p.dead) })
	return true, nil
}

// storeDamaged kills a process and leaves half of its index of memories on the disk.
func storeDamaged(_ context.Context, r *run, d *rand.Rand) (bool, error) {
	slot := d.IntN(r.Processes)
	p := r.fleet.take(slot)
	if p == nil {
		return false, nil
	}
	path := filepath.Join(r.fleet.data(slot), "session.db")
	if info, err := os.Stat(path); err == nil {
		_ = os.Truncate(path, info.Size()/2) // the process dies either way
	}
	p.kill()
	return true, nil
}

func modelsDown(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	if !r.models.down.CompareAndSwap(false, true) {
		return false, nil
	}
	defer r.models.down.Store(false)
	sleep(ctx, between(d, time.Second, 5*time.Second))
	return true, nil
}

func verifierIs(mode string) func(context.Context, *run, *rand.Rand) (bool, error) {
	return func(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
		r.judge.become(mode)
		defer r.judge.become("")
		sleep(ctx, between(d, time.Second, 5*time.Second))
		return true, nil
	}
}
