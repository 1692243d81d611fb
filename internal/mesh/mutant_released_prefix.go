//go:build mutant && mutant_released_prefix

package mesh

// mutant breaks this build: whoever takes a turn over begins its speech anew.
const mutant = mutantReleasedPrefix
