package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Stream gives a handle, asked for once.
func (c *Conn) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	c.mu.Lock()
	s := c.streams[name]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := c.Look(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", name, err)
	}
	c.mu.Lock()
	c.streams[name] = s
	c.mu.Unlock()
	return s, nil
}

// Get reads one message: of a sequence, or with a subject the first of that
// subject at or after the sequence. ErrNotFound when there is none.
func (c *Conn) Get(ctx context.Context, stream string, seq uint64, subject string) (*jetstream.RawStreamMsg, error) {
	if subject == "" {
		return c.Read(ctx, stream, "", fmt.Appendf(nil, `{"seq":%d}`, seq))
	}
	return c.Read(ctx, stream, "", fmt.Appendf(nil, `{"seq":%d,"next_by_subj":%q}`, seq, subject))
}

// Last reads the newest message of a subject. ErrNotFound when there is none.
func (c *Conn) Last(ctx context.Context, stream, subject string) (*jetstream.RawStreamMsg, error) {
	return c.Read(ctx, stream, subject, fmt.Appendf(nil, `{"last_by_subj":%q}`, subject))
}

// Read asks for a message: directly where the stream allows it, else its
// leader. last, if given, is the subject of which the newest is wanted.
func (c *Conn) Read(ctx context.Context, stream, last string, query []byte) (*jetstream.RawStreamMsg, error) {
	s, err := c.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	ask, parse := NewMessage("$JS.API.STREAM.MSG.GET."+stream, query), parseGot
	leader, parseLeader := ask, parse
	config := s.CachedInfo().Config
	direct := config.AllowDirect && config.Replicas <= 1 // a copy may lag behind its leader
	if direct {
		ask, parse = NewMessage("$JS.API.DIRECT.GET."+stream, query), parseDirect
		if last != "" {
			ask = NewMessage("$JS.API.DIRECT.GET."+stream+"."+last, nil)
		}
	}
	var msg *jetstream.RawStreamMsg
	err = RetryWhile(ctx, IsLost, func() error {
		answer, err := c.Request(ctx, ask, ReadTimeout)
		if direct && errors.Is(err, nats.ErrNoResponders) { // nobody answers directly any more: the stream was changed since
			ask, parse, direct = leader, parseLeader, false
			answer, err = c.Request(ctx, ask, ReadTimeout)
		}
		if err == nil {
			msg, err = parse(answer)
		}
		return err
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("read %s: %w", stream, err)
	}
	return msg, err
}

// parseDirect reads the answer to a direct get: the message itself, its place in
// its headers.
func parseDirect(answer *nats.Msg) (*jetstream.RawStreamMsg, error) {
	if status := answer.Header.Get("Status"); status == "404" {
		return nil, ErrNotFound
	} else if status != "" {
		return nil, fmt.Errorf("%s %s", status, answer.Header.Get("Description"))
	}
	msg := &jetstream.RawStreamMsg{Subject: answer.Header.Get(jetstream.SubjectHeader), Header: answer.Header,
		Data: answer.Data}
	var err error
	if msg.Sequence, err = strconv.ParseUint(answer.Header.Get(jetstream.SequenceHeader), 10, 64); err != nil {
		return nil, fmt.Errorf("an answer without a sequence: %w", err)
	}
	if msg.Time, err = time.Parse(time.RFC3339Nano, answer.Header.Get(jetstream.TimeStampHeaer)); err != nil {
		return nil, fmt.Errorf("an answer without a time: %w", err)
	}
	return msg, nil
}

// parseGot reads a leader's answer: JSON with the message in it.
func parseGot(answer *nats.Msg) (*jetstream.RawStreamMsg, error) {
	var got struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(answer.Data, &got); err != nil {
		return nil, fmt.Errorf("the broker's answer is not JSON: %w", err)
	}
	switch {
	case got.Error != nil && got.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, ErrNotFound
	case got.Error != nil:
		return nil, got.Error
	case got.Message == nil:
		return nil, errors.New("the broker's answer holds no message")
	}
	m := got.Message
	msg := &jetstream.RawStreamMsg{Subject: m.Subject, Sequence: m.Seq, Data: m.Data, Time: m.Time}
	if len(m.Header) > 0 {
		var err error
		if msg.Header, err = nats.DecodeHeadersMsg(m.Header); err != nil {
			return nil, fmt.Errorf("headers of message %d: %w", m.Seq, err)
		}
	}
	return msg, nil
}

// Remove deletes one message; one that is gone already is fine.
func (c *Conn) Remove(ctx context.Context, stream string, seq uint64) error {
	if seq == 0 {
		return nil
	}
	return c.DeleteMessage(ctx, stream, seq, false, ReadTimeout)
}

// DeleteMessage deletes one message; one that is gone already is fine. With overwrite the broker
// writes random bytes in its place.
func (c *Conn) DeleteMessage(
	ctx context.Context, stream string, seq uint64, overwrite bool, limit time.Duration,
) error {
	request := fmt.Appendf(nil, `{"seq":%d,"no_erase":%t}`, seq, !overwrite)
	err := RetryWhile(ctx, IsLost, func() error {
		answer, err := c.Request(ctx, NewMessage("$JS.API.STREAM.MSG.DELETE."+stream, request), limit)
		if err != nil {
			return err
		}
		return parseRefusal(answer.Data)
	})
	if apiCode(err) == codeNoSequence || apiCode(err) == codeDeleteFailed && apiText(err) == textNoMessage {
		return nil
	}
	return Wrap(err, "delete message %d of %s", seq, stream)
}

// IsNotDeleted says whether an error of erase is the broker's: its stream forbids it.
func IsNotDeleted(err error) bool { return apiCode(err) == codeDeleteFailed }

// IsMarker says whether a message only tells that its subject was emptied.
func IsMarker(h nats.Header) bool { return h.Get(jetstream.MarkerReasonHeader) != "" }

// headerShared marks an event that an erasure put in its place without a player: it is as old
// as the event was, whatever its time says.
const headerShared = "Forsooth-Shared"

// MarkShared puts that mark on an event.
func MarkShared(msg *nats.Msg) { msg.Header.Set(headerShared, "1") }

// IsShared says whether an event carries it.
func IsShared(h nats.Header) bool { return h.Get(headerShared) != "" }

// StoredReply is the reply of a turn as REPLIES holds it.
type StoredReply struct {
	Sequence uint64
	At       time.Time     // when it was stored
	Reply    *schema.Reply // nil when only the marker of an expired reply is left, or the hash of an erased one
}

// Reply reads the one reply of a turn; ErrNotFound when it has none yet.
func (c *Conn) Reply(ctx context.Context, convo schema.ConversationID, turn string) (*StoredReply, error) {
	msg, err := c.Last(ctx, StreamReplies, protocol.SubjectReply(convo, turn))
	if errors.Is(err, ErrNotFound) {
		if is, unknown := c.IsErased(ctx, convo, turn); is || unknown != nil {
			return &StoredReply{}, unknown
		}
	}
	if err != nil {
		return nil, err
	}
	out := &StoredReply{Sequence: msg.Sequence, At: msg.Time.UTC()}
	if IsMarker(msg.Header) {
		return out, nil
	}
	out.Reply = &schema.Reply{}
	if err := json.Unmarshal(msg.Data, out.Reply); err != nil {
		return nil, fmt.Errorf("reply of turn %s is not JSON: %w", turn, err)
	}
	return out, nil
}
