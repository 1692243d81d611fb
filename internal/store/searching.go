package store

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Scope is what one NPC may know at one moment of a turn. What it does not allow is
// denied: its zero value finds nothing.
type Scope struct {
	World   string
	NPC     string    // the handle
	KnownBy []string  // the entries of known_by that mean this NPC
	Met     []string  // the conditions that hold; a passage under any other is denied
	At      time.Time // game time
	Started time.Time // when the turn started: what was indexed later is denied
	Without []string  // ids of passages that the provenance contract refused
}

// Ask is a first ranking: the passages in scope that come nearest to a question.
type Ask struct {
	Scope
	Model  string
	Terms  []Term    // the question's words
	Vector []float32 // the question as the model embeds it
	Limit  int
	Beside []string // types of passages that Outside leaves out
	Many   bool     // the scope is too large for each of its vectors to be compared
}

// Term is a word by its stem, and what it weighs.
type Term struct {
	Stem   string
	Weight float32
}

// Hit is a passage as a server ranked it.
type Hit struct {
	Chunk   protocol.Chunk
	Vectors [][]float32 // of its stretches, in order
	Score   float64
	Refused string // why it must not be used: it says other than what it was found by
}

// Tally is what a scope holds, counted by the server.
type Tally struct {
	Open      int            // passages in scope
	Documents int            // with a passage in scope
	Refused   map[string]int // of the world, by reason
}

// Searching is a corpus that ranks by itself, so that nobody holds the lore to search
// it. Every method takes the scope as a filter of its request, and looks at each
// passage once more before it gives it.
type Searching interface {
	Corpus
	// Rank gives the best passages, words and vectors fused by the server.
	Rank(ctx context.Context, ask Ask) ([]Hit, error)
	// Outside is how near the nearest passage of the world comes that is out of scope;
	// of the passage itself nothing is given. It is not ok where there is none.
	Outside(ctx context.Context, ask Ask) (score float64, ok bool, err error)
	// Pick gives some passages in scope by their ids.
	Pick(ctx context.Context, s Scope, model string, ids []string) ([]Hit, error)
	// Whole gives the passages in scope of some files, at most limit, without vectors.
	Whole(ctx context.Context, s Scope, model string, paths []string, limit int) ([]Hit, error)
	// Sample gives about n passages that an NPC may ever know, whatever the turn, the same
	// each time; all says that these are all.
	Sample(ctx context.Context, s Scope, model string, n int) (hits []Hit, all bool, err error)
	// Tally counts a scope.
	Tally(ctx context.Context, s Scope, model string) (Tally, error)
	// Held is in how many documents in scope each stem stands, and whether metadata hold it.
	Held(ctx context.Context, s Scope, model string, stems []string) ([]Holding, error)
	// File gives all passages of a file, whoever may know it.
	File(ctx context.Context, world, model, path string) ([]protocol.Chunk, error)
	// Standing looks at the state of a world and names it: it changes with every write. The
	// other methods go by the state that was looked at last.
	Standing(ctx context.Context, world, model string) (string, error)
}

// Holding is where a stem stands in a scope.
type Holding struct {
	Documents int  // by the text of passages
	Anywhere  bool // by text or metadata
}

// Reading is what a passage holds for a search by words.
type Reading struct {
	Weights   []Term   // of the sparse vector
	Stems     []string // of text and metadata
	Fresh     []string // of the text, those that no earlier passage of the document has
	Opens     bool     // whether it is the first of its document
	Signature string   // what shows that a model or a prompt made it: never told
}
