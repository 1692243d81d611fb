package console

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// The exit codes.
const (
	ExitFine       = 0
	ExitFailed     = 1 // the thing asked about failed
	ExitUsage      = 2 // usage or settings
	ExitDependency = 3 // a dependency is unreachable or unfit
)

// coded is an error with its exit code.
type coded struct {
	code int
	err  error
}

func (e *coded) Error() string { return e.err.Error() }
func (e *coded) Unwrap() error { return e.err }

// WithExit gives an error an exit code, unless it has one.
func WithExit(code int, err error) error {
	var already *coded
	if err == nil || errors.As(err, &already) {
		return err
	}
	return &coded{code, err}
}

// ExitCode prints an error of a command once, on one line, and gives its code. An error
// without words has been told already.
func ExitCode(command string, err error, w io.Writer) int {
	if err == nil {
		return ExitFine
	}
	if text := strings.Join(strings.Fields(err.Error()), " "); text != "" {
		fmt.Fprintf(w, "%s: %s\n", command, text)
	}
	var c *coded
	if errors.As(err, &c) {
		return c.code
	}
	return ExitFailed
}
