// Package client is the SDK that a game backend imports: say something to an
// NPC, read its sentences as they are verified, read the reply again later,
// cancel. It runs no pass and needs only a NATS address; server, stores and
// models stay out of a binary that imports it.
//
//	c, err := client.Connect(ctx, "nats://127.0.0.1:4222", client.Options{})
//	turn, err := c.Say(ctx, schema.Request{World: "hollowmere", NPC: "mira", Player: "p42", Message: "Who burned the mill?"})
//	for s := range turn.Sentences() { show(s.Text) }
//	reply, err := turn.Reply()
package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/oklog/ulid/v2"
)

// Errors that a backend may test for. A refused request carries how long to
// wait: see RetryAfter.
var (
	ErrBusy     = mesh.ErrBusy     // this conversation has too many turns waiting
	ErrFull     = mesh.ErrFull     // the mesh takes no more turns now
	ErrNotFound = mesh.ErrNotFound // no such turn, or no reply yet
	ErrInvalid  = schema.ErrInvalid
)

// RetryAfter is how long a refused caller should wait; 0 when err is no refusal.
func RetryAfter(err error) time.Duration {
	var refused *mesh.RefusedError
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}

// Options of a client. The zero value is fit for use.
type Options struct {
	Name  string           // of this backend, as the broker shows it
	NewID func() string    // makes turn ids; default: ULIDs of Now and Rand
	Now   func() time.Time // default time.Now
	Rand  io.Reader        // default crypto/rand
}

// Client talks to a mesh. It may be used from many goroutines.
type Client struct {
	conn  *mesh.Conn
	mesh  *mesh.Client
	newID func() string
}

// Connect reaches the mesh's broker.
func Connect(ctx context.Context, url string, o Options) (*Client, error) {
	if o.Name == "" {
		o.Name = "forsooth client"
	}
	conn, err := mesh.Connect(ctx, mesh.Dial{URL: url, Name: o.Name})
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, mesh: mesh.NewClient(conn), newID: ids(o)}, nil
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

// Close ends the connection. Turns go on without it.
func (c *Client) Close() { c.conn.Close() }

// Say publishes what a player said and shows the turn as it runs, until ctx
// ends. A request without a turn id gets one: see Turn.ID. When Say fails because
// the answer was lost, say it again with the same turn id: it is one turn.
func (c *Client) Say(ctx context.Context, r schema.Request) (*Turn, error) {
	if r.TurnID == "" {
		r.TurnID = c.newID()
	}
	if _, err := c.mesh.Publish(ctx, &r); err != nil {
		return nil, err
	}
	return c.Watch(ctx, r.Conversation(), r.TurnID)
}

// Watch shows a turn from its beginning, whoever said it and whenever.
func (c *Client) Watch(ctx context.Context, convo schema.ConversationID, turnID string) (*Turn, error) {
	events, err := c.mesh.Watch(ctx, convo, turnID)
	if err != nil {
		return nil, err
	}
	return &Turn{ID: turnID, Conversation: convo, events: events, ctx: ctx}, nil
}

// Reply reads the reply of a turn; ErrNotFound while it has none.
func (c *Client) Reply(ctx context.Context, convo schema.ConversationID, turnID string) (*schema.Reply, error) {
	return c.mesh.Reply(ctx, convo, turnID)
}

// Cancel ends a turn with what was said so far; ErrNotFound when it has ended.
func (c *Client) Cancel(ctx context.Context, convo schema.ConversationID, turnID string) error {
	return c.mesh.Cancel(ctx, convo, turnID)
}

// Witness tells what the game saw happen: it becomes a memory of exactly the NPCs
// among its witnesses. An occurrence without an id gets one; where Witness fails
// because the answer was lost, tell it again with the same id.
func (c *Client) Witness(ctx context.Context, o *schema.Occurrence) error {
	if o.ID == "" {
		o.ID = c.newID()
	}
	return c.mesh.Witness(ctx, o)
}

// CheckGrounding asks which claims of a text the given sources support. It is the
// mesh's verifier by itself: neither text nor sources become evidence of a turn.
func (c *Client) CheckGrounding(ctx context.Context, q schema.CheckQuery) (*schema.CheckResult, error) {
	return c.mesh.CheckGrounding(ctx, q)
}

// Turn is a turn being watched, by one goroutine.
type Turn struct {
	ID           string
	Conversation schema.ConversationID

	ctx    context.Context
	events <-chan mesh.Event
	reply  *schema.Reply
	done   bool
}

// Next is the next event of the turn: of its kinds, SaidSentence brings a
// verified sentence, and SaidDone or SaidAborted is the last. False at the end,
// after which Reply does not wait.
func (t *Turn) Next() (schema.Said, bool) {
	for e := range t.events {
		if e.Reply != nil {
			t.reply = e.Reply
			continue
		}
		return *e.Said, true
	}
	t.done = true
	return schema.Said{}, false
}

// Sentences yields the sentences as they are released.
func (t *Turn) Sentences() func(yield func(schema.Sentence) bool) {
	return func(yield func(schema.Sentence) bool) {
		for {
			e, ok := t.Next()
			if !ok || e.Kind == schema.SaidSentence && !yield(*e.Sentence) {
				return
			}
		}
	}
}

// Reply waits for the end of the turn and gives its reply, which the
// conversation then holds.
func (t *Turn) Reply() (*schema.Reply, error) {
	for !t.done {
		t.Next()
	}
	if t.reply == nil {
		return nil, fmt.Errorf("turn %s is not over: %w", t.ID, context.Cause(t.ctx))
	}
	return t.reply, nil
}
