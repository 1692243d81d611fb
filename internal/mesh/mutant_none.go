//go:build !mutant

package mesh

// mutant names what is broken on purpose in this build: nothing. A build with the tag
// mutant, to which the linker gives a name, breaks one guard of the protocol, so that the
// invariant that watches it can be seen to go red; no setting reaches this.
const mutant = ""
