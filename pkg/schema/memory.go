package schema

import (
	"strings"
	"time"
	"unicode/utf8"
)

// MemoryKind is what a memory is about.
type MemoryKind string

// The kinds of memory.
const (
	MemoryFact       MemoryKind = "fact"
	MemoryPreference MemoryKind = "preference"
	MemoryOccurrence MemoryKind = "event" // something that happened, or was said
	MemoryPromise    MemoryKind = "promise"
	MemoryRelation   MemoryKind = "relation"
	MemoryEntity     MemoryKind = "entity"
)

// MemoryStatus says whether a memory may be retrieved: only active ones are.
type MemoryStatus string

// The statuses of a memory.
const (
	MemoryPending    MemoryStatus = "pending" // until its verdict
	MemoryActive     MemoryStatus = "active"
	MemorySuperseded MemoryStatus = "superseded" // merged ones too; a question about then still finds them
	MemoryFlagged    MemoryStatus = "flagged"    // unverified: operators see it, nobody retrieves it
	MemoryErased     MemoryStatus = "erased"
)

// MemorySpan is a verbatim stretch of what proves a memory.
type MemorySpan struct {
	TurnID  string    `json:"turn_id,omitempty"`
	EventID string    `json:"event_id,omitempty"` // of a witnessed event
	Speaker string    `json:"speaker"`            // "player", "npc" or "game"
	Text    string    `json:"text"`
	At      time.Time `json:"at,omitzero"`
	Scene   string    `json:"scene,omitempty"` // of whose queue the turn is
}

// Conversation is where a turn stands whose words prove this memory.
func (m *Memory) Conversation(turn string) ConversationID {
	for _, s := range m.Spans {
		if s.TurnID == turn && s.Scene != "" {
			return SceneConversation(m.World, s.Scene)
		}
	}
	return ConversationID{World: m.World, NPC: m.NPC, Player: m.Player}
}

// Memory is one thing that an NPC remembers. What a player said is stored as
// said by that player, what the NPC said as "I said so": each grounds that it
// was said, never its content.
type Memory struct {
	ID      string     `json:"id"`
	World   string     `json:"world"`
	NPC     string     `json:"npc"`
	Player  string     `json:"player,omitempty"` // whom it is about or who was there; empty for none
	Kind    MemoryKind `json:"kind"`
	Subject string     `json:"subject"`   // an id: "npc:mira", "player:p42", an entity of the world, else folded text
	Pred    string     `json:"predicate"` // canonical, of predicates.yaml
	Object  string     `json:"object"`
	Content string     `json:"content"` // one sentence, third person

	// How sure the player was, and the time it is of, both as they were said; the day of
	// the game that the time means, where that is certain.
	Hedge  string    `json:"hedge,omitempty"`
	When   string    `json:"when,omitempty"`
	WhenAt time.Time `json:"when_at,omitzero"`

	Confidence float64      `json:"confidence"`
	Source     Origin       `json:"source"`               // user or system; never model
	HeardFrom  string       `json:"heard_from,omitempty"` // the NPC that told it: hearsay, the lowest rank
	HeardID    string       `json:"heard_id,omitempty"`   // the memory it is a copy of
	Spans      []MemorySpan `json:"evidence_spans"`
	Count      int          `json:"count"` // how often it was proved anew

	TurnID    string    `json:"turn_id,omitempty"`
	CreatedAt time.Time `json:"created_at"`          // wall time of the write
	EventTime time.Time `json:"event_time,omitzero"` // game time at which it was said or happened
	ValidFrom time.Time `json:"valid_from,omitzero"` // game time, as are the following
	ValidTo   time.Time `json:"valid_to,omitzero"`

	Status       MemoryStatus `json:"status"`
	SupersededBy string       `json:"superseded_by,omitempty"`
	Contradicts  []string     `json:"contradicts_with,omitempty"`
	Witnesses    []string     `json:"witnesses,omitempty"`
	Tags         []string     `json:"tags,omitempty"`
}

// Rank is how much a memory's source weighs against another's: system over what
// a player said, and that over hearsay. (Corpus stands between the first two,
// and is never a memory.)
func (m *Memory) Rank() int {
	switch {
	case m.HeardFrom != "":
		return RankHearsay
	case m.Source == OriginSystem:
		return RankSystem
	default:
		return RankUser
	}
}

// The ranks of sources, highest first.
const (
	RankHearsay = iota
	RankUser
	RankCorpus
	RankSystem
)

// GroundingLabel is Guard 1's verdict on a candidate.
type GroundingLabel string

// The verdicts of Guard 1.
const (
	GroundingSupported    GroundingLabel = "SUPPORTED"
	GroundingPartial      GroundingLabel = "PARTIAL"
	GroundingNotSupported GroundingLabel = "NOT_SUPPORTED"
	GroundingUnknown      GroundingLabel = "UNKNOWN" // the verifier itself failed
)

// GroundingVerdict is Guard 1's judgement with what it rests on.
type GroundingVerdict struct {
	Label   GroundingLabel `json:"verdict"`
	Spans   []MemorySpan   `json:"evidence_spans"`
	Penalty float64        `json:"confidence_penalty,omitempty"` // 0.10 to 0.30, of a partial one
	Why     string         `json:"reasoning,omitempty"`
	Score   float64        `json:"score,omitempty"` // P(supported)
	Tier    string         `json:"tier,omitempty"`
}

// MemoryEventType is what happened to a memory.
type MemoryEventType string

// The events of the memory log.
const (
	MemoryProposed   MemoryEventType = "proposed"
	MemoryWritten    MemoryEventType = "written"
	MemoryDropped    MemoryEventType = "dropped"
	MemoryMerged     MemoryEventType = "merged"
	MemorySupersede  MemoryEventType = "superseded"
	MemoryFlag       MemoryEventType = "flagged"
	MemoryResolved   MemoryEventType = "resolved"
	MemoryUndone     MemoryEventType = "undone"
	MemoryErasedMark MemoryEventType = "erased"
)

// MemoryEvent is one entry of the log memory.<world>.<npc>.<player>, which is
// the truth: a store is an index that is made from it again.
type MemoryEvent struct {
	ID      string          `json:"id"` // also its Nats-Msg-Id: the same event twice is one
	Type    MemoryEventType `json:"type"`
	World   string          `json:"world"`
	NPC     string          `json:"npc"`
	Player  string          `json:"player,omitempty"`
	At      time.Time       `json:"at"` // wall time
	By      string          `json:"by"` // guard1, guard2, operator:<name>, erasure
	Why     string          `json:"why,omitempty"`
	TurnID  string          `json:"turn_id,omitempty"`
	EventID string          `json:"event_id,omitempty"` // of what the game saw

	// proposed, written: the whole record; merged: the canonical one as it stands afterwards
	Memory *Memory `json:"memory,omitempty"`
	Target string  `json:"target,omitempty"` // the memory it is about, where no record is carried
	// merged: what now points to Memory; superseded: by what (one); flagged, resolved: the other sides
	Others  []string          `json:"others,omitempty"`
	ValidTo time.Time         `json:"valid_to,omitzero"` // superseded: until when the old one held
	Verdict *GroundingVerdict `json:"verdict,omitempty"` // proposed, written, dropped
	Keep    string            `json:"keep,omitempty"`    // resolved: the side that holds; empty: both are distinct
	Undoes  string            `json:"undoes,omitempty"`  // undone: the id of the event
}

// Occurrence is what a backend publishes on event.<world>: something the game
// saw happen. It becomes a memory of exactly the NPCs among its witnesses.
type Occurrence struct {
	ID        string    `json:"event_id"`
	World     string    `json:"world"`
	GameTime  time.Time `json:"game_time,omitzero"`
	Subject   string    `json:"subject,omitempty"` // who did it, or of whom it holds
	Predicate string    `json:"predicate,omitempty"`
	Object    string    `json:"object,omitempty"`
	Text      string    `json:"text"`             // one sentence: "Ansel gave Mira a sword."
	Player    string    `json:"player,omitempty"` // whom it concerns
	Witnesses []string  `json:"witnesses"`        // handles of NPCs, ids of players
}

// MaxOccurrenceBytes bounds the text of an occurrence: it is one sentence.
const MaxOccurrenceBytes = 2_000

// Validate says what is wrong with an occurrence, field first.
func (o *Occurrence) Validate() error {
	for _, id := range []struct{ field, value string }{{"event_id", o.ID}, {"world", o.World}} {
		if err := CheckToken(id.field, id.value); err != nil {
			return err
		}
	}
	if o.Player != "" {
		if err := CheckToken("player", o.Player); err != nil {
			return err
		}
	}
	switch {
	case strings.TrimSpace(o.Text) == "":
		return invalid("text", "is empty; write one sentence that says what happened")
	case len(o.Text) > MaxOccurrenceBytes:
		return invalid("text", "is %d bytes; at most %d are taken", len(o.Text), MaxOccurrenceBytes)
	case !utf8.ValidString(o.Text):
		return invalid("text", "is not valid UTF-8")
	case len(o.Witnesses) == 0:
		return invalid("witnesses", "names nobody; what nobody saw is remembered by nobody")
	}
	for _, w := range o.Witnesses {
		if err := CheckToken("witnesses", w); err != nil {
			return err
		}
	}
	return nil
}

// MemoriesQuery asks svc.memories.<world> for what its NPCs remember. An empty field
// asks for all.
type MemoriesQuery struct {
	NPC    string       `json:"npc,omitempty"`
	Player string       `json:"player,omitempty"`
	Status MemoryStatus `json:"status,omitempty"`
	ID     string       `json:"id,omitempty"`    // this one alone, with the entries of the log that made it
	After  string       `json:"after,omitempty"` // those behind this one, in the order of the answer before
	Limit  int          `json:"limit,omitempty"` // at most so many; default and most: MaxMemories
}

// Validate says what is wrong with a query, field first.
func (q *MemoriesQuery) Validate() error {
	if q.Limit < 0 || q.Limit > MaxMemories {
		return invalid("limit", "is %d; it must lie between 1 and %d", q.Limit, MaxMemories)
	}
	if q.NPC != "" {
		if err := CheckToken("npc", q.NPC); err != nil {
			return err
		}
	}
	switch q.Status {
	case "", MemoryPending, MemoryActive, MemorySuperseded, MemoryFlagged, MemoryErased:
		return nil
	}
	return invalid("status", "is %q; it must be one of %s, %s, %s, %s and %s, or be left out for all", q.Status,
		MemoryPending, MemoryActive, MemorySuperseded, MemoryFlagged, MemoryErased)
}

// MaxMemories is how many memories one answer holds at most.
const MaxMemories = 200

// MemoriesFound is the answer of svc.memories.<world>.
type MemoriesFound struct {
	Memories []Memory      `json:"memories"`
	Events   []MemoryEvent `json:"events,omitempty"` // of the one that was asked for
	More     bool          `json:"more,omitempty"`   // these are not all: ask again after the last
}
