//go:build !mutant || !mutant_cursor

package gateway

// blindCursor says whether a stream that goes on begins anew: it never does. The build tags
// mutant and mutant_cursor make it, so that the invariant that watches what players are
// shown can be seen to go red.
const blindCursor = false
