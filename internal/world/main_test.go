package world_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Every goroutine that reads files ends with the load.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
