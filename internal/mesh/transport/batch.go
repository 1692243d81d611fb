package transport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A long read asks for batches: one request brings up to batchMessages messages, or
// fewer where they come to batchBytes.
const (
	batchMessages = 256
	batchBytes    = 4 << 20
)

// alone is how many messages of a stream with copies are asked of its leader one by one
// before batches are taken. A copy that answers a batch may lag behind its leader: it may
// hold a message that the leader has deleted. The short reads of the protocol never see one.
const alone = 8

// Each reads the messages of a subject (which may hold wildcards) in order.
func (c *Conn) Each(ctx context.Context, stream, subject string, f func(*jetstream.RawStreamMsg) (more bool)) error {
	return c.EachFrom(ctx, stream, subject, 1, f)
}

// EachFrom reads from a sequence on. The end is where the leader has no further message.
func (c *Conn) EachFrom(ctx context.Context, stream, subject string, seq uint64,
	f func(*jetstream.RawStreamMsg) (more bool)) error {
	s, err := c.Stream(ctx, stream)
	if err != nil {
		return err
	}
	read := &reading{c: c, stream: stream, subject: subject, next: seq, f: f}
	config := s.CachedInfo().Config
	copies := config.Replicas > 1
	for single := 0; !read.enough && (copies || !read.ended); {
		if config.AllowDirect && (!copies || single >= alone) {
			switch err := RetryWhile(ctx, IsLost, func() error { return read.batch(ctx) }); {
			case errors.Is(err, errNotDirect):
				config.AllowDirect = false
			case errors.Is(err, ErrNotFound) && !copies:
				return nil
			case err != nil && !errors.Is(err, ErrNotFound):
				return fmt.Errorf("read %s: %w", stream, err)
			case err == nil:
				continue
			}
		}
		msg, err := c.Get(ctx, stream, read.next, subject)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		single++
		read.take(msg)
	}
	return nil
}

// reading is a read of many messages under way.
type reading struct {
	c               *Conn
	stream, subject string
	next            uint64 // the sequence from which on is read
	f               func(*jetstream.RawStreamMsg) bool
	enough          bool // f wants no more
	ended           bool // whoever answered the last batch has no more
}

func (r *reading) take(msg *jetstream.RawStreamMsg) {
	r.next = msg.Sequence + 1
	r.enough = !r.f(msg)
}

// errNotDirect: nobody answers direct reads of the stream any more; it was changed since.
var errNotDirect = errors.New("the stream is not read directly")

// batch asks once for the next messages. ErrNotFound: there is none. After a lost answer
// it may be asked again: it goes on behind the last message that was taken.
func (r *reading) batch(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	answers, err := r.c.nc.SubscribeSync(r.c.nc.NewInbox())
	if err != nil {
		return err
	}
	defer func() { _ = answers.Unsubscribe() }()
	began := time.Now()
	query := fmt.Appendf(nil, `{"seq":%d,"next_by_subj":%q,"batch":%d,"max_bytes":%d}`,
		r.next, r.subject, batchMessages, batchBytes)
	ask := NewMessage("$JS.API.DIRECT.GET."+r.stream, query)
	ask.Reply = answers.Subject
	if err := r.c.nc.PublishMsg(ask); err != nil {
		return err
	}
	for before := uint64(0); ; {
		answer, err := r.answer(ctx, answers)
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			return errNotDirect
		case err != nil:
			return r.c.Denied(ask.Subject, began, err)
		case answer.Header.Get("Status") == "204":
			// All of the batch has come. Where a message before this one was lost, the next batch begins there.
			r.ended = answer.Header.Get(headerPending) == "0" && answer.Header.Get(jetstream.LastSequenceHeader) ==
				fmt.Sprint(before)
			return nil
		}
		msg, err := parseDirect(answer)
		if err != nil {
			return err
		}
		if answer.Header.Get(jetstream.LastSequenceHeader) != fmt.Sprint(before) {
			return nats.ErrTimeout // one between was lost
		}
		before = msg.Sequence
		if r.take(msg); r.enough {
			return nil
		}
	}
}

// headerPending says how many messages are left behind one of a batch.
const headerPending = "Nats-Num-Pending"

// answer waits for the next message of a batch.
func (r *reading) answer(ctx context.Context, answers *nats.Subscription) (*nats.Msg, error) {
	limit := ReadTimeout
	if hasty(ctx) {
		limit = hasteFirst
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	return answers.NextMsgWithContext(ctx)
}

// Sent is how many messages this connection has sent to the broker, requests among them.
func (c *Conn) Sent() uint64 { return c.nc.Stats().OutMsgs }
