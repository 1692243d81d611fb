//go:build !mutant

package transport

// mutant says what is broken on purpose in this build: nothing. Only a build with the tag
// mutant breaks something.
const mutant = ""
