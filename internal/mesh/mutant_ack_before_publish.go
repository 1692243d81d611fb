//go:build mutant && mutant_ack_before_publish

package mesh

// mutant breaks this build: a turn is acked before it is published to its next pass.
const mutant = mutantAckEarly
