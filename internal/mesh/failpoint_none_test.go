//go:build !failpoint

package mesh

import (
	"errors"
	"os"
	"testing"
)

// ErrKilled is returned by nothing in this build.
var ErrKilled = errors.New("killed by a test")

// NeedFailpoints skips a test that kills workers between two steps: this build has no
// failpoints. Under FORSOOTH_TEST_ALL, which `make test` sets, that is a failure.
func NeedFailpoints(t *testing.T) {
	t.Helper()
	const why = "it kills workers between two steps; run go test -tags failpoint"
	if os.Getenv("FORSOOTH_TEST_ALL") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// WithFault is for tests that NeedFailpoints has skipped.
func (o Options) WithFault(func(step string) error) Options { return o }
