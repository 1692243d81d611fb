package schema

import "time"

// The two sides of a relation.
const (
	SideNPC    = "npc"
	SidePlayer = "player"
)

// Relation is how an NPC and a player stand with each other. It is context: nothing
// of it can be cited for a claim about the world.
type Relation struct {
	Trust    int            `json:"trust"`   // the game's where it sends one
	Opinion  string         `json:"opinion"` // the trust in words
	Why      []TrustStep    `json:"why,omitempty"`
	Owed     []Favour       `json:"owed,omitempty"`     // what is still owed, oldest first
	Standing map[string]int `json:"standing,omitempty"` // by faction, -100 to 100
	NPC      NPCState       `json:"npc,omitzero"`
}

// NPCState is how an NPC is and what it does, whoever asks.
type NPCState struct {
	Mood     string    `json:"mood,omitempty"`
	Activity string    `json:"activity,omitempty"` // behind "I am": "at the forge", "mending a plough"
	Plans    string    `json:"plans,omitempty"`    // behind "I mean to": "close at dusk"
	Says     string    `json:"says,omitempty"`     // an authored line that tells it
	Since    time.Time `json:"since,omitzero"`     // game time
	Source   string    `json:"source,omitempty"`   // "state", "schedule" or the id of an event
}

// TrustStep is one change of trust, with the turn or the event that made it.
type TrustStep struct {
	By      int       `json:"by"`
	Why     string    `json:"why"` // "thanks", "insult", "threat", "apology", "action.NAME" or "event.PREDICATE"
	TurnID  string    `json:"turn_id,omitempty"`
	EventID string    `json:"event_id,omitempty"`
	Text    string    `json:"text,omitempty"` // of the event, or of what the player said
	At      time.Time `json:"at,omitzero"`
}

// Favour is something that one side owes the other, or that settles it.
type Favour struct {
	What    string    `json:"what"`              // behind "for": "the wolf pelts"
	Owes    string    `json:"owes"`              // SideNPC or SidePlayer
	Settles bool      `json:"settles,omitempty"` // it pays what it names, else what this side owed longest
	TurnID  string    `json:"turn_id,omitempty"` // of the checked action that made it
	EventID string    `json:"event_id,omitempty"`
	Source  Origin    `json:"source"` // system: what a player claims makes no favour
	At      time.Time `json:"at,omitzero"`
}
