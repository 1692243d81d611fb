package transport

import (
	"errors"
	"fmt"
	"time"
)

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
