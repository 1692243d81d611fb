package gateway_test

import "crypto/rand"

// randomness is the machine's.
type randomness struct{}

func (randomness) Read(p []byte) (int, error) { return rand.Read(p) }
