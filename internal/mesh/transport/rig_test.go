package transport

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a broker with a connection to it.
type rig struct {
	t      *testing.T
	server *embedded.Server
	conn   *Conn
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOn(t, embedded.Options{Dir: t.TempDir()})
}

func newRigOn(t *testing.T, o embedded.Options) *rig {
	t.Helper()
	server, err := embedded.Start(t.Context(), o)
	must(t, err)
	t.Cleanup(server.Stop)
	r := &rig{t: t, server: server}
	r.conn = r.connect()
	return r
}

// setup makes the streams.
func (r *rig) setup() {
	r.t.Helper()
	must(r.t, r.conn.Setup(r.t.Context(), Settings{}))
}

func (r *rig) connect() *Conn {
	r.t.Helper()
	c, err := Connect(r.t.Context(), Dial{InProcess: r.server, Name: r.t.Name()})
	must(r.t, err)
	r.t.Cleanup(c.Close)
	return c
}

// awayConn is a connection that runs through a proxy.
func (r *rig) awayConn() (*Conn, *faults.Proxy) {
	r.t.Helper()
	p, err := faults.Listen(strings.TrimPrefix(r.server.URL(), "nats://"))
	must(r.t, err)
	r.t.Cleanup(p.Close)
	conn, err := Connect(r.t.Context(), Dial{URL: "nats://" + p.Addr(), Name: r.t.Name()})
	must(r.t, err)
	r.t.Cleanup(conn.Close)
	return conn, p
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

// older makes a stream as a version before this one might have.
func (r *rig) older(name string, change func(*jetstream.StreamConfig)) {
	r.t.Helper()
	cfg := StreamTable(Settings{}.WithDefaults(), name)
	cfg.Metadata = nil
	change(&cfg)
	_, err := r.conn.js.CreateStream(r.t.Context(), cfg)
	must(r.t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
