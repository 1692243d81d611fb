//go:build mutant && mutant_fencing

package mesh

// mutant breaks this build: a sentence is stored wherever its subject stands.
const mutant = mutantFencing
