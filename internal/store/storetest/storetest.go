// Package storetest is the one conformance suite that every store passes.
package storetest

import (
	"os"
	"testing"
	"time"
)

// Place makes an empty place for one test and returns what opens a store in it.
// The suite opens a place again after it closed the store (a restart) and twice
// at once (two processes), and closes what it opened.
type Place[S interface{ Close() error }] func(t *testing.T) (open func() (S, error))

// LargeVar is the environment variable under which the suite runs at its full
// size of 100,000 points; without it the same test runs on few.
const LargeVar = "FORSOOTH_TEST_LARGE"

func points() int {
	if os.Getenv(LargeVar) != "" {
		return 100_000
	}
	return 2_000
}

var at = time.Date(1402, 5, 3, 18, 0, 0, 0, time.UTC)

// day is a game time, a number of days after the first.
func day(n int) time.Time { return at.AddDate(0, 0, n) }

// opened opens a store that is closed when the test ends.
func opened[S interface{ Close() error }](t *testing.T, open func() (S, error)) S {
	t.Helper()
	s := begun(t, open)
	t.Cleanup(func() { ended(t, s) })
	return s
}

// begun opens a store that the test itself closes.
func begun[S interface{ Close() error }](t *testing.T, open func() (S, error)) S {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ended(t *testing.T, s interface{ Close() error }) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
