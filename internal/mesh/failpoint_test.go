//go:build failpoint

package mesh

import "testing"

// ErrKilled is what a fault returns that kills its worker.
var ErrKilled = errKilled

// NeedFailpoints skips a test where the build has no failpoints; this one has.
func NeedFailpoints(*testing.T) {}

// WithFault kills workers between two steps.
func (o Options) WithFault(fault func(step string) error) Options {
	o.fault = fault
	return o
}
