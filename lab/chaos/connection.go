package chaos

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// others are the consumers that are no passes.
var others = []string{"TURNS.intake", "TIMERS.deadline", "REPLIES.finisher", "REPLIES.memory"}

// consumerOf is the consumer of a pass, or of the others the one of that name.
func consumerOf(pass schema.Pass) string {
	for _, o := range others {
		if strings.HasSuffix(o, "."+string(pass)) {
			return o
		}
	}
	return "PASSES.pass-" + string(pass)
}

// patience is how long a trap waits for its boundary.
const patience = 4 * time.Second

// trapped kills a process, or cuts its connection, at a boundary of a pass.
func trapped(at string, kills bool) strike {
	return func(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
		slot, pass := d.IntN(r.Processes), r.aim(d)
		p := r.fleet.take(slot)
		if p == nil {
			return false, nil
		}
		defer r.fleet.giveBack(p)
		t := &trap{at: at, pass: pass, kills: kills, struck: make(chan struct{}), consumer: consumerOf(pass)}
		if x := d.IntN(3 * len(others)); x < len(others) && r.pass == "" {
			t.consumer = others[x]
		}
		if !p.lay(ctx, t) {
			return false, nil
		}
		if kills {
			<-p.dead
			return true, nil
		}
		sleep(ctx, time.Second) // it finds its way back
		return true, nil
	}
}

// lay waits until a trap has sprung, for as long as patience lasts.
func (p *process) lay(ctx context.Context, t *trap) bool {
	p.trap.Store(t)
	defer p.trap.Store(nil)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-t.struck:
		return true
	case <-ctx.Done():
		return !t.once.CompareAndSwap(false, true)
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

// pauseInReview stops a process between a sentence's review and its release, until
// another worker has taken the turn over or its time is up. Then it wakes, and what it
// held is stale.
func pauseInReview(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	long := between(d, 2500*time.Millisecond, 6*time.Second)
	p := r.fleet.take(d.IntN(r.Processes))
	if p == nil {
		return false, nil
	}
	defer r.fleet.giveBack(p)
	t := &trap{at: inReview, struck: make(chan struct{})}
	if !p.lay(ctx, t) {
		return false, nil
	}
	defer p.proxy.Thaw()
	sleep(ctx, long)
	return true, nil
}

// slowConsumer has a process read what the broker sends it too slowly.
func slowConsumer(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	each, long := between(d, 10*time.Millisecond, 80*time.Millisecond), between(d, time.Second, 4*time.Second)
	p := r.fleet.take(d.IntN(r.Processes))
	if p == nil {
		return false, nil
	}
	defer r.fleet.giveBack(p)
	p.proxy.Slow(each)
	defer p.proxy.Slow(0)
	sleep(ctx, long)
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
