//go:build mutant && mutant_witness

package scene

// mutant breaks this build: an NPC hears what was said while it was away.
const mutant = true
