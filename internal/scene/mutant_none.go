//go:build !(mutant && mutant_witness)

package scene

// mutant says whether this build breaks the witness rule on purpose: an NPC then hears
// what was said while it was away. No setting reaches this.
const mutant = false
