package mesh

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A watch asks for what is stored when it begins, and again only where it may have missed
// something. As long as its subscription lives it costs the mesh nothing.
func TestAWatchAsksAgainOnlyAfterAGap(t *testing.T) {
	r := newRig(t)
	entered, left := make(chan string, 1), make(chan error, 1)
	r.start(Options{}, blocked(entered, left, "long"))
	var asked atomic.Int32
	_, err := r.conn.Core().Subscribe(protocol.SubjectTurnOutcomeOf(convoA.World), func(*nats.Msg) { asked.Add(1) })
	must(t, err)
	const deadline = 30 * time.Second
	req := within(deadline, convoA, "long")
	r.publish(req)
	<-entered

	away, proxy := r.away()
	ticks := make(chan time.Time) // a tick that is taken means that the one before is done with
	backend := NewBackend(away.conn)
	backend.ticks = func(time.Duration) (<-chan time.Time, func()) { return ticks, func() {} }
	events, err := backend.WatchRequest(t.Context(), req)
	must(t, err)
	var last uint64
	for _, want := range []schema.SaidKind{schema.SaidAccepted, schema.SaidThinking} {
		if e := <-events; e.Said == nil || e.Said.Kind != want {
			t.Fatalf("%+v, want %s", e, want)
		}
	}
	newest, err := r.conn.Last(t.Context(), transport.StreamSaid, protocol.SubjectSaid(convoA, "long"))
	must(t, err)
	last = newest.Sequence

	tick := func(n int) {
		for range n {
			ticks <- time.Time{}
		}
	}
	live := transport.LivePrefix + "said." + convoA.String() + ".long"
	until := int((deadline + lateMargin) / lookEvery)
	for _, step := range []struct {
		name  string
		do    func()
		asked int32
	}{
		{"it has begun", func() {}, 1},
		{"nothing comes, and nothing is due", func() { tick(until - 1) }, 1},
		{"nothing has come by the deadline", func() { tick(2) }, 2},
		{"the connection was mended", func() {
			before := away.conn.Core().Stats().Reconnects
			proxy.Down()
			proxy.Up()
			eventually(t, 10*time.Second, func() error {
				if n := away.conn.Core().Stats().Reconnects; n == before || !away.conn.Connected() {
					return fmt.Errorf("connected %d times", n)
				}
				return nil
			})
			tick(2)
		}, 3},
		{"what comes says that it is not the next", func() {
			missed := transport.NewMessage(live, nil, jetstream.SequenceHeader, fmt.Sprint(last+9), jetstream.LastSequenceHeader,
				fmt.Sprint(last+8))
			must(t, r.conn.Core().PublishMsg(missed))
		}, 4},
		{"this user may not listen", func() {
			away.conn.Core().Opts.AsyncErrorCB(nil, nil, fmt.Errorf("%w: permissions violation for subscription to %q",
				nats.ErrPermissionViolation, live))
			tick(4) // the last may still be at work
		}, 8},
	} {
		step.do()
		eventually(t, 10*time.Second, func() error {
			if n := asked.Load(); n != step.asked {
				return fmt.Errorf("%s: it has asked %d times, want %d", step.name, n, step.asked)
			}
			return nil
		})
	}
	must(t, r.client.Cancel(t.Context(), convoA, "long"))
	<-left
	var kinds []string
	for e := range events {
		if e.Reply != nil {
			kinds = append(kinds, "reply")
		} else if e.Said != nil {
			kinds = append(kinds, string(e.Said.Kind))
		}
	}
	if fmt.Sprint(kinds) != "[closed reply aborted]" {
		t.Errorf("the end was %v", kinds)
	}
}
