package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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

// remove deletes one message; one that is gone already is fine. The request is
// made by hand because the library gives the refusal as text alone.
func (c *Conn) remove(ctx context.Context, stream string, seq uint64) error {
	if seq == 0 {
		return nil
	}
	request := fmt.Appendf(nil, `{"seq":%d,"no_erase":true}`, seq)
	var answer *nats.Msg
	err := retryWhile(ctx, isLost, func() error {
		try, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		var err error
		answer, err = c.nc.RequestWithContext(try, "$JS.API.STREAM.MSG.DELETE."+stream, request)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete message %d of %s: %w", seq, stream, err)
	}
	var refused struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &refused); err != nil {
		return fmt.Errorf("delete message %d of %s: the answer is not JSON: %w", seq, stream, err)
	}
	if e := refused.Error; e != nil && e.ErrorCode != codeNoSequence && (e.ErrorCode != codeDeleteFailed || e.Description != textNoMessage) {
		return fmt.Errorf("delete message %d of %s: %w", seq, stream, e)
	}
	return nil
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
