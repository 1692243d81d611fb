package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// with registers the plain passes, one of them replaced.
func with(pass schema.Pass, h Handler) func(*Mesh) {
	return func(m *Mesh) {
		for _, p := range protocol.Passes {
			if p == pass {
				m.Handle(p, h)
			} else {
				m.Handle(p, plainPass(m, p))
			}
		}
		m.Intake(Intake{})
		m.Ends(Ends{})
	}
}

func TestOutcomesOfAHandler(t *testing.T) {
	for _, c := range []struct {
		name     string
		handler  func(calls int32, t *protocol.Turn) (schema.Pass, error)
		status   schema.Status
		reason   string
		calls    int32 // at least
		attempts int   // of the record of decide
		dead     string
	}{
		{"goes on", func(_ int32, t *protocol.Turn) (schema.Pass, error) { return schema.PassSpeak, nil },
			schema.StatusAnswered, "", 1, 1, ""},
		{"fails twice", func(n int32, t *protocol.Turn) (schema.Pass, error) {
			if n < 3 {
				return "", errors.New("the store is away")
			}
			return schema.PassSpeak, nil
		}, schema.StatusAnswered, "", 3, 3, ""},
		{"comes later", func(n int32, t *protocol.Turn) (schema.Pass, error) {
			if n < 2 {
				return "", Later(5 * time.Millisecond)
			}
			return schema.PassSpeak, nil
		}, schema.StatusAnswered, "", 2, 2, ""},
		{"rejects", func(int32, *protocol.Turn) (schema.Pass, error) {
			return "", Reject(errors.New("no such speaker"))
		}, schema.StatusAborted, schema.ReasonPoison, 1, 0, "no such speaker"},
		{"panics", func(int32, *protocol.Turn) (schema.Pass, error) { panic("nil map") },
			schema.StatusAborted, schema.ReasonPoison, 1, 0, "panicked: nil map"},
		{"grows too large", func(_ int32, t *protocol.Turn) (schema.Pass, error) {
			t.Thoughts = append(t.Thoughts, protocol.Thought{Text: strings.Repeat("x", schema.MaxTurnBytes)})
			return schema.PassSpeak, nil
		}, schema.StatusAborted, schema.ReasonPoison, 1, 0, "at most"},
		{"names no pass", func(int32, *protocol.Turn) (schema.Pass, error) { return "nowhere", nil },
			schema.StatusAborted, schema.ReasonPoison, 1, 0, "names no next pass"},
		{"ends without a reply", func(int32, *protocol.Turn) (schema.Pass, error) { return schema.PassDone, nil },
			schema.StatusAborted, schema.ReasonPoison, 1, 0, "without a reply"},
		{"drops its record", func(_ int32, t *protocol.Turn) (schema.Pass, error) {
			t.Passes = nil
			return schema.PassSpeak, nil
		}, schema.StatusAborted, schema.ReasonPoison, 1, 0, "its own record"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			var calls atomic.Int32
			r.start(Options{}, with(schema.PassDecide, func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
				return c.handler(calls.Add(1), t)
			}))
			r.publish(request(convoA, "t"))
			_, reply := r.watch(convoA, "t")
			if reply.Status != c.status || reply.Reason != c.reason || calls.Load() < c.calls {
				t.Errorf("reply %s %s (%s) after %d calls", reply.Status, reply.Reason, reply.Detail, calls.Load())
			}
			for _, p := range reply.Passes {
				if p.Pass == schema.PassDecide && p.Attempt != c.attempts {
					t.Errorf("attempt %d, want %d", p.Attempt, c.attempts)
				}
			}
			r.deadLetter(schema.PassDecide, "t", c.dead)
			r.queueIsEmpty()
		})
	}
}

// deadLetter looks for the dead letter of a turn; "" wants none.
func (r *rig) deadLetter(pass schema.Pass, turn, want string) {
	r.t.Helper()
	msg, err := r.conn.Last(r.t.Context(), transport.StreamDead, protocol.SubjectDead(pass, convoA, turn))
	if want == "" {
		if !errors.Is(err, transport.ErrNotFound) {
			r.t.Errorf("a dead letter: %v, %v", msg, err)
		}
		return
	}
	var d schema.DeadLetter
	if err != nil || json.Unmarshal(msg.Data, &d) != nil {
		r.t.Fatalf("no dead letter: %v", err)
	}
	if !strings.Contains(d.Reason, want) || d.Stream != transport.StreamPasses || d.Sequence == 0 || d.Attempt != 1 {
		r.t.Errorf("dead letter %+v, want reason %q", d, want)
	}
}

func TestActThatFailsToAbortEndsAllTheSame(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, with(schema.PassAct,
		func(context.Context, *protocol.Turn) (schema.Pass, error) { panic("always") }))
	r.publish(request(convoA, "t"))
	_, reply := r.watch(convoA, "t")
	if reply.Status != schema.StatusAborted || reply.Reason != schema.ReasonPoison || reply.Text != "So it is, t." {
		t.Errorf("reply %+v", reply)
	}
	r.queueIsEmpty()
}

func TestUnreadableMessageOnAPass(t *testing.T) {
	r := newRig(t)
	reports := make(chan Report, 4)
	r.start(Options{Report: func(rep Report) { reports <- rep }}, plain)
	subject := protocol.SubjectPass(schema.PassDecide, convoA, "junk")
	if _, err := r.conn.Publish(t.Context(), transport.NewMessage(subject, []byte("{")), time.Second); err != nil {
		t.Fatal(err)
	}
	if rep := <-reports; rep.Outcome != "reject" || rep.Turn != "junk" {
		t.Errorf("report %+v", rep)
	}
	eventually(t, 5*time.Second, func() error {
		msg, err := r.conn.Last(t.Context(), transport.StreamDead, protocol.SubjectDead(schema.PassDecide, convoA, "junk"))
		var d schema.DeadLetter
		if err == nil && (json.Unmarshal(msg.Data, &d) != nil || string(d.Body) != "{") {
			t.Errorf("dead letter %s", msg.Data)
		}
		return err
	})
	r.publish(request(convoA, "t"))
	if _, reply := r.watch(convoA, "t"); reply.Status != schema.StatusAnswered {
		t.Errorf("reply %+v", reply)
	}
}

func TestUnknownFieldsTravelThrough(t *testing.T) {
	r := newRig(t)
	seen := make(chan string, 1)
	r.start(Options{}, with(schema.PassAct, func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
		data, err := json.Marshal(t)
		seen <- string(data)
		t.Reply = &schema.Reply{Status: schema.StatusAnswered}
		return schema.PassDone, err
	}))
	body := `{"schema_version":"1.7","turn_id":"t","world":"hollowmere","npc":"mira","player":"p1","message":"x"` +
		`,"mood":{"rain":true},"released":[{"seq":1,"text":"Forged."}]}`
	if _, err := r.conn.Publish(t.Context(), transport.NewMessage(protocol.SubjectTurn(convoA), []byte(body)),
		time.Second); err != nil {
		t.Fatal(err)
	}
	got := <-seen
	if !strings.Contains(got, `"mood":{"rain":true}`) {
		t.Errorf("the unknown field is gone: %s", got)
	}
	if strings.Contains(got, "Forged") {
		t.Errorf("a request brought its own sentence: %s", got)
	}
}

func TestLongWorkIsNotGivenToAnother(t *testing.T) {
	r := newRig(t)
	var calls atomic.Int32
	r.start(Options{AckWait: 200 * time.Millisecond},
		with(schema.PassDecide, func(ctx context.Context, _ *protocol.Turn) (schema.Pass, error) {
			calls.Add(1)
			timer := time.NewTimer(900 * time.Millisecond)
			defer timer.Stop()
			select {
			case <-timer.C:
				return schema.PassSpeak, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}))
	another := *r
	another.conn = r.connect()
	another.start(Options{AckWait: 200 * time.Millisecond},
		with(schema.PassDecide, func(context.Context, *protocol.Turn) (schema.Pass, error) {
			calls.Add(1)
			return schema.PassSpeak, nil
		}))
	for i := range 8 { // enough that both processes get some
		convo := convoA
		convo.Player = fmt.Sprint("p", i)
		r.publish(request(convo, "t"+convo.Player))
	}
	for i := range 8 {
		convo := convoA
		convo.Player = fmt.Sprint("p", i)
		r.watch(convo, "t"+convo.Player)
	}
	if n := calls.Load(); n != 8 {
		t.Errorf("the pass of 8 turns was run %d times", n)
	}
}

func TestDrainFinishesWhatIsInFlight(t *testing.T) {
	r := newRig(t)
	entered, release := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	slow := with(schema.PassDecide, func(ctx context.Context, _ *protocol.Turn) (schema.Pass, error) {
		if calls.Add(1) == 1 {
			close(entered)
			<-release
		}
		return schema.PassSpeak, ctx.Err()
	})
	m := New(r.conn, Options{AckWait: 30 * time.Second})
	if err := m.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow(m)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	r.publish(request(convoA, "t"))
	<-entered
	cancel()
	close(release)
	if err := <-done; err != nil {
		t.Fatalf("drain: %v", err)
	}
	// The turn went on to speak, and stands there; nothing is redelivered, or the
	// next mesh would wait out 30 s.
	r.start(Options{AckWait: 30 * time.Second}, slow)
	if _, reply := r.watch(convoA, "t"); reply.Status != schema.StatusAnswered {
		t.Errorf("reply %+v", reply)
	}
	if calls.Load() != 1 {
		t.Errorf("decide ran %d times", calls.Load())
	}
}

func TestDrainGivesUpOnAHandlerThatHangs(t *testing.T) {
	r := newRig(t)
	entered := make(chan string, 1)
	left := make(chan error, 1)
	_, stop := r.start(Options{DrainTimeout: 50 * time.Millisecond}, blocked(entered, left, "t"))
	r.publish(within(30*time.Second, convoA, "t"))
	<-entered
	stop()
	if cause := <-left; !errors.Is(cause, transport.ErrDrained) {
		t.Errorf("the handler ended by %v", cause)
	}
	r.start(Options{}, plain)
	if _, reply := r.watch(convoA, "t"); reply.Status != schema.StatusAnswered {
		t.Errorf("the turn was lost with its worker: %+v", reply)
	}
}

func TestConversationsDoNotWaitForEachOther(t *testing.T) {
	r := newRig(t)
	entered, left := make(chan string, 1), make(chan error, 1)
	r.start(Options{}, blocked(entered, left, "stuck"))
	r.publish(within(30*time.Second, convoA, "stuck"))
	<-entered
	for i := range 5 {
		convo := convoA
		convo.Player = fmt.Sprintf("other%d", i)
		r.publish(request(convo, "t"+convo.Player))
		if _, reply := r.watch(convo, "t"+convo.Player); reply.Status != schema.StatusAnswered {
			t.Errorf("reply %+v", reply)
		}
	}
	if err := r.client.Cancel(t.Context(), convoA, "stuck"); err != nil {
		t.Error(err)
	}
	<-left
}

func TestRetryDelayGrowsAndIsBounded(t *testing.T) {
	for attempt := 1; attempt < 40; attempt++ {
		d := transport.RetryDelay(attempt, transport.MaxLater)
		if d <= 0 || d > 3*time.Second {
			t.Errorf("attempt %d waits %s", attempt, d)
		}
		if attempt >= 7 && d < time.Second {
			t.Errorf("attempt %d waits only %s", attempt, d)
		}
	}
	if delay, _ := transport.IsLater(Later(time.Hour)); delay != transport.MaxLater {
		t.Errorf("Later waits %s", delay)
	}
}

// Two workers have the same turn, because the first died before its ack, and
// decide differently: their messages have one id, and the first stands.
func TestTwoWorkersGoOneWay(t *testing.T) {
	NeedFailpoints(t)
	r := newRig(t)
	var calls atomic.Int32
	r.start(Options{AckWait: 200 * time.Millisecond}.WithFault(func(step string) error {
		// Whoever publishes a hop between the two runs of decide dies. Its first
		// worker is among them; the pass before it may be too, which learns of its
		// own publication only when decide has run.
		if step == "hop.published" && calls.Load() == 1 {
			return ErrKilled
		}
		return nil
	}), with(schema.PassDecide, func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
		t.Decision = &protocol.Decision{Tone: fmt.Sprint("worker ", calls.Add(1))}
		return schema.PassSpeak, nil
	}))
	r.publish(request(convoA, "t"))
	r.watch(convoA, "t")
	eventually(t, 5*time.Second, func() error { // until the second worker has done its part
		if calls.Load() < 2 {
			return errors.New("decide ran once")
		}
		return nil
	})
	r.settled("pass-decide")
	var tones []string
	err := r.conn.Each(t.Context(), transport.StreamPasses, protocol.SubjectPass(schema.PassSpeak, convoA, "t"),
		func(msg *transport.Entry) bool {
			var turn protocol.Turn
			if err := json.Unmarshal(msg.Data, &turn); err != nil {
				t.Error(err)
			}
			tones = append(tones, turn.Decision.Tone)
			return true
		})
	if err != nil || fmt.Sprint(tones) != "[worker 1]" {
		t.Errorf("speak was given %v, %v", tones, err)
	}
}

// settled waits until a consumer of PASSES has nothing in hand.
func (r *rig) settled(consumer string) {
	r.t.Helper()
	eventually(r.t, 10*time.Second, func() error {
		c, err := r.conn.JetStream().Consumer(r.t.Context(), transport.StreamPasses, consumer)
		if err == nil && c.CachedInfo().NumAckPending > 0 {
			err = fmt.Errorf("%s has %d in hand", consumer, c.CachedInfo().NumAckPending)
		}
		return err
	})
}
