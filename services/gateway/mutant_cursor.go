//go:build mutant && mutant_cursor

package gateway

// blindCursor breaks this build: whoever resumes a turn is shown it from its beginning.
const blindCursor = true
