//go:build !mutant || !mutant_reply_guard

package transport

// secondReplies says whether REPLIES takes a second reply of a turn: it never does. The
// build tags mutant and mutant_reply_guard make it, so that the invariant that watches
// replies can be seen to go red.
const secondReplies = false
