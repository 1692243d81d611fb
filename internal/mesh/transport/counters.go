package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Counters are sums that the broker keeps: every process adds to the same one,
// and no addition is lost or counted twice. There is no copy of them anywhere, so
// a limit can be passed by no more than what is on its way.
type Counters struct{ conn *Conn }

// Counters are the sums of this broker.
func (c *Conn) Counters() *Counters { return &Counters{c} }

// countersKept is how long a counter outlives its last addition: a day's sum is
// there for the month's bill.
const countersKept = 40 * day

const headerIncrement = "Nats-Incr"

// Add adds to a counter and gives its new sum. A key is tokens between slashes,
// such as world/hollowmere/2026-01-31; a counter that nobody added to is 0.
func (c *Counters) Add(ctx context.Context, key string, delta int64) (int64, error) {
	subject, err := counterSubject(key)
	if err != nil {
		return 0, err
	}
	// The same addition is sent again while its answer is lost: the id makes it one.
	msg := NewMessage(subject, nil, headerIncrement, strconv.FormatInt(delta, 10), jetstream.MsgIDHeader, nats.NewInbox())
	var sum string
	err = RetryWhile(ctx, IsLost, func() error {
		answer, err := c.conn.Request(ctx, msg, ReadTimeout)
		if err == nil {
			sum, err = parseSum(answer.Data)
		}
		return err
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("add to counter %s: %w", key, err)
	case sum == "": // it was added before, and the first answer was lost
		return c.Get(ctx, key)
	}
	return readSum(key, sum)
}

// Get is a counter's sum.
func (c *Counters) Get(ctx context.Context, key string) (int64, error) {
	subject, err := counterSubject(key)
	if err != nil {
		return 0, err
	}
	msg, err := c.conn.Last(ctx, streamCounters, subject)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read counter %s: %w", key, err)
	}
	return storedSum(key, msg.Data)
}

// Each gives the counters under a key, as parts of it, such as world/hollowmere for all
// its days.
func (c *Counters) Each(ctx context.Context, under string, f func(key string, sum int64) error) error {
	subject, err := counterSubject(under)
	if err != nil {
		return err
	}
	var failed error
	err = c.conn.Each(ctx, streamCounters, subject+".>", func(msg *jetstream.RawStreamMsg) bool {
		key := strings.ReplaceAll(strings.TrimPrefix(msg.Subject, counterPrefix), ".", "/")
		var sum int64
		if sum, failed = storedSum(key, msg.Data); failed == nil {
			failed = f(key, sum)
		}
		return failed == nil
	})
	return errors.Join(err, failed)
}

// storedSum reads a counter as the broker keeps it.
func storedSum(key string, data []byte) (int64, error) {
	var stored struct {
		Value string `json:"val"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return 0, fmt.Errorf("counter %s is not JSON: %w", key, err)
	}
	return readSum(key, stored.Value)
}

func readSum(key, sum string) (int64, error) {
	n, err := strconv.ParseInt(sum, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("counter %s is %q, which is no whole number of 64 bits", key, sum)
	}
	return n, nil
}

// parseSum reads the answer to an addition: the sum, empty when the addition is
// an old one.
func parseSum(data []byte) (string, error) {
	if err := parseRefusal(data); err != nil {
		return "", err
	}
	var ack struct {
		Value     string `json:"val"`
		Duplicate bool   `json:"duplicate"`
	}
	if err := json.Unmarshal(data, &ack); err != nil {
		return "", fmt.Errorf("the broker's answer is not JSON: %w", err)
	}
	if ack.Value == "" && !ack.Duplicate {
		return "", errors.New("the broker keeps no counters; use nats-server 2.12 or newer")
	}
	return ack.Value, nil
}

// maxCounterKey bounds the tokens of a key.
const maxCounterKey = 8

func counterSubject(key string) (string, error) {
	tokens := strings.Split(key, "/")
	if len(tokens) > maxCounterKey {
		return "", &schema.FieldError{Field: "counter", Reason: fmt.Sprintf("has more than %d parts", maxCounterKey)}
	}
	for _, token := range tokens {
		if err := schema.CheckToken("counter", token); err != nil {
			return "", err
		}
	}
	return counterPrefix + strings.Join(tokens, "."), nil
}

// Ledger counts what language models cost, per key two counters: tokens, and
// money in millionths.
type Ledger struct{ counters *Counters }

// Ledger is the broker's.
func (c *Conn) Ledger() *Ledger { return &Ledger{c.Counters()} }

const millionth = 1e6

// Spent is what a key has spent.
func (l *Ledger) Spent(ctx context.Context, key string) (tokens int64, cost float64, err error) {
	var millionths int64
	err = both(
		func() (err error) { tokens, err = l.counters.Get(ctx, key+"/tokens"); return },
		func() (err error) { millionths, err = l.counters.Get(ctx, key+"/cost"); return },
	)
	return tokens, float64(millionths) / millionth, err
}

// ledgerTimeout bounds one entry.
const ledgerTimeout = 2 * time.Second

// Add enters what a call has cost. It does so although the turn has ended
// meanwhile: spent is spent. A cost is rounded up, so that no call is free.
func (l *Ledger) Add(ctx context.Context, key string, tokens int64, cost float64) error {
	if tokens < 0 || !(cost >= 0) || cost > math.MaxInt32 {
		return &schema.FieldError{Field: "ledger",
			Reason: fmt.Sprintf("%d tokens for %v cannot have been spent", tokens, cost)}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerTimeout)
	defer cancel()
	add := func(what string, n int64) func() error {
		return func() error {
			if n == 0 {
				return nil
			}
			_, err := l.counters.Add(ctx, key+"/"+what, n)
			return err
		}
	}
	// What a float adds to a whole millionth is no millionth more.
	return both(add("tokens", tokens), add("cost", int64(math.Ceil(cost*millionth-1e-3))))
}

// both runs two requests at once.
func both(a, b func() error) error {
	var wait sync.WaitGroup
	var failed error
	wait.Go(func() { failed = a() })
	err := b()
	wait.Wait()
	return errors.Join(failed, err)
}
