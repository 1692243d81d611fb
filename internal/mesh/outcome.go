package mesh

import (
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// The errors a caller may test for.
var (
	ErrClosed   = errors.New("the turn is closed: nothing more may be released")
	ErrConflict = errors.New("another worker released this sentence differently")

	ErrDocConflict = errors.New("the document has changed since it was read")
)

// RefusedError is a request that was not accepted; nothing of it is stored, and
// the same turn id may be tried again after RetryAfter.
type RefusedError struct {
	Busy       bool // this conversation has too many turns waiting; else the mesh is full
	RetryAfter time.Duration
	Cause      error
}

func (e *RefusedError) Error() string {
	what := "the mesh is full"
	if e.Busy {
		what = "the conversation is busy"
	}
	return fmt.Sprintf("%s; try again in %s", what, e.RetryAfter)
}

// Is lets errors.Is(err, ErrBusy) and errors.Is(err, ErrFull) hold.
func (e *RefusedError) Is(target error) bool {
	return e.Busy && target == ErrBusy || !e.Busy && target == ErrFull
}

// Unwrap gives the broker's own words.
func (e *RefusedError) Unwrap() error { return e.Cause }

// ErrBusy and ErrFull are the two kinds of RefusedError.
var (
	ErrBusy = errors.New("the conversation is busy")
	ErrFull = errors.New("the mesh is full")
)

// Reject marks an error that no retry can mend: the message becomes a dead
// letter and the turn is aborted.
func Reject(err error) error { return transport.Reject(err) }

// Later puts the turn back for d, at most two seconds. It is no failure.
func Later(d time.Duration) error { return transport.Later(d) }

// IsLater says whether an error puts a turn back and is no failure.
func IsLater(err error) bool {
	_, is := transport.IsLater(err)
	return is
}

// errEnded is the cause a handler's context has when its turn was ended by
// somebody else.
var errEnded = errors.New("the turn was ended")
