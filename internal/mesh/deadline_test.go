package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// The deadline rests on schedule.go (the broker holds the schedule, the header
// written to the nanosecond) and ends.go end; no goroutine of ours counts time.

// ends registers intake and ends and no pass at all.
func ends(e Ends) func(*Mesh) {
	return func(m *Mesh) {
		m.Intake(Intake{})
		m.Ends(e)
	}
}

func within(deadline time.Duration, convo schema.ConversationID, turn string) *schema.Request {
	r := request(convo, turn)
	r.DeadlineMS = int(deadline / time.Millisecond)
	return r
}

// repliedAt is when a turn's reply was stored, by the broker's clock.
func (r *rig) repliedAt(convo schema.ConversationID, turn string) time.Time {
	r.t.Helper()
	msg, err := r.conn.Last(r.t.Context(), transport.StreamReplies, protocol.SubjectReply(convo, turn))
	if err != nil {
		r.t.Fatal(err)
	}
	return msg.Time
}

// closedAt is when a turn's fence was stored, by the broker's clock.
func (r *rig) closedAt(convo schema.ConversationID, turn string) time.Time {
	r.t.Helper()
	for seq := uint64(1); ; {
		msg, err := r.conn.Read(r.t.Context(), transport.StreamSaid, "",
			fmt.Appendf(nil, `{"seq":%d,"next_by_subj":%q}`, seq, protocol.SubjectSaid(convo, turn)))
		if err != nil {
			r.t.Fatalf("no fence: %v", err)
		}
		if strings.Contains(string(msg.Data), `"closed"`) {
			return msg.Time
		}
		seq = msg.Sequence + 1
	}
}

// endedAfter is how long after its acceptance a turn's reply was stored, by the
// broker's clock.
func (r *rig) endedAfter(convo schema.ConversationID, turn string) time.Duration {
	r.t.Helper()
	msg, err := r.conn.Last(r.t.Context(), transport.StreamReplies, protocol.SubjectReply(convo, turn))
	if err != nil {
		r.t.Fatal(err)
	}
	stored, err := r.conn.Reply(r.t.Context(), convo, turn)
	if err != nil {
		r.t.Fatal(err)
	}
	return msg.Time.Sub(stored.Reply.AcceptedAt)
}

func TestDeadlineFiresWithoutAnyWorker(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, ends(Ends{
		Author: func(_ context.Context, req *schema.Request, said Progress, reason string) (*schema.Reply, error) {
			return &schema.Reply{Text: "Give me a moment, " + req.Player + ".", Reason: reason}, nil
		},
	}))
	for _, c := range []struct {
		turn         string
		deadline, at time.Duration
	}{
		{"whole", 2000 * time.Millisecond, 1000 * time.Millisecond},
		{"fraction", 2350 * time.Millisecond, 1350 * time.Millisecond},
		{"large", 8000 * time.Millisecond, 6800 * time.Millisecond}, // 15 %
	} {
		t.Run(c.turn, func(t *testing.T) {
			convo := convoA
			convo.Player = c.turn
			req := within(c.deadline, convo, c.turn)
			if got := req.Deadline() - margin(req.Deadline()); got != c.at {
				t.Fatalf("a turn of %s ends after %s, want %s", c.deadline, got, c.at)
			}
			if c.deadline > 3*time.Second {
				return // the arithmetic is enough
			}
			r.publish(req)
			events, reply := r.watch(convo, c.turn)
			// Two streams arrive in either order; which of them stood first the broker knows.
			if slices.Sort(events); fmt.Sprint(events) != "[accepted closed done reply]" {
				t.Errorf("events %v: without the fence a worker may go on", events)
			}
			if closed, replied := r.closedAt(convo, c.turn), r.repliedAt(convo, c.turn); closed.After(replied) {
				t.Errorf("the fence stood at %s, the reply at %s: without the fence a worker may go on", closed, replied)
			}
			if reply.Status != schema.StatusAuthored || reply.Reason != schema.ReasonDeadline ||
				reply.Text != "Give me a moment, "+c.turn+"." {
				t.Errorf("reply %+v", reply)
			}
			if took := r.endedAfter(convo, c.turn); took < c.at || took > c.deadline {
				t.Errorf("ended after %s, want from %s to %s", took, c.at, c.deadline)
			}
		})
	}
	eventually(t, 10*time.Second, func() error {
		s, err := r.conn.JetStream().Stream(t.Context(), transport.StreamTimers)
		if err == nil && s.CachedInfo().State.Msgs > 0 {
			err = fmt.Errorf("TIMERS holds %d messages after all deadlines", s.CachedInfo().State.Msgs)
		}
		return err
	})
}

func TestDeadlineOfATurnThatWaitsInTheQueue(t *testing.T) {
	r := newRig(t)
	release := make(chan struct{})
	r.start(Options{}, func(m *Mesh) {
		plain(m)
		m.runners[0].Handle = newPassRunner(m, schema.PassRetrieve,
			func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				if t.TurnID == "first" {
					<-release
				}
				return schema.PassThink, nil
			}).handle
	})
	r.publish(within(30*time.Second, convoA, "first"))
	r.publish(within(2*time.Second, convoA, "second"))
	_, second := r.watch(convoA, "second")
	if second.Status != schema.StatusAuthored {
		t.Errorf("the waiting turn: %+v", second)
	}
	if _, err := r.client.Reply(t.Context(), convoA, "first"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("the running turn was answered too: %v", err)
	}
	close(release)
	if _, first := r.watch(convoA, "first"); first.Status != schema.StatusAnswered {
		t.Errorf("the running turn: %+v", first)
	}
	r.queueIsEmpty()
}

func (r *rig) queueIsEmpty() {
	r.t.Helper()
	eventually(r.t, 10*time.Second, func() error {
		s, err := r.conn.JetStream().Stream(r.t.Context(), transport.StreamTurns)
		if err == nil && s.CachedInfo().State.Msgs > 0 {
			err = errors.New("TURNS is not empty")
		}
		return err
	})
}

func TestDeadlineKeepsWhatWasSaid(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(m *Mesh) {
		plain(m)
		m.runners[6].Handle = newPassRunner(m, schema.PassAct,
			func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}).handle
	})
	r.publish(within(2*time.Second, convoA, "t"))
	events, reply := r.watch(convoA, "t")
	if reply.Status != schema.StatusPartial || reply.Text != "So it is, t." {
		t.Errorf("reply %+v", reply)
	}
	if want := "[accepted thinking sentence 1 closed reply done]"; fmt.Sprint(events) != want {
		t.Errorf("events %v, want %s", events, want)
	}
}

func TestDeadlineThatPassedWhileNobodyRan(t *testing.T) {
	r := newRig(t)
	_, stop := r.start(Options{}, func(*Mesh) {})
	r.publish(within(2*time.Second, convoA, "t"))
	stop()
	// By the time the services are back the deadline is long past.
	msg, err := r.conn.Get(t.Context(), transport.StreamTurns, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, func() error {
		if time.Since(msg.Time) < 2100*time.Millisecond {
			return errors.New("not yet")
		}
		return nil
	})
	back := time.Now()
	r.start(Options{}, plain)
	_, reply := r.watch(convoA, "t")
	if reply.Status != schema.StatusAuthored {
		t.Errorf("reply %+v", reply)
	}
	if took := time.Since(back); took > 2*time.Second {
		t.Errorf("ended %s after the services came back, want 2 s at most", took)
	}
}

func TestDeadlineWithAnAuthorThatFails(t *testing.T) {
	for name, author := range map[string]func(context.Context, *schema.Request, Progress, string) (*schema.Reply, error){
		"error": func(context.Context, *schema.Request, Progress, string) (*schema.Reply, error) {
			return nil, errors.New("no such world")
		},
		"panic": func(context.Context, *schema.Request, Progress, string) (*schema.Reply, error) {
			panic("no line")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.start(Options{}, ends(Ends{Author: author}))
			r.publish(within(2*time.Second, convoA, "t"))
			if _, reply := r.watch(convoA, "t"); reply.Status != schema.StatusAuthored || reply.Text != "" {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}

func TestScheduleIsCancelledByTheFinisher(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	r.publish(within(60*time.Second, convoA, "t"))
	r.watch(convoA, "t")
	eventually(t, 10*time.Second, func() error {
		msg, err := r.conn.Last(t.Context(), transport.StreamTimers, protocol.SubjectTimer("t"))
		switch {
		case errors.Is(err, transport.ErrNotFound):
			return nil // the schedule is gone, and so is the message that took it away
		case err == nil && msg.Header.Get(jetstream.ScheduleHeader) != "":
			return errors.New("the schedule stands")
		case err == nil:
			return errors.New("the roll-up has not expired")
		}
		return err
	})
}

func TestCronIsStoredOnce(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	at := func() uint64 {
		msg, err := r.conn.Last(t.Context(), transport.StreamTimers, protocol.Prefix+"timer.scan.hollowmere")
		if err != nil {
			t.Fatal(err)
		}
		return msg.Sequence
	}
	put := func(pattern, zone string) uint64 {
		t.Helper()
		if err := m.Cron(t.Context(), "scan.hollowmere", pattern, zone, nil); err != nil {
			t.Fatal(err)
		}
		return at()
	}
	first := put("0 0 3 * * *", "Europe/Berlin")
	if again := put("0 0 3 * * *", "Europe/Berlin"); again != first {
		t.Error("the same schedule was stored again: one missed while down would not fire")
	}
	if other := put("0 0 4 * * *", "Europe/Berlin"); other == first {
		t.Error("another pattern was not stored")
	}
	if err := m.Cron(t.Context(), "scan.hollowmere", "0 0 3 * * *", "Mars/Olympus", nil); err == nil {
		t.Error("an unknown time zone was taken")
	}
}

// Whoever takes a deadline and dies on it leaves the turn to another in time, and so
// do two, one after the other, who take the turn before its deadline is set.
func TestDeadlineHoldsWhenItsWorkerDies(t *testing.T) {
	NeedFailpoints(t)
	for at, deaths := range map[string]int32{"end.read": 1, "intake.read": 2} {
		t.Run(at, func(t *testing.T) {
			r := newRig(t)
			var died atomic.Int32
			r.start(Options{AckWait: 2 * time.Second}.WithFault(func(step string) error {
				if step == at && died.Load() < deaths {
					died.Add(1)
					return ErrKilled
				}
				return nil
			}), ends(Ends{}))
			const deadline = 4 * time.Second // of which the last second is the margin
			r.publish(within(deadline, convoA, "t"))
			r.watch(convoA, "t")
			if took := r.endedAfter(convoA, "t"); died.Load() != deaths || took > deadline {
				t.Errorf("ended after %s, by %d deaths; its deadline is %s", took, died.Load(), deadline)
			}
		})
	}
}

// A process may be alive and too slow: its deadline is another's as well, and whichever
// of them ends the turn, it has one reply.
func TestDeadlineHoldsWhenItsWorkerIsSlow(t *testing.T) {
	NeedFailpoints(t)
	r := newRig(t)
	var slow atomic.Int32
	released := make(chan struct{})
	for range 3 {
		other := *r
		other.conn = r.connect()
		other.start(Options{AckWait: 2 * time.Second, Shared: true}.WithFault(func(step string) error {
			if step == "end.read" && slow.CompareAndSwap(0, 1) {
				<-released
				slow.Store(2)
			}
			return nil
		}), ends(Ends{}))
	}
	const deadline = 4 * time.Second // of which the last second is the margin
	r.publish(within(deadline, convoA, "t"))
	r.watch(convoA, "t")
	took, first := r.endedAfter(convoA, "t"), r.repliedAt(convoA, "t")
	if slow.Load() != 1 || took > deadline {
		t.Errorf("ended after %s, with a worker at work on it: %v; its deadline is %s", took, slow.Load() == 1, deadline)
	}
	close(released)
	eventually(t, 10*time.Second, func() error {
		undone, err := r.client.Undone(t.Context())
		if err == nil && (slow.Load() != 2 || len(undone) > 0) {
			err = fmt.Errorf("still to be done: %v", undone)
		}
		return err
	})
	if again := r.repliedAt(convoA, "t"); !again.Equal(first) {
		t.Errorf("a second reply, at %s; the first at %s", again, first)
	}
}

// The connection breaks while a deadline is carried out: what was stored is stored,
// and its answer never comes. Whoever waits for it must not wait the turn away.
func TestDeadlineHoldsWhenAnAnswerIsLost(t *testing.T) {
	for _, lost := range []string{`PUB ` + protocol.Prefix + `said.`, `PUB ` + protocol.Prefix + `reply.`,
		`PUB $JS.API.DIRECT.GET.TURNS`} {
		t.Run(lost, func(t *testing.T) {
			r := newRig(t)
			client, p := r.away()
			var due, cut atomic.Bool
			p.Watch(func(toBroker bool, piece []byte) faults.Act {
				switch {
				case !toBroker && bytes.Contains(piece, []byte(protocol.SubjectDue(convoA, "t"))):
					due.Store(true)
				case toBroker && due.Load() && bytes.Contains(piece, []byte(lost)) && cut.CompareAndSwap(false, true):
					return faults.CutAfter
				}
				return faults.Pass
			})
			away := *r
			away.conn = client.conn
			away.start(Options{Shared: true}, ends(Ends{}))
			const deadline = 4 * time.Second // of which the last second is the margin
			r.publish(within(deadline, convoA, "t"))
			r.watch(convoA, "t")
			if took := r.endedAfter(convoA, "t"); !cut.Load() || took > deadline {
				t.Errorf("ended after %s, with an answer lost: %v; its deadline is %s", took, cut.Load(), deadline)
			}
		})
	}
}

// However often a broker has refused it, what ends a turn is tried again in time for
// the promise: within two seconds of the broker's return.
func TestWhatEndsATurnIsTriedAgainSoon(t *testing.T) {
	r := newRig(t)
	m := New(r.conn, Options{})
	m.Intake(Intake{})
	m.Ends(Ends{})
	ctx, stop := context.WithCancel(t.Context())
	stop() // whatever is asked now fails
	convo := schema.ConversationID{World: "w", NPC: "mira", Player: "p1"}
	due := []byte(`{"world":"w","npc":"mira","player":"p1","turn_id":"t","sequence":1}`)
	asked, err := json.Marshal(request(convoA, "t"))
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]transport.Delivery{
		"deadline": {Subject: protocol.SubjectDue(convo, "t"), Data: due},
		"finisher": {Subject: protocol.SubjectReply(convo, "t"), Data: []byte(`{"world":"w","npc":"mira","player":"p1"` +
			`,"turn_id":"t"}`)},
		"intake": {Subject: protocol.SubjectTurn(convoA), Data: asked, Stored: time.Now()},
	}
	for _, r := range m.runners {
		for n := 6; n <= 3*m.opts.MaxAttempts; n++ {
			d := given[r.Name]
			d.Attempt = n
			if v := r.Work(ctx, &d); v.Kind != transport.VerdictPutBack || v.Delay > time.Second {
				t.Errorf("%s, delivery %d: %+v, want it back within a second", r.Name, n, v)
			}
		}
	}
}
