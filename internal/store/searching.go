package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
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

// MemoryFilter names memories: those that every set field admits. World is
// required; the zero value of any other field filters nothing. A list that is
// set but has nothing in it names no memory, so that an empty list of ids,
// passed to Delete, never means the whole world.
type MemoryFilter struct {
	World     string
	NPC       string
	Player    string // exactly this player
	NoPlayer  bool   // with Player: those of no player too; without: only those of no player
	IDs       []string
	Kinds     []schema.MemoryKind
	Statuses  []schema.MemoryStatus
	Sources   []schema.Origin
	Subject   string
	Predicate string
	Object    string
	TurnID    string // of the memory itself, not of its spans
	HeardFrom string
	Tag       string
	Mentions  string    // a player anywhere: see Mentioned
	EventFrom time.Time // event_time in [from, to); a memory without one is in no stretch
	EventTo   time.Time
	ValidAt   time.Time // valid_from ≤ t (or absent) and t < valid_to (or absent), game time
}

// Check refuses a filter without a world.
func (f *MemoryFilter) Check() error {
	if f.World == "" {
		return errors.New("a filter of memories needs a world")
	}
	return nil
}

// NamesNone says that a list is set with nothing in it.
func (f *MemoryFilter) NamesNone() bool {
	return f.IDs != nil && len(f.IDs) == 0 || f.Kinds != nil && len(f.Kinds) == 0 ||
		f.Statuses != nil && len(f.Statuses) == 0 || f.Sources != nil && len(f.Sources) == 0
}

// Match says whether the filter names a memory.
func (f *MemoryFilter) Match(m *schema.Memory) bool {
	return m.World == f.World && f.matchWhose(m) && f.matchWhat(m) && f.matchWhen(m) &&
		among(f.IDs, m.ID) && among(f.Kinds, m.Kind) && among(f.Statuses, m.Status) && among(f.Sources, m.Source)
}

func (f *MemoryFilter) matchWhose(m *schema.Memory) bool {
	switch {
	case f.NoPlayer && m.Player != "" && m.Player != f.Player:
		return false
	case !f.NoPlayer && f.Player != "" && m.Player != f.Player:
		return false
	}
	return is(f.NPC, m.NPC) && (f.Mentions == "" || slices.Contains(Mentioned(m), f.Mentions))
}

func (f *MemoryFilter) matchWhat(m *schema.Memory) bool {
	return is(f.Subject, m.Subject) && is(f.Predicate, m.Pred) && is(f.Object, m.Object) &&
		is(f.TurnID, m.TurnID) && is(f.HeardFrom, m.HeardFrom) && (f.Tag == "" || slices.Contains(m.Tags, f.Tag))
}

func (f *MemoryFilter) matchWhen(m *schema.Memory) bool {
	if !f.EventFrom.IsZero() && (m.EventTime.IsZero() || m.EventTime.Before(f.EventFrom)) {
		return false
	}
	if !f.EventTo.IsZero() && (m.EventTime.IsZero() || !m.EventTime.Before(f.EventTo)) {
		return false
	}
	if f.ValidAt.IsZero() {
		return true
	}
	return !m.ValidFrom.After(f.ValidAt) && (m.ValidTo.IsZero() || f.ValidAt.Before(m.ValidTo))
}

func is(want, have string) bool { return want == "" || want == have }

func among[T comparable](want []T, have T) bool { return want == nil || slices.Contains(want, have) }

// playerPrefix marks a player's id among the subjects and objects of memories.
const playerPrefix = "player:"

// Mentioned are the players that a memory names, each once: its own, those that
// are its subject or object, and its witnesses (of which the handles of NPCs
// cannot be told from players' ids, and are named too). Names inside its texts
// are not looked for.
func Mentioned(m *schema.Memory) []string {
	var out []string
	add := func(id string) {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	add(m.Player)
	for _, id := range []string{m.Subject, m.Object} {
		if player, ok := strings.CutPrefix(id, playerPrefix); ok {
			add(player)
		}
	}
	for _, w := range m.Witnesses {
		add(strings.TrimPrefix(w, playerPrefix))
	}
	return out
}
