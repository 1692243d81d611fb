package client

import (
	"context"
	"fmt"
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
// the conversation holds the reply. False at the end. The reply is not among
// them: see Reply.
func (t *Turn) Next() (schema.Said, bool) {
	if len(t.queue) > 0 {
		e := t.queue[0]
		t.queue = t.queue[1:]
		return e, true
	}
	for !t.done {
		if e := t.read(); e != nil {
			return *e, true
		}
	}
	return schema.Said{}, false
}

// read takes one thing from the watch; nil where it is no event.
func (t *Turn) read() *schema.Said {
	e, open := <-t.events
	switch {
	case !open:
		t.done = true
		t.stop()
	case e.Reply != nil:
		t.reply, t.at = e.Reply, e.At
	case e.Err != nil:
		t.err = e.Err
	}
	return e.Said
}

// Sentences yields the sentences as they are released, in order, and ends with the
// turn.
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

// Reply waits for the reply of the turn. Events that come before it are kept for
// Next. The error says why there is none: the context of Say or Watch has ended,
// ErrDisconnected, or ErrNotFound where the reply has expired. The turn itself
// goes on: ask for its Outcome.
func (t *Turn) Reply() (*schema.Reply, error) {
	for t.reply == nil && !t.done {
		if e := t.read(); e != nil {
			t.queue = append(t.queue, *e)
		}
	}
	if t.reply != nil {
		return t.reply, nil
	}
	if t.err == nil {
		t.err = context.Cause(t.ctx)
	}
	return nil, fmt.Errorf("no reply of turn %s yet: %w", t.ID, t.err)
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
	t.done = true
}
