//go:build mutant && mutant_reply_guard

package mesh

// mutant breaks this build: REPLIES takes a second reply.
const mutant = mutantReplyGuard
