package transport

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// refused keeps what the broker said that this user may not do. It says so apart
// from the request, whose answer never comes.
type refused struct {
	mu     sync.Mutex
	told   chan struct{} // closed and made anew at each refusal
	when   map[string]time.Time
	untold []*RightError // that nobody was told of
}

// maxRefused bounds what is kept of each; a subject may name a turn.
const maxRefused = 256

func newRefused() *refused { return &refused{told: make(chan struct{}), when: map[string]time.Time{}} }

var permissionText = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]+)"`)

func (r *refused) note(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	m := permissionText.FindStringSubmatch(err.Error())
	if m == nil {
		return
	}
	e := &RightError{Subject: m[2], What: "publish on " + m[2]}
	if m[1] != "publish" && m[1] != "Publish" {
		e.What = "listen on " + m[2]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.when) >= maxRefused {
		clear(r.when)
	}
	if len(r.untold) < maxRefused {
		r.untold = append(r.untold, e)
	}
	r.when[e.Subject] = time.Now()
	close(r.told)
	r.told = make(chan struct{})
}

// since says whether a subject was refused after a time, and gives what is closed at
// the next refusal.
func (r *refused) since(subject string, began time.Time) (bool, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, is := r.when[subject]
	return is && !at.Before(began), r.told
}

// news are the refusals since the last call.
func (r *refused) news() ([]*RightError, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.untold
	r.untold = nil
	return out, r.told
}

// RightError is something that the user of this connection may not do.
type RightError struct {
	Subject, What string
	Mend          string // default: another user
}

func (e *RightError) Error() string {
	mend := e.Mend
	if mend == "" {
		mend = "connect as the user whose work it is (nats.user), or give this one the right: `forsooth " +
			"nats-accounts` writes what each needs"
	}
	return fmt.Sprintf("this NATS user may not %s; %s", e.What, mend)
}

// Denied turns the silence after a question that this user may not put into an error
// that says so.
func (c *Conn) Denied(subject string, began time.Time, err error) error {
	if no, _ := c.refused.since(subject, began); no {
		return &RightError{Subject: subject, What: "publish on " + subject}
	}
	return err
}

// rightly asks something of the broker, and does not wait for an answer that never
// comes where this user may not ask it on this subject.
func (c *Conn) rightly(ctx context.Context, may *RightError, ask func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	done := make(chan error, 1)
	go func() { done <- ask(ctx) }()
	for {
		no, told := c.refused.since(may.Subject, began)
		if no {
			cancel()
			<-done //nolint:errcheck // nobody asks any more
			return may
		}
		select {
		case err := <-done:
			return err
		case <-told:
		}
	}
}

// administer asks the broker to change something.
func (c *Conn) administer(ctx context.Context, subject, what string, ask func(context.Context) error) error {
	return c.rightly(ctx, &RightError{Subject: subject, What: fmt.Sprintf("%s (publish %s)", what, subject),
		Mend: "an administrator does it once with `forsooth migrate --apply`"}, ask)
}

// askedAtMost is how long a question is put again where its context has no deadline.
const askedAtMost = 5 * time.Second

// ask puts a question rightly, and again where the broker or the connection was lost with
// the answer: a context may leave more time than one attempt is worth.
func (c *Conn) ask(ctx context.Context, may *RightError, ask func(context.Context) error) error {
	if _, ok := ctx.Deadline(); !ok {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, askedAtMost)
		defer stop()
	}
	return c.rightly(ctx, may, func(ctx context.Context) error { return untilAnswered(ctx, ask) })
}

// Look asks for a stream as it is now.
func (c *Conn) Look(ctx context.Context, name string) (s jetstream.Stream, err error) {
	subject := "$JS.API.STREAM.INFO." + name
	err = c.ask(ctx, &RightError{Subject: subject, What: fmt.Sprintf("look at stream %s (publish %s)", name, subject)},
		func(ctx context.Context) (err error) {
			s, err = c.js.Stream(ctx, name)
			return err
		})
	return s, err
}

// LookAtConsumer asks for a consumer as it is now.
func (c *Conn) LookAtConsumer(ctx context.Context, stream, name string) (out jetstream.Consumer, err error) {
	subject := "$JS.API.CONSUMER.INFO." + stream + "." + name
	err = c.ask(ctx, &RightError{Subject: subject, What: fmt.Sprintf("use consumer %s of %s (publish %s)", name, stream,
		subject)}, func(ctx context.Context) (err error) {
		out, err = c.js.Consumer(ctx, stream, name)
		return err
	})
	return out, err
}

// RefusedSince says whether this user was refused a subject after a time, and gives what
// is closed at the next refusal of any.
func (c *Conn) RefusedSince(subject string, began time.Time) (bool, <-chan struct{}) {
	return c.refused.since(subject, began)
}

// Refusals are what this user was refused since the last call, and what is closed at the
// next refusal.
func (c *Conn) Refusals() ([]*RightError, <-chan struct{}) { return c.refused.news() }
