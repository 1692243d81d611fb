package transport

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Verdict is what becomes of a delivery.
type Verdict struct {
	Kind  VerdictKind
	Delay time.Duration // of VerdictPutBack
}

// VerdictKind is one way of answering the broker.
type VerdictKind int

// The kinds of verdict.
const (
	VerdictAck VerdictKind = iota
	VerdictTerm
	VerdictPutBack // always with a delay: a bare Nak comes back at once, for ever
	VerdictAbandon // say nothing; only a killed worker does
)

var (
	acked     = Verdict{Kind: VerdictAck}
	termed    = Verdict{Kind: VerdictTerm}
	abandoned = Verdict{Kind: VerdictAbandon}
)

func putBack(d time.Duration) Verdict { return Verdict{Kind: VerdictPutBack, Delay: d} }

// Work handles a message and says what becomes of it.
func (r *Runner) Work(ctx context.Context, d *Delivery) Verdict {
	if cause := r.tries.condemned(d.Sequence); cause != nil {
		return r.buried(ctx, d, cause) // only its dead letter is still to be stored
	}
	return r.decide(ctx, d, r.guarded(ctx, d, r.Handle))
}

// guarded calls a function of the consumer; a panic in it is an error.
func (r *Runner) guarded(ctx context.Context, d *Delivery, f func(context.Context, *Delivery) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{where: r.Name, value: v, stack: debug.Stack()}
		}
	}()
	if r.Limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.Limit)
		defer stop()
	}
	return f(ctx, d)
}

// decide turns the error of a handler into what becomes of its message.
func (r *Runner) decide(ctx context.Context, d *Delivery, err error) Verdict {
	var later *laterError
	var rejected *rejectError
	switch {
	case err == nil:
		return acked
	case Killed(err):
		return abandoned
	case errors.As(err, &rejected):
		return r.condemn(ctx, d, rejected.err)
	case errors.As(err, &later):
		return putBack(later.delay)
	case errors.Is(context.Cause(ctx), ErrDrained):
		return putBack(time.Millisecond)
	}
	switch n := r.failures(d, err); {
	case n == 1:
		return r.condemn(ctx, d, err)
	case n > 1:
		return r.condemn(ctx, d, fmt.Errorf("failed %d times: %w", n, err))
	}
	r.Report(d, "retry", err)
	return putBack(r.pause(d, err))
}

// failures counts a failure. It gives their number where they have made the message poison.
func (r *Runner) failures(d *Delivery, err error) int {
	var p *panicError
	panicked := errors.As(err, &p)
	if r.Patient && !panicked {
		return 0
	}
	n := r.tries.failed(d.Sequence, r.Now())
	if n >= r.MaxAttempts || panicked && r.Costly {
		return n
	}
	return 0
}

// pause is how long a message that has failed waits for its next try. It follows the count
// of deliveries, which all processes of the consumer share.
func (r *Runner) pause(d *Delivery, err error) time.Duration {
	var failed *failedError
	if errors.As(err, &failed) {
		return failed.again
	}
	return RetryDelay(d.Attempt, r.Slowest)
}

// condemn makes a dead letter of a message, now or when it comes again.
func (r *Runner) condemn(ctx context.Context, d *Delivery, cause error) Verdict {
	r.Report(d, "reject", cause)
	r.tries.condemn(d.Sequence, cause, r.Now())
	return r.buried(ctx, d, cause)
}

func (r *Runner) buried(ctx context.Context, d *Delivery, cause error) Verdict {
	err := r.guarded(ctx, d, func(ctx context.Context, d *Delivery) error { return r.Bury(ctx, d, cause) })
	switch {
	case err == nil:
		return termed
	case Killed(err):
		return abandoned
	}
	r.Report(d, "retry", err)
	return putBack(RetryDelay(d.Attempt, r.Slowest))
}

// ErrDrained is the cause of a handler's context that outlived the drain.
var ErrDrained = errors.New("the service is stopping")

type rejectError struct{ err error }

func (e *rejectError) Error() string { return e.err.Error() }
func (e *rejectError) Unwrap() error { return e.err }

// Reject marks an error that no retry can mend: the message becomes a dead letter.
func Reject(err error) error { return &rejectError{err} }

// MaxLater bounds Later, so that a message put back is never forgotten.
const MaxLater = 2 * time.Second

type laterError struct{ delay time.Duration }

func (e *laterError) Error() string { return fmt.Sprintf("later, in %s", e.delay) }

// Later puts the message back for d, at most MaxLater. It is no failure.
func Later(d time.Duration) error { return Aside(min(d, MaxLater)) }

// Aside puts the message back for d, however long that is. It is no failure.
func Aside(d time.Duration) error { return &laterError{max(d, time.Millisecond)} }

// IsLater says whether an error puts a message back and is no failure, and for how long.
func IsLater(err error) (delay time.Duration, is bool) {
	var later *laterError
	if errors.As(err, &later) {
		return later.delay, true
	}
	return 0, false
}

// failedError is a failure that says itself when it is tried again.
type failedError struct {
	err   error
	again time.Duration
}

func (e *failedError) Error() string { return e.err.Error() }
func (e *failedError) Unwrap() error { return e.err }

// FailedFor is a failure that is tried again after a delay of its own.
func FailedFor(again time.Duration, err error) error { return &failedError{err, again} }

// panicError is a panic of a handler. The first line says what it was.
type panicError struct {
	where string
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("%s panicked: %v\n%s", e.where, e.value, e.stack)
}

// IsRejected says whether an error makes a dead letter of its message.
func IsRejected(err error) bool {
	var rejected *rejectError
	return errors.As(err, &rejected)
}

// IsFinal says whether an error decides what becomes of its message: Reject, Later, or the end of its worker.
func IsFinal(err error) bool {
	_, later := IsLater(err)
	return later || IsRejected(err) || Killed(err)
}

// The errors of every read and publish that a caller may test for.
var (
	ErrNotFound = errors.New("not found")

	// ErrDisconnected: the caller has closed the connection.
	ErrDisconnected = errors.New("the connection to the broker is closed")
	// ErrUnreachable: no answer came in time. What was sent may have arrived, and
	// may be sent again as it is.
	ErrUnreachable = errors.New("no answer in time")
)
