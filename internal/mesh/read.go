package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// stream gives a handle, asked for once.
func (c *Conn) stream(ctx context.Context, name string) (jetstream.Stream, error) {
	c.mu.Lock()
	s := c.streams[name]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := c.js.Stream(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", name, err)
	}
	c.mu.Lock()
	c.streams[name] = s
	c.mu.Unlock()
	return s, nil
}

// get reads one message: of a sequence, or with a subject the first of that
// subject at or after the sequence. ErrNotFound when there is none.
func (c *Conn) get(ctx context.Context, stream string, seq uint64, subject string) (*jetstream.RawStreamMsg, error) {
	s, err := c.stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	return c.read(ctx, stream, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		if subject == "" {
			return s.GetMsg(ctx, seq)
		}
		return s.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
	})
}

// last reads the newest message of a subject. ErrNotFound when there is none.
func (c *Conn) last(ctx context.Context, stream, subject string) (*jetstream.RawStreamMsg, error) {
	s, err := c.stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	return c.read(ctx, stream, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return s.GetLastMsgForSubject(ctx, subject)
	})
}

func (c *Conn) read(ctx context.Context, stream string, get func(context.Context) (*jetstream.RawStreamMsg, error)) (*jetstream.RawStreamMsg, error) {
	var msg *jetstream.RawStreamMsg
	err := retryWhile(ctx, isLost, func() error {
		try, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		var err error
		msg, err = get(try)
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", stream, err)
	}
	return msg, nil
}

// each reads the messages of a subject (which may hold wildcards) in order.
func (c *Conn) each(ctx context.Context, stream, subject string, f func(*jetstream.RawStreamMsg) (more bool)) error {
	return c.eachFrom(ctx, stream, subject, 1, f)
}

func (c *Conn) eachFrom(ctx context.Context, stream, subject string, seq uint64, f func(*jetstream.RawStreamMsg) (more bool)) error {
	for {
		msg, err := c.get(ctx, stream, seq, subject)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if !f(msg) {
			return nil
		}
		seq = msg.Sequence + 1
	}
}

// remove deletes one message; one that is gone already is fine.
func (c *Conn) remove(ctx context.Context, stream string, seq uint64) error {
	if seq == 0 {
		return nil
	}
	s, err := c.stream(ctx, stream)
	if err != nil {
		return err
	}
	err = retryWhile(ctx, isLost, func() error {
		try, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		return s.DeleteMsg(try, seq)
	})
	if apiCode(err) == codeNoSequence || apiCode(err) == codeDeleteFailed && strings.Contains(apiText(err), "not found") ||
		apiCode(err) == codeDeleteFailed && strings.Contains(apiText(err), "no message found") {
		return nil
	}
	return wrap(err, "delete message %d of %s", seq, stream)
}

// isMarker says whether a message only tells that its subject was emptied.
func isMarker(h nats.Header) bool { return h.Get(headerMarker) != "" }

// storedReply is the reply of a turn as REPLIES holds it.
type storedReply struct {
	Sequence uint64
	Reply    *schema.Reply // nil when only the marker of an expired reply is left
}

// reply reads the one reply of a turn; ErrNotFound when it has none yet.
func (c *Conn) reply(ctx context.Context, convo schema.ConversationID, turn string) (*storedReply, error) {
	msg, err := c.last(ctx, streamReplies, schema.SubjectReply(convo, turn))
	if err != nil {
		return nil, err
	}
	out := &storedReply{Sequence: msg.Sequence}
	if isMarker(msg.Header) {
		return out, nil
	}
	out.Reply = &schema.Reply{}
	if err := json.Unmarshal(msg.Data, out.Reply); err != nil {
		return nil, fmt.Errorf("reply of turn %s is not JSON: %w", turn, err)
	}
	return out, nil
}
