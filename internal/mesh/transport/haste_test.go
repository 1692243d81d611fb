package transport

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// While a stream has no leader a publish of it is refused by nobody or not answered at
// all, and once it has one again a turn must be ended within two seconds: what does
// that must not be waiting out a pause of its own by then.
func TestAHastyRequestIsAnsweredSoonAfterTheBrokerIsBack(t *testing.T) {
	const (
		away = 3100 * time.Millisecond // in the middle of a second wait of two seconds
		soon = 700 * time.Millisecond
	)
	ack := []byte(`{"stream":"S","seq":7}`)
	for _, c := range []struct {
		name   string
		broker func(nc *nats.Conn, back time.Time) error
		slow   time.Duration
	}{
		{"nobody is there", func(nc *nats.Conn, back time.Time) error {
			time.AfterFunc(time.Until(back), func() {
				_, _ = nc.Subscribe("x", func(m *nats.Msg) { _ = m.Respond(ack) })
				_ = nc.Flush()
			})
			return nil
		}, 0},
		{"nobody answers", func(nc *nats.Conn, back time.Time) error {
			_, err := nc.Subscribe("x", func(m *nats.Msg) {
				if time.Now().After(back) {
					_ = m.Respond(ack)
				}
			})
			return err
		}, 0},
		{"each answer takes longer than a question is waited for", func(nc *nats.Conn, back time.Time) error {
			_, err := nc.Subscribe("x", func(m *nats.Msg) {
				time.AfterFunc(5*hasteAgain, func() {
					if time.Now().After(back) {
						_ = m.Respond(ack)
					}
				})
			})
			return err
		}, 5 * hasteAgain},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			broker := r.connect()
			back := time.Now().Add(away)
			if err := c.broker(broker.nc, back); err != nil {
				t.Fatal(err)
			}
			if err := broker.nc.Flush(); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(WithUrgentRetry(t.Context()), 30*time.Second)
			defer stop()
			got, err := r.conn.Publish(ctx, NewMessage("x", []byte("it")), 2*time.Second)
			if late := time.Since(back); err != nil || got.Sequence != 7 || late < 0 || late > soon+c.slow {
				t.Errorf("%+v, %v, %s after the broker was back; want within %s", got, err, late, soon+c.slow)
			}
		})
	}
}

// A leader that is asked a second time while the first copy waits for the other servers
// refuses the second: the answer to the first is still the answer.
func TestAHastyRequestHearsTheCopyThatIsOnItsWay(t *testing.T) {
	for _, code := range []jetstream.ErrorCode{codeSequenceOnItsWay, codeIDOnItsWay} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			broker := r.connect()
			refusal := fmt.Appendf(nil, `{"error":{"code":503,"err_code":%d,"description":"in process"}}`, code)
			asked := 0
			_, err := broker.nc.Subscribe("x", func(m *nats.Msg) {
				switch asked++; asked {
				case 1: // lost
				case 2:
					time.AfterFunc(2*hasteAgain, func() { _ = m.Respond([]byte(`{"stream":"S","seq":7}`)) })
				default:
					_ = m.Respond(refusal)
				}
			})
			must(t, err)
			must(t, broker.nc.Flush())
			ctx, stop := context.WithTimeout(WithUrgentRetry(t.Context()), 3*time.Second)
			defer stop()
			got, err := r.conn.Publish(ctx, NewMessage("x", []byte("it")), 2*time.Second)
			if err != nil || got.Sequence != 7 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// Without a connection one copy waits for it: a broker that comes back is not met by all
// that was asked meanwhile.
func TestAHastyRequestDoesNotPileUpWithoutAConnection(t *testing.T) {
	r := newRig(t)
	var asked atomic.Int32
	broker := r.connect()
	_, err := broker.nc.Subscribe("x", func(m *nats.Msg) {
		asked.Add(1)
		_ = m.Respond([]byte(`{"stream":"S","seq":7}`))
	})
	must(t, err)
	must(t, broker.nc.Flush())
	away, p := r.awayConn()
	p.Down()
	back := time.AfterFunc(3*time.Second, p.Up)
	defer back.Stop()
	ctx, stop := context.WithTimeout(WithUrgentRetry(t.Context()), 10*time.Second)
	defer stop()
	if got, err := away.Publish(ctx, NewMessage("x", []byte("it")), 10*time.Second); err != nil || got.Sequence != 7 {
		t.Fatalf("%+v, %v", got, err)
	}
	if n := asked.Load(); n > 4 { // one each of the first wait and of the second, and of the moment in which it is back
		t.Errorf("the broker is asked %d times when it is back", n)
	}
}

// What is asked again and again ends with its context, and leaves no inbox behind.
func TestAHastyRequestEndsWithItsContext(t *testing.T) {
	r := newRig(t)
	var asked atomic.Int32
	if _, err := r.connect().nc.Subscribe("x", func(*nats.Msg) { asked.Add(1) }); err != nil {
		t.Fatal(err)
	}
	if _, err := r.conn.JetStream().AccountInfo(t.Context()); err != nil { // the library's own inbox of all requests
		t.Fatal(err)
	}
	before := r.conn.Core().NumSubscriptions()
	ctx, stop := context.WithTimeout(WithUrgentRetry(t.Context()), 2*time.Second)
	defer stop()
	began := time.Now()
	_, err := r.conn.Publish(ctx, NewMessage("x", []byte("it")), 2*time.Second)
	if took := time.Since(began); err == nil || took > 4*time.Second || asked.Load() < 3 {
		t.Errorf("%v after %s and %d questions", err, took, asked.Load())
	}
	if after := r.conn.Core().NumSubscriptions(); after > before {
		t.Errorf("%d subscriptions, %d before", after, before)
	}
}
