package mesh

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/nats-io/nats.go"
)

// refused keeps what the broker said that this user may not do. It says so apart
// from the request, whose answer never comes.
type refused struct {
	mu   sync.Mutex
	told chan struct{} // closed and made anew at each refusal
	what map[string]bool
}

func newRefused() *refused { return &refused{told: make(chan struct{}), what: map[string]bool{}} }

var permissionText = regexp.MustCompile(`(?i)permissions violation for publish to "([^"]+)"`)

func (r *refused) note(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	if m := permissionText.FindStringSubmatch(err.Error()); m != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.what[m[1]] = true
		close(r.told)
		r.told = make(chan struct{})
	}
}

func (r *refused) look(subject string) (bool, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.what[subject], r.told
}

// RightError is something that the user of this connection may not do.
type RightError struct{ Subject, What string }

func (e *RightError) Error() string {
	return fmt.Sprintf("this NATS user may not %s (publish %s); an administrator does it once with `forsooth migrate --apply`", e.What, e.Subject)
}

// administer asks the broker to change something, and does not wait for an answer
// that never comes where this user may not.
func (c *Conn) administer(ctx context.Context, subject, what string, ask func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- ask(ctx) }()
	for {
		no, told := c.refused.look(subject)
		if no {
			cancel()
			<-done //nolint:errcheck // nobody asks any more
			return &RightError{Subject: subject, What: what}
		}
		select {
		case err := <-done:
			return err
		case <-told:
		}
	}
}
