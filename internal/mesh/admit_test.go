package mesh

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// purse is an admission with so many turns in all.
type purse struct {
	mu    sync.Mutex
	left  int
	spent []string
	heard chan struct{}
}

func (b *purse) Take(string, string, time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return 1500*time.Millisecond + time.Microsecond
	}
	b.left--
	return 0
}

func (b *purse) Spend(world, player string, _ time.Time) {
	b.mu.Lock()
	b.spent = append(b.spent, world+"."+player)
	b.mu.Unlock()
	b.heard <- struct{}{}
}

// author writes a line for any reason.
func author(_ context.Context, _ *schema.Request, p Progress, reason string) (*schema.Reply, error) {
	line := "Wait: " + reason
	said := p.Sentences
	return &schema.Reply{Sentences: append(said,
		schema.Sentence{Seq: len(said) + 1, Text: line, Authored: true, Hash: protocol.HashText(line)})}, nil
}

// A turn over the limit is answered at once, though the one before it is still at
// work; it takes no pass, changes nothing, and says when to come again.
func TestATurnOverTheLimitIsAnsweredAtOnce(t *testing.T) {
	r := newRig(t)
	working := make(chan struct{})
	first := make(chan struct{}, 1)
	r.start(Options{}, func(m *Mesh) {
		for _, p := range protocol.Passes {
			h := plainPass(m, p)
			m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				if p == schema.PassRetrieve {
					first <- struct{}{}
					<-working
				}
				return h(ctx, t)
			})
		}
		m.Intake(Intake{Admission: &purse{left: 1}})
		m.Ends(Ends{Author: author, Apply: func(doc *schema.Conversation, _ *schema.Reply) { doc.Turns++ }})
	})
	r.publish(request(convoA, "t1"))
	<-first
	r.publish(request(convoA, "t2"))
	events, reply := r.watch(convoA, "t2")
	if reply.Status != schema.StatusAuthored || reply.Reason != schema.ReasonRateLimited ||
		reply.Text != "Wait: RATE_LIMITED" || reply.RetryAfterMS != 1501 {
		t.Errorf("%s %s %q, again after %d ms; seen %v", reply.Status, reply.Reason, reply.Text, reply.RetryAfterMS, events)
	}
	if len(reply.Passes) != 0 {
		t.Errorf("passes: %+v", reply.Passes)
	}
	close(working)
	if _, reply := r.watch(convoA, "t1"); reply.Status != schema.StatusAnswered || reply.RetryAfterMS != 0 {
		t.Errorf("the turn before it: %s, again after %d ms", reply.Status, reply.RetryAfterMS)
	}
	r.queueIsEmpty()
	doc, _, err := r.client.Conversation(t.Context(), convoA)
	if err != nil || doc.Turns != 1 {
		t.Errorf("%d turns were applied, %v; want the one that was gone into", doc.Turns, err)
	}
}

// What one process takes, the others count; nobody counts its own twice.
func TestIntakesTellEachOtherWhatTheyTake(t *testing.T) {
	r := newRig(t)
	here := &purse{left: 10, heard: make(chan struct{}, 10)}
	there := &purse{left: 10, heard: make(chan struct{}, 10)}
	r.start(Options{Shared: true}, func(m *Mesh) {
		for _, p := range protocol.Passes {
			m.Handle(p, plainPass(m, p))
		}
		m.Intake(Intake{Admission: here})
		m.Ends(Ends{})
	})
	other := &rig{t: t, server: r.server, conn: r.connect()}
	other.start(Options{Shared: true}, func(m *Mesh) { m.Intake(Intake{Admission: there}) })
	const turns = 4
	for i := range turns {
		r.publish(request(convoA, fmt.Sprint("t", i)))
	}
	for range turns { // each turn is taken in one process and heard of in the other
		select {
		case <-here.heard:
		case <-there.heard:
		case <-time.After(10 * time.Second):
			t.Fatal("a turn that was taken was not told of")
		}
	}
	here.mu.Lock()
	defer here.mu.Unlock()
	there.mu.Lock()
	defer there.mu.Unlock()
	if taken := 20 - here.left - there.left; taken != turns || len(here.spent) != 10-there.left ||
		len(there.spent) != 10-here.left {
		t.Errorf("here %d taken and %v heard of, there %d and %v", 10-here.left, here.spent, 10-there.left, there.spent)
	}
}

// A turn is sent away by its fence. Whoever is given it again, because the worker that put
// up the fence could not store the reply or is gone, ends it for that reason and runs no pass.
func TestATurnThatIsSentAwayEndsForThatReason(t *testing.T) {
	NeedFailpoints(t)
	away := errors.New("the broker is away")
	for _, c := range []struct {
		name   string
		failed error // after the fence, once
		queue  bool  // the turn is sent away before its first pass, for a queue stands; else by the intake
		reason string
		again  int // in milliseconds, at least
	}{
		{"over the limit, and the reply was not stored", away, false, schema.ReasonRateLimited, 1501},
		{"over the limit, and the worker died", ErrKilled, false, schema.ReasonRateLimited, 1501},
		{"a queue stands, and the reply was not stored", away, true, schema.ReasonOverload, 10_000},
		{"a queue stands, and the worker died", ErrKilled, true, schema.ReasonOverload, 10_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			var m *Mesh
			var once sync.Once
			var ran atomic.Int32
			// By this clock every turn has waited for ten seconds.
			now := func() time.Time { return time.Now().Add(10 * time.Second) }
			opts := Options{AckWait: 300 * time.Millisecond, Now: now}.WithFault(func(step string) (err error) {
				switch step {
				case "advance.head":
					if c.queue {
						m.queues.mu.Lock()
						m.queues.by[string(schema.PassRetrieve)] = &standing{since: now().Add(-time.Hour), last: now()}
						m.queues.mu.Unlock()
					}
				case "said.closed":
					once.Do(func() { err = c.failed })
				}
				return err
			})
			r.start(opts, func(mesh *Mesh) {
				m = mesh
				for _, p := range protocol.Passes {
					h := plainPass(m, p)
					m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
						ran.Add(1)
						return h(ctx, t)
					})
				}
				in := Intake{Admission: &purse{}}
				if c.queue {
					in.Admission = nil
				}
				m.Intake(in)
				m.Ends(Ends{Author: author})
			})
			r.publish(within(time.Minute, convoA, "t"))
			_, reply := r.watch(convoA, "t")
			if reply.Status != schema.StatusAuthored || reply.Reason != c.reason ||
				reply.RetryAfterMS < c.again || reply.Text != "Wait: "+c.reason {
				t.Errorf("%s %s %q, again after %d ms", reply.Status, reply.Reason, reply.Text, reply.RetryAfterMS)
			}
			if n := ran.Load(); n > 0 {
				t.Errorf("%d passes ran", n)
			}
			r.queueIsEmpty()
		})
	}
}
