package transport

import (
	"errors"
)

// The errors of every read and publish that a caller may test for.
var (
	ErrNotFound = errors.New("not found")

	// ErrDisconnected: the caller has closed the connection.
	ErrDisconnected = errors.New("the connection to the broker is closed")
	// ErrUnreachable: no answer came in time. What was sent may have arrived, and
	// may be sent again as it is.
	ErrUnreachable = errors.New("no answer in time")
)
