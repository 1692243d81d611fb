package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrNobodyEnds says that no service runs that could end a turn.
var ErrNobodyEnds = errors.New("nobody ends turns here")

// End cancels the turns that wait, and comes back when each has ended. A mesh of
// which no service runs ends none: ErrNobodyEnds.
func (e *Eraser) End(ctx context.Context, open []EndedTurn) error {
	client := &Client{conn: e.conn, attempt: readTimeout}
	for _, t := range open {
		asking, stop := context.WithTimeout(ctx, messageTimeout)
		_, err := e.conn.nc.RequestMsgWithContext(asking, message(protocol.SubjectCancel(t.Conversation, t.Turn), nil))
		stop()
		if errors.Is(err, nats.ErrNoResponders) {
			return ErrNobodyEnds
		}
		if err != nil { // the answer may be that it has ended already
			return fmt.Errorf("end turn %s: %w", t.Turn, err)
		}
	}
	for _, t := range open {
		if err := client.ended(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// ended waits until a turn has left its queue.
func (c *Client) ended(ctx context.Context, t EndedTurn) error {
	ctx, stop := context.WithTimeout(ctx, messageTimeout)
	defer stop()
	for {
		_, err := c.conn.queued(ctx, t.Conversation, t.Turn)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("turn %s was cancelled and has not ended; see `forsooth doctor`, and run this again", t.Turn)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Refuse keeps the turns and events of a trail from being taken a second time.
func (e *Eraser) Refuse(ctx context.Context, key []byte, turns []EndedTurn) error {
	for _, t := range turns {
		if err := e.conn.refuse(ctx, key, t.Conversation, t.Turn); err != nil {
			return err
		}
	}
	return nil
}

// Erase deletes the messages of a place, and says how many.
func (e *Eraser) Erase(ctx context.Context, p *Place) (int, error) {
	for i, m := range p.messages {
		if err := e.delete(ctx, p.stream, m); err != nil {
			return i, err
		}
	}
	return len(p.messages), nil
}

// Share puts events that the player only witnessed in their place without them.
func (e *Eraser) Share(ctx context.Context, t *Trail) (int, error) {
	for i, s := range t.shared {
		data, err := json.Marshal(s.event)
		if err != nil {
			return i, err
		}
		msg := message(protocol.SubjectEvent(s.event.World), data, headerMsgID, fmt.Sprintf("%s/%d", s.event.ID, s.sequence))
		if _, err := e.conn.publish(ctx, msg, readTimeout); err != nil {
			return i, err
		}
		if err := e.delete(ctx, streamEvents, spot{s.sequence, msg.Subject}); err != nil {
			return i, err
		}
	}
	return len(t.shared), nil
}

// EraseEntries deletes entries of the memory log.
func (e *Eraser) EraseEntries(ctx context.Context, entries []Logged) (int, error) {
	for i := range entries {
		if err := e.delete(ctx, streamMemory, spot{sequence: entries[i].Sequence}); err != nil {
			return i, err
		}
	}
	return len(entries), nil
}

// delete deletes a message; a secure eraser has the broker write random bytes in
// its place. A bucket of an older version forbids either: its subject is purged.
func (e *Eraser) delete(ctx context.Context, stream string, m spot) error {
	c := e.conn
	request := fmt.Appendf(nil, `{"seq":%d,"no_erase":%t}`, m.sequence, !e.secure)
	err := retryWhile(ctx, isLost, func() error {
		answer, err := c.request(ctx, message("$JS.API.STREAM.MSG.DELETE."+stream, request), 5*readTimeout)
		if err != nil {
			return err
		}
		return parseRefusal(answer.Data)
	})
	switch {
	case apiCode(err) == codeNoSequence || apiCode(err) == codeDeleteFailed && apiText(err) == textNoMessage:
		return nil
	case apiCode(err) == codeDeleteFailed && m.subject != "":
		s, found := c.stream(ctx, stream)
		if found != nil {
			return found
		}
		return wrap(s.Purge(ctx, jetstream.WithPurgeSubject(m.subject)), "purge %s", stream)
	}
	return wrap(err, "delete message %d of %s", m.sequence, stream)
}
