package qdrant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// do makes one request, again where the answer was lost or the server could not
// take it just now. A write that is answered with an error may have been applied
// all the same, or on some of the nodes only; every write of this package says
// what shall stand and not what to add, so sending it again completes it.
func (c *collection) do(ctx context.Context, what string, request func(context.Context) error) error {
	attempt := func() error {
		ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
		err := request(ctx)
		if err != nil && !passing(err) {
			return backoff.Permanent(err)
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return c.wrap(what, err)
	}
	err := backoff.Retry(attempt, backoff.WithContext(backoff.WithMaxRetries(pauses(), uint64(c.o.Attempts-1)), ctx))
	if ended := ctx.Err(); err != nil && ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	return c.wrap(what, err)
}

func pauses() backoff.BackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(50*time.Millisecond),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(2*time.Second),
		backoff.WithMaxElapsedTime(0),
	)
}

// passing says whether the same request may succeed later. Internal is among
// them: with it a cluster reports that some copies took a write and some did not.
func passing(err error) bool {
	var full *qd.QdrantResourceExhaustedError
	if errors.As(err, &full) {
		return true
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.ResourceExhausted, codes.Internal:
		return true
	}
	return false
}

// wrap names the server and the collection, and the mend where one is known, in
// one line.
func (c *collection) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	where := fmt.Sprintf("qdrant at %s, collection %s: %s", c.o.Addr, c.name, what)
	code := status.Code(err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", where, line{err})
	case passing(err):
		return fmt.Errorf("%s: %w; see that it runs and is reached under this address: %w", where, store.ErrUnavailable,
			line{err})
	case code == codes.Unauthenticated, code == codes.PermissionDenied:
		return fmt.Errorf("%s: it refuses the API key; set the one that it was started with: %w", where, line{err})
	case code == codes.NotFound:
		return fmt.Errorf("%s: the collection %w; it is made and filled anew when it is opened again: %w", where,
			store.ErrGone, line{err})
	}
	return fmt.Errorf("%s: %w", where, line{err})
}

// line is an error whose text is one line, whatever the server wrote.
type line struct{ error }

func (l line) Error() string { return strings.Join(strings.Fields(l.error.Error()), " ") }
func (l line) Unwrap() error { return l.error }
