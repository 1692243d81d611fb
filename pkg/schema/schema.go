// Package schema is the wire contract between a game backend and the mesh: requests,
// replies and their sentences, the events of a turn, actions, occurrences, outcomes,
// checks, conversations and memories. It depends on the standard library only and holds
// no behaviour beyond validation. What services tell each other stands in
// internal/protocol. Start reading at request.go and reply.go.
package schema

import (
	"errors"
	"fmt"
)

// Version is the schema version this build writes. A service takes its own
// major and any minor.
const Version = "1.0"

// Limits of the wire contract.
const (
	MaxMessageBytes = 64 << 10  // a player's message
	MaxTurnBytes    = 256 << 10 // a turn on its way, encoded
	MinDeadlineMS   = 2_000
	MaxDeadlineMS   = 60_000
	DefaultDeadline = 8_000
	MaxTrust        = 100
	MinTrust        = -100
	MaxTrustStep    = 10 // per turn, either way
	AppliedKept     = 32 // turn ids a conversation remembers as applied
)

// ErrInvalid marks every error of validation. It is never worth a retry.
var ErrInvalid = errors.New("invalid")

// FieldError says which field of a message is wrong and how to mend it.
type FieldError struct {
	Field  string
	Reason string
}

func (e *FieldError) Error() string { return fmt.Sprintf("%s: %s", e.Field, e.Reason) }

// Unwrap lets errors.Is(err, ErrInvalid) hold for every field error.
func (e *FieldError) Unwrap() error { return ErrInvalid }

func invalid(field, format string, args ...any) error {
	return &FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}
