package protocol

import (
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// WorldsFound is the answer of svc.worlds and of svc.world.<world>.
type WorldsFound struct {
	Worlds []schema.WorldInfo `json:"worlds"`
}

// ConversationQuery asks svc.conversation.<world> for a conversation. Reset has the NPC
// forget it first: what was said, its opinion, favours and trust. What it remembers
// beyond the conversation stays: see MemoriesQuery.
type ConversationQuery struct {
	NPC    string `json:"npc"`
	Player string `json:"player"`
	Reset  bool   `json:"reset,omitempty"`
}

// Refusal is the answer to a question that could not be answered.
type Refusal struct {
	Error string      `json:"error"`
	Code  RefusalCode `json:"code,omitempty"`
}

// RefusalCode says whose fault it is; empty: of the service that was asked.
type RefusalCode string

// The codes of a refusal.
const (
	RefusalInvalid RefusalCode = "INVALID"   // the question can never be answered
	RefusalUnknown RefusalCode = "NOT_FOUND" // there is no such thing
)

// IsLate says whether a turn ends for this reason because it was not gone into, or not
// to its end, in time: an authored line takes the place of its answer.
func IsLate(reason string) bool {
	return reason == schema.ReasonDeadline || reason == schema.ReasonRateLimited || reason == schema.ReasonOverload
}

// Trace is one pass of a turn, as trace.<c>.<turn> keeps it.
type Trace struct {
	TurnID string            `json:"turn_id"`
	Record schema.PassRecord `json:"record"`
	Next   schema.Pass       `json:"next"`
	Turn   *Turn             `json:"turn"` // as it left the pass
	// AsBefore: its evidence and sources are those of the trace before, and left out.
	AsBefore bool `json:"as_before,omitempty"`
}

// Due is the body of a deadline's schedule: ids and sequence only, so that it never
// holds what a turn said.
type Due struct {
	World    string `json:"world"`
	NPC      string `json:"npc"`
	Player   string `json:"player"`
	TurnID   string `json:"turn_id"`
	Sequence uint64 `json:"sequence"` // of the request in TURNS
}

// Crowded tells whoever publishes turns that they wait longer than they can be answered
// in time, on crowded.
type Crowded struct {
	ForMS        int `json:"for_ms"`         // how long this holds, unless it is said again
	RetryAfterMS int `json:"retry_after_ms"` // when to say a turn that is not published now
}

// Taken tells the intakes of other processes that one has taken a turn of a player, on
// taken.
type Taken struct {
	By     string    `json:"by"` // the process
	World  string    `json:"world"`
	Player string    `json:"player"`
	At     time.Time `json:"at"` // when the turn was accepted, by the broker's clock
}

// TurnQuery asks svc.turn what became of a turn; svc.turn.<world> takes only what is
// of that world.
type TurnQuery struct {
	World  string  `json:"world"`
	NPC    string  `json:"npc"`
	Player string  `json:"player"`
	TurnID string  `json:"turn_id"`
	After  *uint64 `json:"after,omitempty"` // the events of the turn behind this place are asked for too; 0: all
}

// ActionsQuery asks svc.actions.<world> for actions that the world's NPCs proposed to
// the game. Neither field: for none, only where the next will stand.
type ActionsQuery struct {
	After *uint64   `json:"after,omitempty"` // those behind this place
	Since time.Time `json:"since,omitzero"`  // those stored since then
}

// ActionsFound is the answer of svc.actions.<world>.
type ActionsFound struct {
	Actions []StoredAction `json:"actions"`
	Last    uint64         `json:"last"`            // the place to ask behind the next time
	More    bool           `json:"more,omitempty"`  // these are not all
	Error   string         `json:"error,omitempty"` // when the query could not be answered
}

// StoredAction is a proposed action where it stands.
type StoredAction struct {
	Sequence uint64        `json:"sequence"`
	At       time.Time     `json:"at"` // when it was proposed, by the broker's clock
	NPC      string        `json:"npc"`
	Player   string        `json:"player"`
	TurnID   string        `json:"turn_id"`
	Index    int           `json:"index"`
	Action   schema.Action `json:"action"`
	Answered bool          `json:"answered,omitempty"` // the game has answered it
}

// TraceFound is the answer of svc.trace.<world>: the passes of a turn, in the order they
// were done. The question is a TurnQuery; After is the Last of the answer before.
type TraceFound struct {
	Passes []Trace `json:"passes"`
	Last   uint64  `json:"last,omitempty"` // where the last of them stands
	More   bool    `json:"more,omitempty"` // these are not all: ask again after Last
}
