// Package invariant holds the mesh's promises as functions over what a run has
// left in its streams: each says which turn broke it and how. It is for fault runs
// and tests. It runs no turn, breaks nothing and mends nothing, and of the broker it
// knows only the names of the streams.
package invariant

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Run is what a fault run left behind: what its backend and its models saw, and
// what the streams hold.
type Run struct {
	Accepted []Accepted
	Outages  []Outage
	Still    []Outage // times in which the machine did not let the run run: deadlines move by them
	Prompts  []Prompt

	// MostEnded is the share of turns that may be ended by their deadline, not
	// counting Ended, in which a fault has made that the only end; 0: it is not looked at.
	MostEnded float64
	Ended     map[string]bool

	Late      map[string]bool // turns whose deadline a fault has had come late
	Forgotten []Outage        // times in which the broker forgot the ids of messages

	// Marks are words that stand in what one conversation's player said and nowhere
	// else; Notes are, by NPC, texts that nobody else may know.
	Marks map[string]schema.ConversationID
	Notes map[string][]string
	// Authored says whether a text is an authored line of a conversation's NPC; nil
	// believes what the sentence says of itself.
	Authored func(convo schema.ConversationID, text string) bool
	// Repeated is by turn how often a pass was begun again: each time it may ask its
	// models again.
	Repeated map[string]int

	Heard []Heard // what players were shown over sockets

	Kept
}

// Accepted is a turn that the mesh took from its backend.
type Accepted struct {
	Convo    schema.ConversationID
	Turn     string
	Sequence uint64 // in TURNS
	At       time.Time
	Deadline time.Duration
}

// Outage is a time in which the broker, or the last process with intake and actions,
// was away. End is when both were back.
type Outage struct{ Begin, End time.Time }

// Prompt is what a model was asked. Turn is empty where it cannot be told.
type Prompt struct {
	Turn string
	Text string
}

// Violation is a promise broken by a turn.
type Violation struct {
	Invariant string `json:"invariant"`
	Turn      string `json:"turn,omitempty"`
	What      string `json:"what"`
}

// report takes what is broken, and of which turn.
type report func(turn, format string, args ...any)

// Invariant is one promise.
type Invariant struct {
	Name   string
	Doc    string
	Source string // where it is promised: a number is of the list of promises
	check  func(r *Run, broken report)
}

// All are the invariants, in the order in which they are reported.
var All = []Invariant{
	{"replied", "Every accepted turn has a reply.", "promise 1", replied},
	{"replied-once", "A turn of a conversation has at most one reply.", "promise 2", repliedOnce},
	{"deadline", "A reply stands by its turn's deadline, or within two seconds of the end of an outage.", "promise 1",
		deadline},
	{"carried", "A turn whose worker is lost is carried on by another: few are ended by their deadline.",
		"section 2: any pass can be killed", carried},
	{"order", "The turns of a conversation are answered in order, but for those that were ended while they waited.",
		"promise 6", order},
	{"reviewed", "A released sentence has an earlier review record with the same text hash and evidence, or is an " +
		"authored line.", "promise 3", reviewed},
	{"joined", "A reply is its stored sentences, and authored lines behind them, joined.", "the conversation protocol",
		joined},
	{"fenced", "No sentence stands behind “closed”.", "the conversation protocol, promise 2", fenced},
	{"numbered", "The sentences of a turn are numbered from one, each stored once.", "the conversation protocol",
		numbered},
	{"memory", "No memory is written of a turn that was not released, and none twice.", "promise 5", memories},
	{"applied", "A reply changes its conversation once.", "promise 5", applied},
	{"hops", "A turn goes each hop once, and so many hops at most.", "promise 9: pass runs are bounded", hops},
	{"calls", "A turn asks models at most fifteen times.", "promise 9", calls},
	{"in-flight", "No turn is left in flight.", "promise 1", inFlight},
	{"drained", "No consumer has anything left to do, and no timer of a turn stands.", "promise 1", drained},
	{"private", "No prompt holds what another player said, or another NPC's own notes.", "promise 7", private},
	{"origin", "No released sentence rests on what a model wrote.", "promise 8", origin},
	{"heard", "Over sockets that resume at another gateway a player is shown each sentence once, in order, and then the " +
		"reply.", "docs/http.md, the socket", heard},
}

// Check holds a run against every invariant.
func Check(r *Run) []Violation {
	r.index()
	out := []Violation{}
	for _, i := range All {
		out = append(out, i.Check(r)...)
	}
	return out
}

// Check holds a run against one invariant. What it finds stands in the order of the
// turns' ids.
func (i Invariant) Check(r *Run) []Violation {
	r.index()
	var out []Violation
	i.check(r, func(turn, format string, args ...any) {
		out = append(out, Violation{Invariant: i.Name, Turn: turn, What: fmt.Sprintf(format, args...)})
	})
	slices.SortStableFunc(out, func(a, b Violation) int { return cmp.Compare(a.Turn, b.Turn) })
	return out
}
