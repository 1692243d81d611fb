package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Turn is a turn being watched, by one goroutine.
type Turn struct {
	ID           string
	Conversation schema.ConversationID
	Again        bool // Say was told this turn before: it is shown from its beginning, not answered anew

	ctx    context.Context
	stop   context.CancelFunc
	events <-chan mesh.Event
	queue  []schema.Said // read while Reply looked for the reply
	reply  *schema.Reply
	at     time.Time
	done   bool
	err    error
}

// Next is the next event of the turn: accepted, thinking, a verified sentence,
// closed (nothing more is said), and done or aborted as the last, by which time
// the conversation holds the reply. The reply is not among the events: see Reply.
//
// Errors: io.EOF after the last event; the error of ctx, and Next may be called
// again; ErrDisconnected, ErrNotFound where the turn has expired, or the error of
// the context of Say or Watch. The turn itself goes on in the mesh.
func (t *Turn) Next(ctx context.Context) (schema.Said, error) {
	if len(t.queue) > 0 {
		e := t.queue[0]
		t.queue = t.queue[1:]
		return e, nil
	}
	for !t.done {
		e, err := t.read(ctx)
		if err != nil {
			return schema.Said{}, err
		}
		if e != nil {
			return *e, nil
		}
	}
	if err := t.ended(); err != nil {
		return schema.Said{}, err
	}
	return schema.Said{}, io.EOF
}

// read takes one thing from the watch; nil where it is no event.
func (t *Turn) read(ctx context.Context) (*schema.Said, error) {
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case e, open := <-t.events:
		switch {
		case !open:
			t.done = true
			if t.reply == nil && t.err == nil {
				t.err = context.Cause(t.ctx)
			}
			t.stop()
		case e.Reply != nil:
			t.reply, t.at = e.Reply, e.At
		case e.Err != nil:
			t.err = owned(e.Err)
		}
		return e.Said, nil
	}
}

// ended is why the watch ended before the turn did; nil where the turn has its reply.
func (t *Turn) ended() error {
	if t.reply != nil {
		return nil
	}
	return t.err
}

// Sentences yields the sentences as they are released, in order, and ends with the
// turn. An error, of those that Next gives, is the last thing yielded.
func (t *Turn) Sentences(ctx context.Context) iter.Seq2[schema.Sentence, error] {
	return func(yield func(schema.Sentence, error) bool) {
		for {
			e, err := t.Next(ctx)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(schema.Sentence{}, err)
				return
			case e.Kind == schema.SaidSentence && !yield(*e.Sentence, nil):
				return
			}
		}
	}
}

// Reply waits for the reply of the turn. Events that come before it are kept for
// Next. The error says why there is none: that of ctx, after which Reply may be
// called again, or another that Next gives. The turn itself goes on: ask for its
// Outcome.
func (t *Turn) Reply(ctx context.Context) (*schema.Reply, error) {
	for t.reply == nil && !t.done {
		e, err := t.read(ctx)
		if err != nil {
			return nil, fmt.Errorf("no reply of turn %s yet: %w", t.ID, err)
		}
		if e != nil {
			t.queue = append(t.queue, *e)
		}
	}
	if t.reply == nil {
		return nil, fmt.Errorf("no reply of turn %s yet: %w", t.ID, t.err)
	}
	return t.reply, nil
}

// RepliedAt is when the mesh stored the reply, by the broker's clock, as
// Reply.AcceptedAt is; zero as long as the reply has not been seen.
func (t *Turn) RepliedAt() time.Time { return t.at }

// Close stops watching. A turn that is read to its end needs none, and neither does
// one whose context ends.
func (t *Turn) Close() {
	t.stop()
	for range t.events { // until the watch has ended
	}
	if t.done = true; t.reply == nil && t.err == nil {
		t.err = context.Cause(t.ctx)
	}
}

// Proposal is an action that an NPC proposes to the game: of this conversation
// and turn, the action at this index of the reply's actions.
type Proposal struct {
	Conversation schema.ConversationID
	Turn         string
	Index        int
	Action       schema.Action
	At           time.Time // when it was proposed, by the broker's clock
}

// Actions gives do the actions that a world's NPCs propose, one after the other,
// until ctx ends (nil) or the client is closed (ErrDisconnected). They begin with
// those proposed at the time since, zero meaning now; what the game had answered
// before the call is left out, so that a backend which starts again passes the
// time it was last sure of, and misses none. Actions are kept for seven days.
//
// Each action comes at least once, and may come twice: conversation, turn and index
// name it. The answer is sent with ActionResult. An action with Confirm holds back
// the sentence that promises it until the game has answered, at most 1.5 seconds
// after Proposal.At; silence is no. The others have been spoken of or need no word,
// and the answer tells the NPC how it went.
func (c *Client) Actions(ctx context.Context, world string, since time.Time, do func(Proposal)) error {
	return owned(c.mesh.Actions(ctx, world, since, func(p mesh.Proposal) { do(Proposal(p)) }))
}

// ActionResult is the game's answer to a proposed action: carried out, or refused
// with a reason. The first answer stands, and a later one changes nothing.
func (c *Client) ActionResult(ctx context.Context, p Proposal, result schema.ActionResult) error {
	return owned(c.mesh.Answer(ctx, p.Conversation, p.Turn, p.Index, result))
}
