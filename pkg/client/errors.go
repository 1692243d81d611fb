package client

import (
	"errors"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// Errors that a backend may test for with errors.Is. What can never be taken as it
// was sent is a *schema.FieldError, and schema.ErrInvalid.
var (
	ErrBusy     = mesh.ErrBusy          // nine turns of this conversation wait already: see RetryAfter
	ErrFull     = mesh.ErrFull          // the mesh takes no more turns now: see RetryAfter
	ErrNotFound = transport.ErrNotFound // no such turn, or no reply yet, or none any more

	// ErrUnreachable: no answer came before the context ended. What was sent may
	// have arrived; the same may be sent again.
	ErrUnreachable = transport.ErrUnreachable
	// ErrDisconnected: this client is closed.
	ErrDisconnected = transport.ErrDisconnected
)

// RightError is something that this backend's user may not do on the broker.
type RightError struct {
	Subject string // that the user may not publish or listen on
	What    string // what the client would have done there

	cause error
}

func (e *RightError) Error() string { return e.cause.Error() }

// Unwrap gives the error as the mesh told it.
func (e *RightError) Unwrap() error { return e.cause }

// owned is an error of the mesh with this package's types in place of the mesh's.
func owned(err error) error {
	var denied *transport.RightError
	if errors.As(err, &denied) {
		return &RightError{Subject: denied.Subject, What: denied.What, cause: err}
	}
	return err
}

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

// Unwrap gives the cause: ErrBusy, ErrFull, a *schema.FieldError, ErrUnreachable.
func (e *UnsaidError) Unwrap() error { return e.Cause }
