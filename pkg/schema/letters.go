package schema

import "time"

// What an operator's window asks the mesh for.

// OutcomesQuery asks svc.outcomes.<world> for the replies of a world: those behind a
// place, or since a time. With neither the answer tells only where the end is.
type OutcomesQuery struct {
	After *uint64   `json:"after,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// OutcomesFound is the answer of svc.outcomes.<world>.
type OutcomesFound struct {
	Outcomes []StoredOutcome `json:"outcomes"`
	Last     uint64          `json:"last"`
	More     bool            `json:"more,omitempty"` // these are not all: ask again after Last
}

// StoredOutcome is the reply of a turn where it stands.
type StoredOutcome struct {
	Sequence uint64    `json:"sequence"`
	At       time.Time `json:"at"` // when it was stored, by the broker's clock
	Reply    Reply     `json:"reply"`
}

// LettersQuery asks svc.letters.<world> for the dead letters of a world behind a place.
type LettersQuery struct {
	After uint64 `json:"after,omitempty"`
}

// LettersFound is the answer of svc.letters.<world>.
type LettersFound struct {
	Letters []StoredLetter `json:"letters"`
	Last    uint64         `json:"last,omitempty"`
	More    bool           `json:"more,omitempty"` // these are not all: ask again after Last
}

// StoredLetter is a dead letter where it stands.
type StoredLetter struct {
	Number uint64     `json:"number"`
	NPC    string     `json:"npc"`
	Player string     `json:"player"`
	Letter DeadLetter `json:"letter"`
	Retry  bool       `json:"retry"` // its reader can try again; a turn that was aborted is over
}

// RetryQuery asks svc.retry.<consumer>.<world> to try a dead letter again.
type RetryQuery struct {
	Number uint64 `json:"number"`
}

// Retried is the answer of svc.retry.<consumer>.<world>: the letter is gone, because its
// reader has now taken the message.
type Retried struct {
	Number uint64 `json:"number"`
}

// ResolveQuery asks svc.resolve.<world> to settle a contradiction between memories, or to
// take an entry of the log back.
type ResolveQuery struct {
	Memory string `json:"memory"`         // one of those that contradict each other
	Keep   string `json:"keep,omitempty"` // the one that holds; empty: both do
	Undo   string `json:"undo,omitempty"` // the id of an entry of this memory's history: it is taken back
	By     string `json:"by"`             // who decides; the log keeps it
	Why    string `json:"why,omitempty"`  // the log keeps it
}

// MaxWhy bounds the texts that an operator leaves in the log.
const MaxWhy = 500

// Validate says what is wrong with a decision, field first.
func (q *ResolveQuery) Validate() error {
	for _, id := range []struct{ field, value string }{{"memory", q.Memory}, {"keep", q.Keep}, {"undo", q.Undo}} {
		if id.value == "" && id.field != "memory" {
			continue
		}
		if id.value == "" || len(id.value) > 200 {
			return invalid(id.field, "is no id; the list of memories and the history of each have them")
		}
	}
	if q.By == "" || len(q.By) > 64 {
		return invalid("by", "must name who decides, in at most 64 bytes")
	}
	if len(q.Why) > MaxWhy {
		return invalid("why", "is %d bytes; at most %d are taken", len(q.Why), MaxWhy)
	}
	return nil
}

// DeadLetter is poison with what is known of it.
type DeadLetter struct {
	Pass     Pass      `json:"pass"`
	TurnID   string    `json:"turn_id,omitempty"`
	Reason   string    `json:"reason"`
	Stream   string    `json:"stream"`
	Sequence uint64    `json:"sequence"`
	Attempt  int       `json:"attempt"`
	At       time.Time `json:"at"`
	Body     []byte    `json:"body,omitempty"` // what could not be read, cut at 64 KiB
}
