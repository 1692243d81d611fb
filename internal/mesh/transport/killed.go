//go:build failpoint

package transport

import "errors"

// ErrKilled is what a fault returns: the worker is gone. Nothing is acked or put back;
// only the broker's redelivery goes on.
var ErrKilled = errors.New("killed by a test")

// Killed says whether an error is a worker's end by a test.
func Killed(err error) bool { return errors.Is(err, ErrKilled) }
