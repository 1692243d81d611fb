package report

import (
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Input is what a report is made of. Only the five weeks before Now count. Events are an
// exception: a contradiction may have been flagged long ago.
type Input struct {
	World  string               // as it is titled; empty: all
	Now    time.Time            // where the last week ends
	Policy string               // Guard 3's: guards.PolicyWarn and so on; empty: it is off
	Skip   []schema.MemoryKind  // kinds that are not kept: refusing them is no block
	Events []schema.MemoryEvent // the memory log, in its order
	// Known says whether a world's table has a predicate; nil: none is proposed for it.
	Known func(world, pred string) bool
	Scans []Scan
	Reply []Reply
	Work  []Work
	// Earlier are the stored reports. They tell what the streams no longer hold.
	Earlier []*Report
}

// Scan is one run of Guard 2.
type Scan struct {
	At     time.Time // its end
	World  string
	Report scan.Report
}

// Reply is what Guard 3 said of one reply.
type Reply struct {
	At    time.Time
	Score float64
	Risk  faithful.Risk
	Step  faithful.Step
}

// Work is what the write path did in a stretch of time, and what it asked of language
// models. The log does not hold it.
type Work struct {
	At        time.Time // the stretch's beginning
	Turns     int       // replies released
	Read      int       // of them, those that were no greeting, small talk or repeat
	Extracted int       // candidates that came out of them
	Calls     []Calls
	TurnsOnly bool // nothing but the turns was counted: the rest is not known
}

// Calls are calls of a language model, of one stage.
type Calls struct {
	Stage string  `json:"stage"` // extract, ground, rewrite, judge, score
	N     int     `json:"calls"`
	Cost  float64 `json:"cost"` // in the currency of the budgets
}
