package chaos

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/forsooth-npc/forsooth/lab/invariant"
)

// jump is how far a broken clock is off.
const jump = 10 * time.Minute

// now is a process's clock, which a fault may set wrong.
func (p *process) now() time.Time { return time.Now().Add(time.Duration(p.skew.Load())) }

// clockOff sets the clock of one process wrong for a while. One that is ahead takes
// every turn that it gets for late and leaves it to the deadline, which is the
// broker's: nobody may expect more of the turns of that time.
func clockOff(by time.Duration) strike {
	return func(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
		long := between(d, time.Second, 3*time.Second)
		p := r.fleet.take(d.IntN(r.Processes))
		if p == nil {
			return false, nil
		}
		defer r.fleet.giveBack(p)
		p.skew.Store(int64(by))
		defer p.skew.Store(0)
		sleep(ctx, long)
		if by > 0 {
			r.load.expectAll(time.Now())
		}
		return true, nil
	}
}

// idsForgotten has the broker forget the ids of messages, and then has turns that were
// answered long since published again, as a backend does minutes later.
func idsForgotten(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	from := time.Now()
	err := r.tamper.Forget(ctx)
	r.load.forgot(from, time.Now())
	if err != nil {
		return false, nil // the broker is away, and its windows are mended at the end
	}
	if !r.allowed(publishedLate) {
		return true, nil
	}
	for _, a := range r.load.some(d, 3) {
		short, stop := context.WithTimeout(ctx, time.Second)
		if _, err := r.client.Publish(short, a.request); err == nil {
			r.counts.add(publishedLate, 1)
		}
		stop()
	}
	return true, nil
}

// dueFaults are what a broker's clock does to the deadline of a turn that was accepted
// a moment ago.
var dueFaults = map[string]func(context.Context, *load, *rand.Rand, invariant.Accepted){
	"due-early": func(ctx context.Context, l *load, d *rand.Rand, a invariant.Accepted) {
		l.r.expect(a.Turn)
		sleep(ctx, between(d, 0, 200*time.Millisecond))
		l.due(ctx, "due-early", a)
	},
	"due-twice": func(ctx context.Context, l *load, d *rand.Rand, a invariant.Accepted) {
		l.r.expect(a.Turn)
		sleep(ctx, between(d, 50*time.Millisecond, 500*time.Millisecond))
		l.due(ctx, "", a)
		l.due(ctx, "due-twice", a)
	},
	"due-late": func(ctx context.Context, l *load, d *rand.Rand, a invariant.Accepted) {
		l.late(a.Turn)
		sleep(ctx, between(d, 50*time.Millisecond, 300*time.Millisecond))
		if l.r.tamper.Undue(ctx, a.Turn) != nil {
			return
		}
		l.r.counts.add("due-late", 1)
		wait := time.Until(a.At.Add(a.Deadline + 2*time.Second))
		l.later.Go(func() {
			// The turn must not be left without: the run's end does not call it off.
			sleep(ctx, wait)
			for range 50 {
				if l.r.tamper.Due(context.WithoutCancel(ctx), a.Convo, a.Turn, a.Sequence) == nil {
					return
				}
				time.Sleep(200 * time.Millisecond)
			}
		})
	},
}

// due sends a deadline, and counts it where it is named.
func (l *load) due(ctx context.Context, kind string, a invariant.Accepted) {
	short, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	if err := l.r.tamper.Due(short, a.Convo, a.Turn, a.Sequence); err == nil && kind != "" {
		l.r.counts.add(kind, 1)
	}
}
