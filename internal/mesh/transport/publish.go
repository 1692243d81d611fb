package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A refusal of the broker, told apart by code and, for one code, by text.
const (
	codeStoreFailed       = 10077 // three different refusals
	codeWrongLastSequence = 10071
	codeUnavailable       = 10008 // the servers elect who keeps the account of their streams
	codeSequenceOnItsWay  = 10164 // of a stream with copies: a message with this expectation waits for them
	codeIDOnItsWay        = 10158 // the same of a message id
	codeNoResources       = 10023
	codeNoStorage         = 10047 // a new stream reserves more than there is
	codeTooLarge          = 10054
	codeNoSequence        = 10043 // delete of a message that is gone
	codeDeleteFailed      = 10057 // of several kinds, a message that is gone among them
	textNoMessage         = "no message found"
)

func apiCode(err error) jetstream.ErrorCode {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.ErrorCode
	}
	return 0
}

func apiText(err error) string {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Description
	}
	return ""
}

// IsSubjectFull says: the subject holds as many messages as it may.
func IsSubjectFull(err error) bool {
	return apiCode(err) == codeStoreFailed && strings.Contains(apiText(err), "per subject")
}

// IsStreamFull says: the stream or the store has no room.
func IsStreamFull(err error) bool {
	if apiCode(err) == codeNoResources {
		return true
	}
	text := apiText(err)
	return apiCode(err) == codeStoreFailed && !strings.Contains(text, "per subject") &&
		(strings.Contains(text, "maximum messages") || strings.Contains(text, "maximum bytes"))
}

// IsConflict says: the subject has moved on since it was read.
func IsConflict(err error) bool { return apiCode(err) == codeWrongLastSequence }

// IsLost says: nobody knows whether the message was stored, so the same message with
// the same id may and must be sent again.
func IsLost(err error) bool {
	switch apiCode(err) {
	case 0:
	case codeUnavailable, codeSequenceOnItsWay, codeIDOnItsWay:
		return true
	default:
		return false
	}
	return errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrConnectionReconnecting) ||
		errors.Is(err, nats.ErrStaleConnection) || errors.Is(err, nats.ErrReconnectBufExceeded)
}

// Stored is the broker's word that it holds a message.
type Stored struct {
	Sequence  uint64
	Duplicate bool // its id was known: the message stored then stands
}

// Publish stores a message and waits for the broker's word. A lost answer does
// not mean "not stored": the same message is sent again until the context ends,
// so it must carry an id, an expected sequence, or stand on a subject that holds
// one message.
func (c *Conn) Publish(ctx context.Context, msg *nats.Msg, attempt time.Duration) (Stored, error) {
	return c.publishWhile(ctx, IsLost, msg, attempt)
}

// publishWhile is Publish that tries again as long as again says so.
func (c *Conn) publishWhile(ctx context.Context, again func(error) bool, msg *nats.Msg, attempt time.Duration) (
	Stored, error) {
	var ack Stored
	err := RetryWhile(ctx, again, func() error {
		answer, err := c.Request(ctx, msg, attempt)
		if err == nil {
			ack, err = parseStored(answer.Data)
		}
		return err
	})
	if err != nil {
		return ack, fmt.Errorf("publish on %s: %w", msg.Subject, err)
	}
	return ack, nil
}

// StandsFirst is the error of a publish on a subject that holds one message, and none
// where that message stands there. A leader counts what it has yet to agree on with the
// others, and one that was cut off from them loses that again: its word that the subject
// is full is not enough.
func (c *Conn) StandsFirst(ctx context.Context, stream, subject string, err error) error {
	if !IsSubjectFull(err) {
		return err
	}
	if _, last := c.Last(ctx, stream, subject); last != nil {
		return fmt.Errorf("%w, by what is not stored yet: %w", err, last)
	}
	return nil
}

// Request asks once, for no longer than the context lives; under haste as often as
// that takes. The wait itself is not cut by a cancel: what is already on its way is
// better known than guessed, and a timer of one's own per request costs more than the
// request.
func (c *Conn) Request(ctx context.Context, msg *nats.Msg, limit time.Duration) (*nats.Msg, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(d))
	}
	first := limit
	if hasty(ctx) {
		first = min(limit, hasteFirst)
	}
	began := time.Now()
	answer, err := c.nc.RequestMsg(msg, max(first, time.Millisecond))
	if first < limit && errors.Is(err, nats.ErrTimeout) {
		answer, err = c.insist(ctx, msg, limit-first)
	}
	if err != nil {
		return nil, c.Denied(msg.Subject, began, err)
	}
	return answer, nil
}

// parseStored reads the answer to a publish. Its form is fixed, and reading it
// by hand is a tenth of the work on a path that a turn takes thirty times.
func parseStored(data []byte) (Stored, error) {
	var out Stored
	_, rest, found := bytes.Cut(data, []byte(`"seq":`))
	if !found || bytes.Contains(data, []byte(`"error"`)) {
		return out, parseRefusal(data)
	}
	for _, digit := range bytes.TrimLeft(rest, " ") {
		if digit < '0' || digit > '9' {
			break
		}
		out.Sequence = out.Sequence*10 + uint64(digit-'0')
	}
	out.Duplicate = bytes.Contains(rest, []byte(`"duplicate":true`)) || bytes.Contains(rest, []byte(`"duplicate": true`))
	return out, nil
}

// parseRefusal is the error in an answer of the broker, if there is one.
func parseRefusal(data []byte) error {
	var refused struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(data, &refused); err != nil {
		return fmt.Errorf("the broker's answer is not JSON: %w", err)
	}
	if refused.Error == nil {
		return nil
	}
	return refused.Error
}

// RetryWhile repeats f with growing pauses while its error is one that again
// names, until the context ends.
func RetryWhile(ctx context.Context, again func(error) bool, f func() error) error {
	err := f()
	if err == nil || !again(err) {
		return err
	}
	policy := newBackOff()
	if hasty(ctx) {
		policy.MaxInterval = hasteAgain
	}
	for {
		timer := time.NewTimer(policy.NextBackOff())
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w: %w", err, context.Cause(ctx))
		case <-timer.C:
		}
		if err = f(); err == nil || !again(err) {
			return err
		}
	}
}

type (
	// A Message is on its way.
	Message = nats.Msg
	// An Entry is a message that a stream holds.
	Entry = jetstream.RawStreamMsg
)

// Headers of a message.
const (
	HeaderID   = jetstream.MsgIDHeader               // of messages with one id the broker takes the first
	HeaderLast = jetstream.ExpectedLastSubjSeqHeader // where the last message of the subject must stand; 0: none does
)

// NewMessage builds a message; headers come in pairs.
func NewMessage(subject string, data []byte, headers ...string) *Message {
	msg := &Message{Subject: subject, Data: data}
	if len(headers) > 0 {
		msg.Header = make(nats.Header, len(headers)/2)
		for i := 0; i < len(headers); i += 2 {
			msg.Header[headers[i]] = []string{headers[i+1]}
		}
	}
	return msg
}

func newBackOff() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(40*time.Millisecond),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(2*time.Second),
		backoff.WithMaxElapsedTime(0),
	)
}

// RetryDelay is the one policy of waiting: exponential and jittered. Its mean does not grow
// beyond the slowest.
func RetryDelay(attempt int, slowest time.Duration) time.Duration {
	b := newBackOff()
	b.MaxInterval = slowest
	d := b.NextBackOff()
	for range min(attempt, MostDelayed) - 1 {
		d = b.NextBackOff()
	}
	return d
}

// MostDelayed is an attempt after which no wait is longer.
const MostDelayed = 16

// IsTooLarge says: the stream takes no message of this size.
func IsTooLarge(err error) bool { return apiCode(err) == codeTooLarge }
