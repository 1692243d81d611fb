//go:build !mutant || mutant_reply_guard || mutant_cursor || mutant_witness

package mesh

// mutant names what is broken on purpose in this build: nothing. A build with the
// tags mutant and mutant_<name> breaks one guard of the protocol, so that the
// invariant that watches it can be seen to go red; no setting reaches this.
const mutant = ""
