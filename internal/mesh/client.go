package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
)

// Client is the side of a game backend, a command line or a test: it publishes
// requests and reads what became of them. It runs nothing.
type Client struct {
	conn    *transport.Conn
	attempt time.Duration
	backend bool // it reads no stream
	crowd   *crowd

	ticks func(every time.Duration) (_ <-chan time.Time, stop func())
}

// NewClient makes a client over a connection.
func NewClient(conn *transport.Conn) *Client {
	return &Client{conn: conn, attempt: 2 * time.Second, crowd: &crowd{}, ticks: ticking}
}

func ticking(every time.Duration) (_ <-chan time.Time, stop func()) {
	t := time.NewTicker(every)
	return t.C, t.Stop
}

// How long a refused caller is told to wait.
const (
	retryAfterBusy = time.Second
	retryAfterFull = 2 * time.Second
)

// callLimit is how long a call tries for a caller who set no limit.
const callLimit = 10 * time.Second

// bounded gives a call an end of its own where its caller set none.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, limited := ctx.Deadline(); limited {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, callLimit)
}

// unanswered marks the error of a call that had no answer while it could wait.
func unanswered(err error) error {
	switch {
	case errors.Is(err, nats.ErrConnectionClosed):
		return fmt.Errorf("%w: %w", transport.ErrDisconnected, err)
	case transport.IsLost(err):
		return fmt.Errorf("%w: %w", transport.ErrUnreachable, err)
	}
	return err
}

// silence is how long a question is put again to a subject on which nobody
// listens: services come back after a broken connection at their own pace.
const silence = 2 * time.Second

// ask puts a question that may be put again to a service of the mesh, until it
// answers or the context ends, and says how often it did.
func (c *Client) ask(ctx context.Context, msg *transport.Message) (answer *transport.Message, times int, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	began := time.Now()
	again := func(err error) bool {
		return transport.IsLost(err) && (!errors.Is(err, nats.ErrNoResponders) || time.Since(began) < silence)
	}
	err = transport.RetryWhile(ctx, again, func() (err error) {
		times++
		answer, err = c.conn.Request(ctx, msg, c.attempt)
		return err
	})
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, times, fmt.Errorf("nobody answers on %s at %s; start the service that does, with `forsooth up` or "+
			"`forsooth serve`: %w", msg.Subject, c.conn.URL(), unanswered(err))
	}
	return answer, times, unanswered(err)
}

// Accepted is a request that the mesh has taken.
type Accepted struct {
	Sequence uint64 // in TURNS
	Again    bool   // it had been taken before: the same turn, not another
}

// Publish hands a request to the mesh. nil means that the turn is stored and
// will have exactly one reply; the same turn id may be published again as often
// as the answer is lost. Errors: schema.ErrInvalid, ErrBusy, ErrFull (both with a
// RefusedError), or the broker is out of reach.
func (c *Client) Publish(ctx context.Context, r *schema.Request) (Accepted, error) {
	if err := r.Validate(); err != nil {
		return Accepted{}, err
	}
	if s := r.Scene; s != nil && (s.Round != 0 || s.Of != "" || s.Present != nil || s.Spoke != nil || s.Message != "") {
		return Accepted{}, &schema.FieldError{Field: "scene", Reason: "holds what the mesh alone sets; give id, enter, " +
			"leave and rounds"}
	}
	if r.Scene != nil && schema.IsSceneRound(r.TurnID) {
		return Accepted{}, &schema.FieldError{Field: "turn_id", Reason: fmt.Sprintf("%q is one that the mesh alone gives; "+
			"send another or none", r.TurnID)}
	}
	if r.Begin != nil {
		return Accepted{}, &schema.FieldError{Field: "begin", Reason: "is set by the mesh alone; tell it of the event, and " +
			"it begins the turn where the NPC's file says so"}
	}
	data, err := json.Marshal(r)
	if err != nil {
		return Accepted{}, fmt.Errorf("%w: request %s: %w", schema.ErrInvalid, r.TurnID, err)
	}
	if len(data) > schema.MaxTurnBytes {
		return Accepted{}, &schema.FieldError{Field: "request",
			Reason: fmt.Sprintf("is %d bytes; at most %d are taken", len(data), schema.MaxTurnBytes)}
	}
	if err := c.crowded(); err != nil {
		return Accepted{}, err
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	ack, err := c.conn.Publish(ctx,
		traceOf(ctx, transport.NewMessage(protocol.SubjectTurn(r.Conversation()), data, transport.HeaderID, r.TurnID)),
		c.attempt)
	switch {
	case err == nil && ack.Duplicate:
		return Accepted{Sequence: ack.Sequence, Again: true}, c.known(ctx, r)
	case err == nil:
		return Accepted{Sequence: ack.Sequence}, nil
	case transport.IsSubjectFull(err):
		return Accepted{}, &RefusedError{Busy: true, RetryAfter: retryAfterBusy, Cause: err}
	case transport.IsStreamFull(err):
		return Accepted{}, &RefusedError{RetryAfter: retryAfterFull, Cause: err}
	case transport.IsTooLarge(err):
		return Accepted{}, &schema.FieldError{Field: "request", Reason: err.Error()}
	case errors.Is(err, nats.ErrNoResponders):
		return Accepted{}, fmt.Errorf("turn %s: no mesh takes turns at %s; start one with `forsooth up`: %w", r.TurnID,
			c.conn.URL(), unanswered(err))
	}
	return Accepted{}, fmt.Errorf("turn %s: %w", r.TurnID, unanswered(err))
}

// known makes sure that a turn which the broker has had before is this one: the
// broker tells turns apart by their ids alone, whatever conversation they are of.
func (c *Client) known(ctx context.Context, r *schema.Request) error {
	known, err := c.isKnown(ctx, r.Conversation(), r.TurnID)
	if err == nil && !known {
		return &schema.FieldError{Field: "turn_id", Reason: fmt.Sprintf("%s is a turn of another conversation; give "+
			"every turn an id of its own, such as a ULID", r.TurnID)}
	}
	return transport.Wrap(unanswered(err), "turn %s", r.TurnID)
}

// Reply reads the reply of a turn; ErrNotFound while it has none.
func (c *Client) Reply(ctx context.Context, convo schema.ConversationID, turn string) (*schema.Reply, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	stored, err := c.storedReply(ctx, convo, turn)
	if err != nil {
		return nil, unanswered(err)
	}
	if stored.Reply == nil {
		return nil, fmt.Errorf("the reply of turn %s has expired: %w", turn, transport.ErrNotFound)
	}
	return stored.Reply, nil
}

func checkTurn(convo schema.ConversationID, turn string) error {
	for _, f := range []struct{ field, value string }{
		{"world", convo.World}, {"npc", convo.NPC}, {"player", convo.Player}, {"turn_id", turn},
	} {
		if err := schema.CheckToken(f.field, f.value); err != nil {
			return err
		}
	}
	return nil
}

// Cancel ends a turn: it gets the reply of what was said so far, status
// aborted. ErrNotFound when the turn has ended already or was never published.
func (c *Client) Cancel(ctx context.Context, convo schema.ConversationID, turn string) error {
	if err := checkTurn(convo, turn); err != nil {
		return err
	}
	answer, times, err := c.ask(ctx, transport.NewMessage(protocol.SubjectCancel(convo, turn), nil))
	if err != nil {
		return fmt.Errorf("cancel turn %s: %w; without it the turn ends at its deadline", turn, err)
	}
	switch text := string(answer.Data); text {
	case "ok":
		return nil
	case cancelUnknown:
		if r, err := c.Reply(ctx, convo, turn); times > 1 && err == nil && r.Reason == schema.ReasonCancelled {
			return nil // the first answer was lost
		}
		return fmt.Errorf("turn %s waits nowhere: %w", turn, transport.ErrNotFound)
	default:
		return fmt.Errorf("cancel turn %s: %s", turn, text)
	}
}

// Conversation reads a conversation's document and its revision; a conversation
// that never was has an empty document and revision 0.
func (c *Client) Conversation(ctx context.Context, convo schema.ConversationID) (*schema.Conversation, uint64, error) {
	doc, err := readConversation(ctx, c.conn, convo)
	return doc.Conversation, doc.revision, err
}

// PutConversation writes a document over the revision it was read at.
// ErrConflict when it has changed since.
func (c *Client) PutConversation(ctx context.Context, doc *schema.Conversation, revision uint64) error {
	convo := schema.ConversationID{World: doc.World, NPC: doc.NPC, Player: doc.Player}
	if err := checkTurn(convo, "any"); err != nil {
		return err
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("document of conversation %s: %w", convo, err)
	}
	msg := transport.NewMessage(transport.ConversationPrefix+convo.String(), data, transport.HeaderLast,
		strconv.FormatUint(revision, 10))
	_, err = c.conn.Publish(ctx, msg, c.attempt)
	if transport.IsConflict(err) {
		return fmt.Errorf("document of conversation %s: %w", convo, ErrDocConflict)
	}
	return err
}

// MemoryLog is the log of the broker that a client speaks to.
func (c *Client) MemoryLog() *transport.MemoryLog { return c.conn.MemoryLog() }

// Counters are the sums of the broker that a client speaks to.
func (c *Client) Counters() *transport.Counters { return c.conn.Counters() }

// Ledger is that of the broker that a client speaks to.
func (c *Client) Ledger() *transport.Ledger { return c.conn.Ledger() }

// Scans is the history of the broker that a client speaks to.
func (c *Client) Scans() *transport.Scans { return c.conn.Scans() }
