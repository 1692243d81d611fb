package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
)

// Client is the side of a game backend, a command line or a test: it publishes
// requests and reads what became of them. It runs nothing.
type Client struct {
	conn    *Conn
	attempt time.Duration
}

// NewClient makes a client over a connection.
func NewClient(conn *Conn) *Client { return &Client{conn: conn, attempt: 2 * time.Second} }

// How long a refused caller is told to wait.
const (
	retryAfterBusy = time.Second
	retryAfterFull = 2 * time.Second
)

// publishLimit is how long Publish tries for a caller who set no limit.
const publishLimit = 10 * time.Second

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
	data, err := json.Marshal(r)
	if err != nil {
		return Accepted{}, fmt.Errorf("%w: request %s: %w", schema.ErrInvalid, r.TurnID, err)
	}
	if len(data) > schema.MaxTurnBytes {
		return Accepted{}, &schema.FieldError{Field: "request", Reason: fmt.Sprintf("is %d bytes; at most %d are taken", len(data), schema.MaxTurnBytes)}
	}
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, publishLimit)
		defer cancel()
	}
	ack, err := c.conn.publish(ctx, message(schema.SubjectTurn(r.Conversation()), data, headerMsgID, r.TurnID), c.attempt)
	switch {
	case err == nil:
		return Accepted{Sequence: ack.Sequence, Again: ack.Duplicate}, nil
	case isSubjectFull(err):
		return Accepted{}, &RefusedError{Busy: true, RetryAfter: retryAfterBusy, Cause: err}
	case isStreamFull(err):
		return Accepted{}, &RefusedError{RetryAfter: retryAfterFull, Cause: err}
	case apiCode(err) == codeTooLarge:
		return Accepted{}, &schema.FieldError{Field: "request", Reason: err.Error()}
	case errors.Is(err, nats.ErrNoResponders):
		return Accepted{}, fmt.Errorf("turn %s: no mesh takes turns at %s; start one with `forsooth up`: %w", r.TurnID, c.conn.url, err)
	}
	return Accepted{}, fmt.Errorf("turn %s: %w", r.TurnID, err)
}

// Reply reads the reply of a turn; ErrNotFound while it has none.
func (c *Client) Reply(ctx context.Context, convo schema.ConversationID, turn string) (*schema.Reply, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	stored, err := c.conn.reply(ctx, convo, turn)
	if err != nil {
		return nil, err
	}
	if stored.Reply == nil {
		return nil, fmt.Errorf("the reply of turn %s has expired: %w", turn, ErrNotFound)
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
	answer, err := c.conn.nc.RequestMsgWithContext(ctx, message(schema.SubjectCancel(convo, turn), nil))
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("nobody answers cancels: no actions service runs; the turn ends at its deadline")
	}
	if err != nil {
		return fmt.Errorf("cancel turn %s: %w", turn, err)
	}
	switch text := string(answer.Data); text {
	case "ok":
		return nil
	case cancelUnknown:
		return fmt.Errorf("turn %s waits nowhere: %w", turn, ErrNotFound)
	default:
		return fmt.Errorf("cancel turn %s: %s", turn, text)
	}
}

// Conversation reads a conversation's document and its revision; a conversation
// that never was has an empty document and revision 0.
func (c *Client) Conversation(ctx context.Context, convo schema.ConversationID) (*schema.Conversation, uint64, error) {
	doc, err := c.conn.conversation(ctx, convo)
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
	msg := message(convoPrefix+convo.String(), data, headerExpected, strconv.FormatUint(revision, 10))
	_, err = c.conn.publish(ctx, msg, c.attempt)
	if isConflict(err) {
		return fmt.Errorf("document of conversation %s: %w", convo, ErrDocConflict)
	}
	return err
}
