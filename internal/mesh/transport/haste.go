package transport

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

// How soon a question is put again under haste. What ends a turn has two
// seconds from the moment in which the broker is back, for some six questions.
const (
	hasteFirst = 500 * time.Millisecond // until it is put a second time
	hasteAgain = 250 * time.Millisecond
)

type hasteKey struct{}

// WithUrgentRetry has the requests under a context put again soon where an answer stays out:
// one that broke with its connection never comes, nor does one that was asked of a
// stream without a leader, and there is no time to wait for it.
func WithUrgentRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, hasteKey{}, true)
}

func hasty(ctx context.Context) bool {
	is, _ := ctx.Value(hasteKey{}).(bool)
	return is
}

// insist puts a question again and again and takes the first answer to any of these: a
// broker that is merely slow is heard as well.
func (c *Conn) insist(ctx context.Context, msg *nats.Msg, limit time.Duration) (*nats.Msg, error) {
	answers, err := c.nc.SubscribeSync(c.nc.NewInbox())
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	question := *msg
	question.Reply = answers.Subject
	began, asked := time.Now(), false
	for last := error(nats.ErrTimeout); ; {
		if !asked || c.nc.IsConnected() { // without a connection one copy waits for it, not one more each time
			if err := c.nc.PublishMsg(&question); err != nil {
				return nil, err
			}
			asked = true
		}
		for next := time.Now().Add(hasteAgain); time.Until(next) > 0; {
			answer, err := answers.NextMsg(time.Until(next))
			switch {
			case errors.Is(err, nats.ErrTimeout):
			case errors.Is(err, nats.ErrNoResponders):
				last = err // of this copy; an earlier one may still be answered
			case err != nil:
				return nil, err
			case IsLost(parseRefusal(answer.Data)):
				last = nats.ErrTimeout // an earlier copy is on its way
			default:
				return answer, nil
			}
		}
		if no, _ := c.refused.since(msg.Subject, began); no || time.Since(began) >= limit || ctx.Err() != nil {
			return nil, last
		}
	}
}
