//go:build mutant && mutant_applied_check

package mesh

// mutant breaks this build: a reply is applied as often as it comes.
const mutant = mutantAppliedCheck
