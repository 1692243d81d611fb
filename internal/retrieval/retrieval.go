// Package retrieval is Pass 1's index: it finds, among the passages that one NPC
// may know at one game time, those that answer a message, and says how likely it
// is that they do. Lexical search (BM25 over text and metadata) and search by
// embedding are fused and reranked, and a small fitted model judges the answer.
// It writes no sentence and decides nothing: what a confidence is worth is for
// the caller.
package retrieval

import (
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Options are what an index may be told besides its world.
type Options struct {
	Now      func() time.Time      // wall time, for IndexedAt; required
	Progress func(done, total int) // called after each stored batch of documents
	Notice   func(line string)     // told of a damaged file that was set aside
	Vectors  string                // folder of the files of vectors, which processes share; empty keeps them in memory
	Words    *embed.Static         // what is known of English words; without it words are compared by stem alone
}

// Query is a message of a player to an NPC.
type Query struct {
	NPC     *world.NPC
	Message string
	TopK    int // 8 when zero
	Check   grounding.Check
	Facts   world.Facts
	Gated   bool     // take conditions for met: to learn whether an answer is kept back, never to give it
	Player  string   // the player's name, which is never an unknown one
	Context []string // the last lines of the conversation, oldest first
	Zones   Zones
	Once    bool // no second search, however unsure the first is

	scan *scan // of the search before
}

// Result is what a citation query found.
type Result struct {
	Retrieval protocol.Retrieval
	Sources   []protocol.Source // one passage each, best first
	Unknown   []string          // names in the message that nothing in scope holds
	Whole     string            // a question that says nothing of itself, behind what it leans on; else empty
	Named     bool              // a word of the message, or of what it leans on, stands in the first source
}

// The limits of a citation query.
const (
	defaultTopK    = 8
	candidatesPerK = 4 // candidates reranked, times TopK
	perDocument    = 3 // passages of one document
)
