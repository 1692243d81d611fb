//go:build mutant && mutant_reply_guard

package transport

// secondReplies breaks this build: REPLIES takes a second reply.
const secondReplies = true
