// Package client is the SDK that a game backend imports: say something to an
// NPC, read its sentences as they are verified, carry out what the NPC does, tell
// what the game saw, cancel, and ask later what became of a turn. It runs no pass
// and needs only a NATS address; server, stores and models stay out of a binary
// that imports it.
//
//	c, err := client.Connect(ctx, "nats://127.0.0.1:4222", client.Options{})
//
// turn, err := c.Say(ctx, schema.Request{World: "hollowmere", NPC: "mira", Player: "p42", Message: "Who
// burned the mill?"})
//
//	for s, err := range turn.Sentences(ctx) { show(s.Text) }
//	reply, err := turn.Reply(ctx)
//
// A broken connection is mended in the background for as long as it takes: what
// is under way goes on, in the mesh and here. Calls try again until their context
// ends, or for ten seconds where it has no deadline; everything they send may
// arrive twice without harm, because the mesh knows it by its id.
//
// A backend that must survive its own restart writes the turn's id down before it
// says anything (NewID), and asks with Outcome or Watch when it is back.
package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Options of a client. The zero value is fit for use.
type Options struct {
	Name  string           // of this backend, as the broker shows it
	Login Login            // who this backend is to the broker; default nobody, without TLS of its own
	NewID func() string    // makes ids of turns and events; default: ULIDs of Now and Rand
	Now   func() time.Time // default time.Now
	Rand  io.Reader        // default crypto/rand

	// Log takes a warning where the connection breaks and a line where it is back;
	// default: none.
	Log *slog.Logger
	// OnState is told of the connection from a goroutine of the client, one call at a
	// time: false with the reason where it breaks, true where it is back, and false with
	// ErrDisconnected as the last, where the client is closed. It must not block.
	OnState func(connected bool, why error)
}

// Client talks to a mesh. It may be used from many goroutines; one is enough for
// thousands of players.
type Client struct {
	conn  *transport.Conn
	mesh  *mesh.Client
	newID func() string
}

// Connect reaches the mesh's broker, or says in one line why it cannot. The url is
// nats://host:port, or several with commas between; tls://host:port asks for TLS
// whatever the broker says. A secret never stands in it: see Login.
func Connect(ctx context.Context, url string, o Options) (*Client, error) {
	if o.Name == "" {
		o.Name = "forsooth client"
	}
	conn, err := transport.Connect(ctx,
		transport.Dial{URL: url, Name: o.Name, Login: transport.Login(o.Login), Backend: true, State: o.state})
	if err != nil {
		return nil, owned(err)
	}
	return &Client{conn: conn, mesh: mesh.NewBackend(conn), newID: ids(o)}, nil
}

// state tells whoever asked of what became of the connection.
func (o Options) state(connected bool, why error) {
	if o.Log != nil && connected {
		o.Log.Info("the connection to the broker is back")
	}
	if o.Log != nil && !connected && !errors.Is(why, ErrDisconnected) {
		o.Log.Warn("the connection to the broker broke; it is tried again", "error", why)
	}
	if o.OnState != nil {
		o.OnState(connected, why)
	}
}

// ids makes ULIDs: sorted by time, and unique within one millisecond too.
func ids(o Options) func() string {
	if o.NewID != nil {
		return o.NewID
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	var mu sync.Mutex
	entropy := ulid.Monotonic(o.Rand, 0)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return ulid.MustNew(ulid.Timestamp(o.Now()), entropy).String()
	}
}

// Close ends the connection and every watch over it. Turns go on without it.
func (c *Client) Close() { c.conn.Close() }

// NewID makes an id for a turn or an event: 26 letters and digits that sort by
// time.
func (c *Client) NewID() string { return c.newID() }

// Say publishes what a player said and shows the turn as it runs, until ctx
// ends. Where Say returns a turn, the mesh has it and will end it with exactly one
// reply, by the deadline of the request (deadline_ms, 8,000 where it names none)
// after its acceptance, whatever becomes of this process.
//
// A request without a turn id gets one: see Turn.ID. The same id said again is the
// same turn, watched again, and costs no second answer. Supersedes names an
// earlier turn of this player with this NPC that need not be answered any more: it
// ends with what was said of it, and the mesh goes on to this one.
//
// Errors: ErrBusy and ErrFull, to be said again after RetryAfter; *schema.FieldError (is
// schema.ErrInvalid), which names the field and how to mend it; ErrUnreachable, where
// nobody knows whether the mesh has it: say it again with the same turn id, which
// an *UnsaidError carries.
func (c *Client) Say(ctx context.Context, r schema.Request) (*Turn, error) {
	if r.TurnID == "" {
		r.TurnID = c.newID()
	}
	accepted, err := c.mesh.Publish(ctx, &r)
	if err != nil {
		return nil, &UnsaidError{TurnID: r.TurnID, Cause: owned(err)}
	}
	ctx, stop := context.WithCancel(ctx)
	events, err := c.mesh.WatchRequest(ctx, &r)
	if err != nil {
		stop()
		return nil, &UnsaidError{TurnID: r.TurnID, Cause: owned(err)}
	}
	t := &Turn{ID: r.TurnID, Conversation: r.Conversation(), events: events, ctx: ctx, stop: stop}
	t.Again = accepted.Again
	return t, nil
}

// Watch shows a turn from its beginning, whoever said it and whenever: what has
// been said already, then what comes. A turn that the mesh has never had is
// waited for until ctx ends; Outcome tells which those are.
func (c *Client) Watch(ctx context.Context, convo schema.ConversationID, turnID string) (*Turn, error) {
	ctx, stop := context.WithCancel(ctx)
	events, err := c.mesh.Watch(ctx, convo, turnID)
	if err != nil {
		stop()
		return nil, owned(err)
	}
	return &Turn{ID: turnID, Conversation: convo, events: events, ctx: ctx, stop: stop}, nil
}

// Reply reads the reply of a turn, which is kept for seven days; ErrNotFound while
// it has none.
func (c *Client) Reply(ctx context.Context, convo schema.ConversationID, turnID string) (*schema.Reply, error) {
	found, err := c.mesh.Reply(ctx, convo, turnID)
	return found, owned(err)
}

// Outcome asks the mesh what became of a turn: waiting, ended with this reply, or
// unknown, which was never accepted or has expired. It is what a backend that has
// started again asks for every turn whose reply it has not seen.
func (c *Client) Outcome(ctx context.Context, convo schema.ConversationID, turnID string) (*schema.TurnOutcome, error) {
	found, err := c.mesh.Outcome(ctx, convo, turnID)
	return found, owned(err)
}

// Cancel ends a turn now, with what was said so far: its model calls are broken
// off, and its reply has status aborted and reason CANCELLED. nil means that it is
// done; ErrNotFound, that the turn had ended or was never accepted.
func (c *Client) Cancel(ctx context.Context, convo schema.ConversationID, turnID string) error {
	return owned(c.mesh.Cancel(ctx, convo, turnID))
}

// Witness tells what the game saw happen: it becomes a memory of exactly the NPCs
// among its witnesses. An occurrence without an id gets one; the same id told
// again is one event.
func (c *Client) Witness(ctx context.Context, o *schema.Occurrence) error {
	if o.ID == "" {
		o.ID = c.newID()
	}
	return owned(c.mesh.Witness(ctx, o))
}

// CheckGrounding asks which claims of a text the given sources support. It is the
// mesh's verifier by itself: neither text nor sources become evidence of a turn.
func (c *Client) CheckGrounding(ctx context.Context, q schema.CheckQuery) (*schema.CheckResult, error) {
	found, err := c.mesh.CheckGrounding(ctx, q)
	return found, owned(err)
}

// Login is who a client is to the broker, and whom it trusts: a credentials file,
// a user and its password, or a token; a CA of one's own, and a certificate of
// this client. Secrets are asked for at every connection, so that they may be
// changed while the game runs.
type Login struct {
	Creds    string // a file with a user's JWT and seed
	User     string
	Password func() (string, error) // nil: none; see SecretFile and SecretEnv
	Token    func() (string, error) // nil: none; an empty one is none

	CA        string // a PEM file of certificates that are trusted instead of the system's
	Cert, Key string // PEM files of this client's certificate

	Inbox string // the prefix of answers; default _INBOX_ and the user, or the broker's own
}

// SecretFile reads a password or a token from a file that holds it alone.
func SecretFile(path string) func() (string, error) {
	return func() (string, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("the secret cannot be read: %w; mend the path or its permissions", err)
		}
		secret := strings.TrimSpace(string(data))
		if secret == "" {
			return "", fmt.Errorf("%s is empty; it must hold the secret alone", path)
		}
		return secret, nil
	}
}

// SecretEnv reads a password or a token from an environment variable.
func SecretEnv(name string) func() (string, error) {
	return func() (string, error) {
		if secret := strings.TrimSpace(os.Getenv(name)); secret != "" {
			return secret, nil
		}
		return "", fmt.Errorf("the environment variable %s is not set; it must hold the secret", name)
	}
}

// WithTrace gives a context in which Say makes the turn a part of the backend's trace:
// traceparent and tracestate as W3C's Trace Context has them, as strings, so that a
// backend needs no tracing library of ours and may use its own. An empty or malformed
// traceparent changes nothing. Whether the turn is kept is what its flag says.
func WithTrace(ctx context.Context, traceparent, tracestate string) context.Context {
	return mesh.WithTrace(ctx, traceparent, tracestate)
}
