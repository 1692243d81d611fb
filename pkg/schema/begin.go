package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Begin says that an NPC speaks first, upon an event of the game. The mesh alone makes
// such a turn: what is said stands in the NPC's file, and no request can bring words.
type Begin struct {
	EventID string `json:"event_id"`
	Kind    string `json:"kind"` // of the event: its predicate
}

// KindHappened is the kind of an event that names no predicate.
const KindHappened = "happened"

// Kind is the kind of an event: its predicate.
func (o *Occurrence) Kind() string {
	if o.Predicate == "" {
		return KindHappened
	}
	return o.Predicate
}

// BegunTurn is the id of the turn that an event begins. It is the same however often
// the event is read, so there is one turn for each event.
func BegunTurn(eventID string) string {
	sum := sha256.Sum256([]byte(eventID))
	return "begun-" + hex.EncodeToString(sum[:16])
}

// Begun is a turn that an NPC began with a player.
type Begun struct {
	Begin
	At time.Time `json:"at"` // when the mesh took it, by the broker's clock
}

// Unasked says whether the NPC is to speak though nobody asked it.
func (r *Request) Unasked() bool { return r.Begin != nil || r.Scene != nil && r.Scene.Round > 0 }

// keptBegun bounds what a conversation keeps of them.
const keptBegun = 32

// NoteBegun records a turn that the NPC began. The last one of each kind stays for its
// cooldown, and what is younger than an hour for the budget.
func (c *Conversation) NoteBegun(b Begin, at time.Time) {
	var kept []Begun
	for _, old := range c.Begun {
		if old.Kind != b.Kind || at.Sub(old.At) < time.Hour {
			kept = append(kept, old)
		}
	}
	c.Begun = append(kept[max(0, len(kept)-keptBegun+1):], Begun{b, at})
}
