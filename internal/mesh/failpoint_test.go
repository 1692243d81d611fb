//go:build failpoint

package mesh

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// ErrKilled is what a fault returns that kills its worker.
var ErrKilled = transport.ErrKilled

// NeedFailpoints skips a test where the build has no failpoints; this one has.
func NeedFailpoints(*testing.T) {}

// WithFault kills workers between two steps.
func (o Options) WithFault(fault func(step string) error) Options {
	o.fault = fault
	return o
}
