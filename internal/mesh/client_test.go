package mesh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// away is a client whose connection runs through a proxy.
func (r *rig) away() (*Client, *faults.Proxy) {
	r.t.Helper()
	p, err := faults.Listen(strings.TrimPrefix(r.server.URL(), "nats://"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(p.Close)
	conn, err := transport.Connect(r.t.Context(), transport.Dial{URL: "nats://" + p.Addr(), Name: r.t.Name()})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Close)
	return NewClient(conn), p
}

// loseAnswer cuts a connection behind the first piece that asks this, so that the broker
// hears the question and its answer is lost. It says whether that has happened.
func loseAnswer(p *faults.Proxy, question string) *atomic.Bool {
	var lost atomic.Bool
	p.Watch(func(toBroker bool, piece []byte) faults.Act {
		if toBroker && bytes.Contains(piece, []byte("PUB "+question)) && lost.CompareAndSwap(false, true) {
			return faults.CutAfter
		}
		return faults.Pass
	})
	return &lost
}

// The broker knows a turn by its id alone. An id that another conversation has
// used would be acknowledged as a duplicate, and the turn never stored.
func TestATurnIDOfAnotherConversationIsRefused(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	other := convoA
	other.Player = "p2"
	for _, state := range []string{"queued", "ended"} {
		if state == "ended" {
			r.watch(convoA, "t")
		} else {
			r.publish(request(convoA, "t"))
		}
		_, err := r.client.Publish(t.Context(), request(other, "t"))
		var field *schema.FieldError
		if !errors.As(err, &field) || field.Field != "turn_id" {
			t.Errorf("%s: %v, want an error of turn_id", state, err)
		}
		if got, err := r.client.Publish(t.Context(), request(convoA, "t")); err != nil || !got.Again {
			t.Errorf("%s: the same turn again: %+v, %v", state, got, err)
		}
	}
}

// The reply of a turn is kept longer than its events. Whoever asks late is
// shown the reply, and the watch ends.
func TestAWatchEndsAlthoughTheEventsHaveExpired(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	r.publish(request(convoA, "t"))
	r.watch(convoA, "t")
	said, err := r.conn.JetStream().Stream(t.Context(), transport.StreamSaid)
	if err != nil {
		t.Fatal(err)
	}
	if err := said.Purge(t.Context(), jetstream.WithPurgeSubject(protocol.SubjectSaid(convoA, "t"))); err != nil {
		t.Fatal(err)
	}
	events, reply := r.watch(convoA, "t")
	if fmt.Sprint(events) != "[reply]" || reply.Text != "So it is, t." {
		t.Errorf("%v, reply %+v", events, reply)
	}
}

func TestAWatchEndsWithItsConnection(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(*Mesh) {})
	conn := r.connect()
	events, err := NewClient(conn).Watch(t.Context(), convoA, "never")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	select {
	case e, open := <-events:
		if !open || !errors.Is(e.Err, transport.ErrDisconnected) {
			t.Errorf("the last event: %+v, open %v", e, open)
		}
	case <-time.After(5 * time.Second):
		t.Error("it waits on for what cannot come")
	}
}

func TestAClosedConnectionIsNamed(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(*Mesh) {})
	conn := r.connect()
	c := NewClient(conn)
	conn.Close()
	for name, call := range map[string]func() error{
		"publish": func() error { _, err := c.Publish(t.Context(), request(convoA, "t")); return err },
		"watch":   func() error { _, err := c.Watch(t.Context(), convoA, "t"); return err },
		"reply":   func() error { _, err := c.Reply(t.Context(), convoA, "t"); return err },
		"outcome": func() error { _, err := c.Outcome(t.Context(), convoA, "t"); return err },
		"cancel":  func() error { return c.Cancel(t.Context(), convoA, "t") },
		"actions": func() error { return c.Actions(t.Context(), "w", time.Time{}, func(Proposal) {}) },
		"answer":  func() error { return c.Answer(t.Context(), convoA, "t", 0, schema.ActionResult{}) },
		"witness": func() error {
			return c.Witness(t.Context(),
				&schema.Occurrence{ID: "e", World: "w", Text: "It rained.", Witnesses: []string{"mira"}})
		},
	} {
		if err := call(); !errors.Is(err, transport.ErrDisconnected) || errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A turn that ends between the two reads of its outcome has not been unknown.
func TestOutcomeOfATurnThatEndsMeanwhile(t *testing.T) {
	NeedFailpoints(t)
	r := newRig(t)
	var m *Mesh
	ended := make(chan struct{})
	opts := Options{}.WithFault(func(step string) error {
		if step == "query.looked" {
			close(ended)
			r.watch(convoA, "t")
			r.queueIsEmpty()
		}
		return nil
	})
	m, _ = r.start(opts, func(m *Mesh) {
		m.Ends(Ends{})
		m.Intake(Intake{})
		for _, p := range protocol.Passes {
			next := plainPass(m, p)
			m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				<-ended
				return next(ctx, t)
			})
		}
	})
	r.publish(within(30*time.Second, convoA, "t"))
	query := fmt.Appendf(nil, `{"world":%q,"npc":%q,"player":%q,"turn_id":"t"}`, convoA.World, convoA.NPC, convoA.Player)
	out, err := m.outcome(t.Context(), protocol.SubjectTurnOutcome, query)
	if err != nil || out.State == schema.TurnUnknown {
		t.Errorf("%+v, %v: the turn was accepted", out, err)
	}
}

// A cancelled turn that waits for a worker is not worked on any more.
func TestCancelReachesATurnBetweenPasses(t *testing.T) {
	r := newRig(t)
	entered, release := make(chan struct{}), make(chan struct{})
	var worked atomic.Int32
	r.start(Options{}, func(m *Mesh) {
		for _, p := range protocol.Passes {
			next := plainPass(m, p)
			var opts []PassOption
			if p == schema.PassThink {
				opts = append(opts, Workers(1))
			}
			m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				switch {
				case p == schema.PassThink && t.TurnID == "busy":
					close(entered)
					<-release
				case p == schema.PassThink && t.TurnID == "waits":
					worked.Add(1)
				}
				return next(ctx, t)
			}, opts...)
		}
		m.Intake(Intake{})
		m.Ends(Ends{})
	})
	other := convoA
	other.Player = "p2"
	r.publish(within(30*time.Second, convoA, "busy"))
	<-entered
	r.publish(within(30*time.Second, other, "waits"))
	eventually(t, 5*time.Second, func() error {
		_, err := r.conn.Last(t.Context(), transport.StreamPasses, protocol.SubjectPass(schema.PassThink, other, "waits"))
		return err
	})
	if err := r.client.Cancel(t.Context(), other, "waits"); err != nil {
		t.Fatal(err)
	}
	close(release)
	if _, reply := r.watch(convoA, "busy"); reply.Status != schema.StatusAnswered {
		t.Errorf("the other turn: %+v", reply)
	}
	if _, reply := r.watch(other, "waits"); reply.Reason != schema.ReasonCancelled {
		t.Errorf("the cancelled turn: %+v", reply)
	}
	// A third turn goes the same way behind it: what it overtakes was passed over.
	third := convoA
	third.Player = "p3"
	r.publish(request(third, "third"))
	r.watch(third, "third")
	if n := worked.Load(); n != 0 {
		t.Errorf("a cancelled turn was worked on %d times", n)
	}
}

// Questions are asked again while the connection is mended, and have an end of
// their own when the caller sets none.
func TestQuestionsOutliveTheConnection(t *testing.T) {
	r := newRig(t)
	entered, left := make(chan string, 1), make(chan error, 1)
	r.start(Options{}, func(m *Mesh) {
		blocked(entered, left, "long")(m)
		m.ServeCheck(func(context.Context, schema.CheckQuery) (schema.CheckResult, error) {
			return schema.CheckResult{Grounded: true}, nil
		})
	})
	c, proxy := r.away()
	r.publish(within(30*time.Second, convoA, "long"))
	<-entered
	mend := func() { // the client has lost its broker, and waits before it dials again
		lost := c.conn.Core().StatusChanged(nats.RECONNECTING)
		defer c.conn.Core().RemoveStatusListener(lost)
		proxy.Down()
		<-lost
		proxy.Up()
		if c.conn.Core().IsConnected() {
			t.Error("the connection is mended before anybody asks")
		}
	}
	mend()
	if out, err := c.Outcome(t.Context(), convoA, "long"); err != nil || out.State != schema.TurnWaiting {
		t.Errorf("outcome %+v, %v", out, err)
	}
	mend()
	if out, err := c.CheckGrounding(t.Context(), schema.CheckQuery{Text: "The mill burned."}); err != nil ||
		!out.Grounded {
		t.Errorf("check %+v, %v", out, err)
	}
	mend()
	if err := c.Cancel(t.Context(), convoA, "long"); err != nil {
		t.Errorf("cancel: %v", err)
	}
	<-left
	proxy.Down()
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	if _, err := c.Outcome(ctx, convoA, "long"); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("without a connection: %v", err)
	}
	if _, err := c.Publish(ctx, request(convoA, "lost")); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("published without a connection: %v", err)
	}
}

// A connection that is up and carries nothing more is found out.
func TestAWatchOutlivesAStalledConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for two unanswered pings")
	}
	r := newRig(t)
	release := make(chan struct{})
	r.start(Options{}, func(m *Mesh) {
		plain(m)
		m.runners[0].Handle = newPassRunner(m, schema.PassRetrieve,
			func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				<-release
				return schema.PassThink, nil
			}).handle
	})
	c, proxy := r.away()
	r.publish(within(30*time.Second, convoA, "t"))
	events, err := c.Watch(t.Context(), convoA, "t")
	if err != nil {
		t.Fatal(err)
	}
	if e := <-events; e.Said == nil || e.Said.Kind != schema.SaidAccepted {
		t.Fatalf("first %+v", e)
	}
	proxy.Stall()
	close(release)
	limit := time.After(12 * time.Second)
	for {
		select {
		case e := <-events:
			if e.Reply == nil {
				continue
			}
			if stored := r.repliedAt(convoA, "t"); !e.At.Equal(stored) {
				t.Errorf("the reply is shown as of %s and stands since %s", e.At, stored)
			}
			return
		case <-limit:
			t.Fatalf("no reply within %s of the stall", 12*time.Second)
		}
	}
}

// A game that was away is shown what was proposed meanwhile, and nothing of it
// that it has answered.
func TestActionsProposedWhileTheGameWasAway(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	propose := func(turn string) {
		t.Helper()
		if _, err := m.Confirm(t.Context(), &protocol.Turn{Request: *request(convoA, turn)}, 0,
			schema.Action{Name: "give_item"}, time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-time.Second)
	propose("settled")
	if err := r.client.Answer(t.Context(), convoA, "settled", 0, schema.ActionResult{Accepted: true}); err != nil {
		t.Fatal(err)
	}
	propose("missed")
	c, proxy := r.away()
	ctx, stop := context.WithCancel(t.Context())
	heard, listening := make(chan Proposal, 8), make(chan error, 1)
	go func() { listening <- c.Actions(ctx, "hollowmere", before, func(p Proposal) { heard <- p }) }()
	wants := func(turn string) {
		t.Helper()
		select {
		case p := <-heard:
			if p.Turn != turn || p.At.IsZero() || p.Action.Name != "give_item" {
				t.Errorf("heard %+v, want %s", p, turn)
			}
		case <-time.After(15 * time.Second):
			t.Errorf("%s was not heard", turn)
		}
	}
	wants("missed")
	propose("here")
	wants("here")
	proxy.Down()
	propose("cut")
	proxy.Up()
	wants("cut")
	propose("back")
	wants("back")
	stop()
	if err := <-listening; err != nil {
		t.Error(err)
	}
}
