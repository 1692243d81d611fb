// Package transport is the mesh's way to NATS JetStream: the connection and its rights,
// publishes that survive a lost answer, reads one by one and in batches, the table of
// streams, and the logs and sums that the broker keeps. It knows subjects and streams, and
// nothing of what a turn is or who handles it: that is internal/mesh, which stands on it.
//
// Start at Connect (conn.go), then Publish (publish.go), Last and Each (read.go, batch.go),
// and the table of streams (topology.go).
package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// InProcess is a NATS server in this very process; embedded.Server is one.
type InProcess interface {
	InProcessConn() (net.Conn, error)
}

// Dial says which broker to connect to.
type Dial struct {
	URL       string    // nats://host:port
	InProcess InProcess // instead of a URL
	Name      string    // of this client, as the broker shows it
	Login     Login
	Timeout   time.Duration // of the first connection; default 2 s
	Backend   bool          // only a client that reads no stream speaks over it, whose account need not have any

	// State is told when the connection breaks (false and why), is back (true), and is
	// closed (false and ErrDisconnected, as the last). nil: nobody is told.
	State func(connected bool, why error)
}

// Conn is a connection to the broker. Several meshes and clients may share it.
type Conn struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	url    string
	closed chan struct{}

	refused *refused

	mu      sync.Mutex
	streams map[string]jetstream.Stream
	erasing []byte    // the key of erasures, once there is one
	keyless time.Time // when the broker was asked for it that had none
}

// ReadTimeout is one attempt at one read.
const ReadTimeout = 2 * time.Second

// pingEvery is how often a quiet connection is tried: one that is up and carries
// nothing, as in a partition, is given up after three times that.
const pingEvery = 3 * time.Second

// Connect reaches the broker or says in one line why it cannot. A connection
// that breaks later is mended in the background for as long as it takes.
func Connect(ctx context.Context, d Dial) (*Conn, error) {
	if err := checkAddress(d.URL); err != nil {
		return nil, err
	}
	login, err := d.Login.options()
	if err != nil {
		return nil, err
	}
	c := &Conn{url: d.URL, closed: make(chan struct{}), refused: newRefused(), streams: map[string]jetstream.Stream{}}
	opts := append(login,
		nats.Name(d.Name),
		nats.Timeout(cmp.Or(d.Timeout, 2*time.Second)),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // a password that is changed at the broker first is right a moment later
		nats.ReconnectWait(100*time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(2),
		nats.ClosedHandler(func(*nats.Conn) { d.tell(false, ErrDisconnected); close(c.closed) }),
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) { d.broken(nc, err) }),
		nats.ReconnectHandler(func(*nats.Conn) { d.tell(true, nil) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.refused.note(err) }),
	)
	if d.InProcess != nil {
		c.url = "the server in this process"
		opts = append(opts, nats.InProcessServer(d.InProcess))
	}
	nc, err := nats.Connect(d.URL, opts...)
	if err != nil {
		return nil, d.unreached(c.url, err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open JetStream at %s: %w", c.url, err)
	}
	if !d.Backend {
		err := c.rightly(ctx, &RightError{Subject: "$JS.API.INFO"}, func(ctx context.Context) error {
			_, err := js.AccountInfo(ctx)
			return err
		})
		if err != nil {
			nc.Close()
			return nil, withoutJetStream(c.url, err)
		}
	}
	c.nc, c.js = nc, js
	return c, nil
}

func (d Dial) tell(connected bool, why error) {
	if d.State != nil {
		d.State(connected, why)
	}
}

// broken tells of a connection that broke. One that is closed from here is told of by
// its closing alone.
func (d Dial) broken(nc *nats.Conn, err error) {
	if nc.IsClosed() {
		return
	}
	if err == nil {
		err = errors.New("the broker ended the connection")
	}
	d.tell(false, err)
}

// unreached says why there is no connection.
func (d Dial) unreached(where string, err error) error {
	if why := d.Login.refusal(err); why != "" {
		return fmt.Errorf("the NATS server at %s: %s", where, why)
	}
	return fmt.Errorf("no NATS server answers at %s: %w; start one with `forsooth up`, or name another with --nats",
		where, err)
}

// withoutJetStream says why a broker that answers is of no use.
func withoutJetStream(where string, err error) error {
	var denied *RightError
	switch {
	case errors.As(err, &denied):
		return fmt.Errorf("the NATS server at %s does not let this user ask for JetStream; connect as the user whose "+
			"work it is (nats.user), or give this one the right to publish $JS.API.INFO", where)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("the NATS server at %s has no JetStream for this account; enable it there (jetstream: "+
			"enabled), or use another user", where)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("the NATS server at %s has no JetStream; start it with -js", where)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("the NATS server at %s does not say whether it has JetStream; give this user the right to "+
			"publish $JS.API.INFO and to listen to its inbox, or look at the server's log", where)
	}
	return fmt.Errorf("ask %s for JetStream: %w", where, err)
}

// Close ends the connection at once. A Mesh over it must have stopped.
func (c *Conn) Close() {
	c.nc.Close()
	<-c.closed
}

// Connected says whether the broker is reached at this moment.
func (c *Conn) Connected() bool { return c.nc.IsConnected() }

// URL is where the connection leads, for messages.
func (c *Conn) URL() string { return c.url }

// Core is the client library's connection.
func (c *Conn) Core() *nats.Conn { return c.nc }

// JetStream is the client library's access to the streams.
func (c *Conn) JetStream() jetstream.JetStream { return c.js }

// Closed is closed once the connection is, and never comes back.
func (c *Conn) Closed() <-chan struct{} { return c.closed }

// PullHeartbeat is how often the broker says that a waiting pull still stands;
// twice that without a word, and the pull is made again.
const PullHeartbeat = 500 * time.Millisecond

// MetaSchema is the key of a stream's metadata that says which schema its messages
// have: the highest minor that ever set it up.
const MetaSchema = "forsooth.schema"

// VersionError is a stream whose messages another major of the schema wrote.
type VersionError struct{ Stream, Have, Want string }

func (e *VersionError) Error() string {
	major, _, _ := strings.Cut(e.Want, ".")
	return fmt.Sprintf("stream %s holds messages of schema %s and this build reads %s.x: run a forsooth of that "+
		"major there, or give this one another NATS account (nats.user, nats.creds) or server (--nats)",
		e.Stream, e.Have, major)
}

// CheckStamp refuses a stream of another major. One without a stamp was made
// before streams had one, by the first major.
func CheckStamp(stream string, have, want map[string]string) error {
	stamp := have[MetaSchema]
	if stamp == "" || schema.CheckVersion(stamp) == nil {
		return nil
	}
	return &VersionError{Stream: stream, Have: stamp, Want: want[MetaSchema]}
}

// restamped is a stream's metadata with the stamp of this build where it has none
// or a lower one; the other keys are the broker's and the operators'.
func restamped(have, want map[string]string) (map[string]string, bool) {
	if minor(have[MetaSchema]) >= minor(want[MetaSchema]) {
		return have, false
	}
	out := maps.Clone(have)
	if out == nil {
		out = map[string]string{}
	}
	out[MetaSchema] = want[MetaSchema]
	return out, true
}

// minor is the second number of a version; -1 where there is none.
func minor(version string) int {
	_, text, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// MaxSkew is how far a machine's clock may be from the broker's. Deadlines are
// the broker's, and the margin before each of them is no shorter.
const MaxSkew = time.Second

// ClockError is a clock that disagrees with the broker's.
type ClockError struct {
	Ahead  time.Duration // negative: behind
	Broker string
}

func (e *ClockError) Error() string {
	way := "ahead of"
	if e.Ahead < 0 {
		way = "behind"
	}
	return fmt.Sprintf("this machine's clock is %s %s the broker's at %s, and at most %s is borne; set both by NTP "+
		"(timedatectl set-ntp true)",
		e.Ahead.Abs().Round(100*time.Millisecond), way, e.Broker, MaxSkew)
}

// CheckClock compares a clock with the broker's. What the question itself took is
// in the clock's favour.
func (c *Conn) CheckClock(ctx context.Context, now func() time.Time) error {
	var worst time.Duration
	for range 3 { // a pause between question and answer is no skew
		var asked time.Time
		var s jetstream.Stream
		err := c.RetryUnavailable(ctx, "stream "+StreamTurns, func(ctx context.Context) (err error) {
			asked = now() // a question without an answer says nothing of the clock
			s, err = c.Look(ctx, StreamTurns)
			return err
		})
		if err != nil {
			return fmt.Errorf("ask %s for its time: %w", c.url, err)
		}
		answered := now()
		broker := s.CachedInfo().TimeStamp
		switch {
		case broker.Before(asked):
			worst = asked.Sub(broker)
		case broker.After(answered):
			worst = answered.Sub(broker)
		default:
			return nil
		}
		if worst.Abs() <= MaxSkew {
			return nil
		}
	}
	return &ClockError{Ahead: worst, Broker: c.url}
}
