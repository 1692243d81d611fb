//go:build failpoint

package mesh

import "errors"

// failpoints let a test kill a worker between two steps.
type failpoints struct {
	fault func(step string) error
}

func (f failpoints) reach(step string) error {
	if f.fault == nil {
		return nil
	}
	return f.fault(step)
}

// errKilled is what a fault returns: the worker is gone. Nothing is acked or put back;
// only the broker's redelivery goes on.
var errKilled = errors.New("killed by a test")

func killed(err error) bool { return errors.Is(err, errKilled) }
