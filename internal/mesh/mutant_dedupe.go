//go:build mutant && mutant_dedupe

package mesh

// mutant breaks this build: hops carry no message id.
const mutant = mutantDedupe
