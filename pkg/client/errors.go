package client

import (
	"errors"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Errors that a backend may test for with errors.Is.
var (
	ErrBusy     = mesh.ErrBusy      // nine turns of this conversation wait already: see RetryAfter
	ErrFull     = mesh.ErrFull      // the mesh takes no more turns now: see RetryAfter
	ErrInvalid  = schema.ErrInvalid // what was sent can never be taken: see FieldError
	ErrNotFound = mesh.ErrNotFound  // no such turn, or no reply yet, or none any more

	// ErrUnreachable: no answer came before the context ended. What was sent may
	// have arrived; the same may be sent again.
	ErrUnreachable = mesh.ErrUnreachable
	// ErrDisconnected: this client is closed.
	ErrDisconnected = mesh.ErrDisconnected
)

// FieldError is what is wrong with a message: the field, and how to mend it. Every
// FieldError is ErrInvalid.
type FieldError = schema.FieldError

// RightError is something that this backend's user may not do on the broker: the
// subject, and what it would have done there.
type RightError = mesh.RightError

// RetryAfter is how long a caller that met ErrBusy or ErrFull should wait before
// it says the same again; 0 for any other error.
func RetryAfter(err error) time.Duration {
	var refused *mesh.RefusedError
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}

// UnsaidError is what Say fails with. TurnID is the id under which the request
// was sent, and is to be sent again where that is worth while.
type UnsaidError struct {
	TurnID string
	Cause  error
}

func (e *UnsaidError) Error() string { return e.Cause.Error() }

// Unwrap gives the cause: ErrBusy, ErrFull, a FieldError, ErrUnreachable.
func (e *UnsaidError) Unwrap() error { return e.Cause }
