package transport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// silentAtStart is how long a process that starts waits for a stream whose servers elect a
// leader. An election takes four to nine seconds, and one may follow another.
const silentAtStart = time.Minute

// isSilent: the stream or consumer has no leader at the moment, or the answer was lost.
// That there is no JetStream at all is no silence: it is said at once.
func isSilent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || apiCode(err) == codeUnavailable
}

// untilAnswered puts a question again while nobody answers it. An answer may be lost with
// its connection: no attempt has all the time there is.
func untilAnswered(ctx context.Context, ask func(context.Context) error) error {
	return RetryWhile(ctx, isSilent, func() error {
		attempt, stop := context.WithTimeout(ctx, ReadTimeout)
		defer stop()
		return ask(attempt)
	})
}

// RetryUnavailable puts a question, which must do no harm when it is put twice, until somebody
// answers.
func (c *Conn) RetryUnavailable(ctx context.Context, about string, ask func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, silentAtStart)
	defer stop()
	err := untilAnswered(ctx, ask)
	if err != nil && isSilent(err) {
		return fmt.Errorf("the NATS server at %s gives no answer about %s; it may have no leader: look at the servers' "+
			"log, or at `nats server report jetstream` (%w)", c.url, about, err)
	}
	return err
}

// lookPatiently asks for a stream as it is now.
func (c *Conn) lookPatiently(ctx context.Context, name string) (s jetstream.Stream, err error) {
	err = c.RetryUnavailable(ctx, "stream "+name, func(ctx context.Context) error {
		s, err = c.Look(ctx, name)
		return err
	})
	return s, err
}
