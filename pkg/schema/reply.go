package schema

import "time"

// Status is how a turn ended.
type Status string

// The statuses of a reply.
const (
	StatusAnswered   Status = "answered"
	StatusExtractive Status = "extractive" // verbatim, no model
	StatusUnknown    Status = "unknown"
	StatusWithheld   Status = "withheld" // secret, requires, policy
	StatusPartial    Status = "partial"  // deadline after the first sentence
	StatusAuthored   Status = "authored" // deadline or outage only
	StatusAborted    Status = "aborted"
)

// Reasons that a reply carries beside its status.
const (
	ReasonSocial        = "SOCIAL"
	ReasonNoEvidence    = "NO_EVIDENCE"
	ReasonUnknownName   = "UNKNOWN_NAME"
	ReasonLowConfidence = "LOW_CONFIDENCE"
	ReasonSecret        = "SECRET"
	ReasonRequires      = "REQUIRES"
	ReasonPolicy        = "POLICY"
	ReasonDeadline      = "DEADLINE"
	ReasonCancelled     = "CANCELLED"
	ReasonSuperseded    = "SUPERSEDED"
	ReasonPoison        = "POISON"
	ReasonInvalid       = "INVALID"
	ReasonNotEntailed   = "NOT_ENTAILED"
	ReasonNonCorpus     = "NON_CORPUS_EVIDENCE"
	ReasonLanguage      = "LANGUAGE_UNVERIFIED"
	ReasonUnfaithful    = "UNFAITHFUL" // Guard 3 blocks what is not wholly supported

	ReasonModerated        = "MODERATED"         // the moderation hook blocked the message, or all that was to be said
	ReasonModerationFailed = "MODERATION_FAILED" // the hook gave no verdict in time
	ReasonBudget           = "BUDGET"            // the world's or the player's budget is spent
	ReasonModelDown        = "MODEL_UNAVAILABLE" // every model failed
	ReasonRateLimited      = "RATE_LIMITED"      // the player or the world says more than it may: see RetryAfterMS
	// the mesh had no time for a model, or none for the turn: then see RetryAfterMS
	ReasonOverload = "OVERLOAD"
)

// Why an NPC that was to speak unasked says nothing.
const (
	ReasonYielded   = "YIELDED"   // a player had something to say
	ReasonCooldown  = "COOLDOWN"  // it spoke on the like too lately
	ReasonEnough    = "ENOUGH"    // it has spoken unasked often enough in this hour
	ReasonCondition = "CONDITION" // what its rule requires does not hold
	ReasonNothing   = "NOTHING"   // it knows nothing to say
	ReasonBusy      = "BUSY"      // other turns stood in the queue for too long, or it was full
	ReasonLate      = "LATE"      // the event was too old when it was read
)

// Reply is the final reply on reply.<c>.<turn>: the only commit of a turn.
type Reply struct {
	SchemaVersion string `json:"schema_version"`
	TurnID        string `json:"turn_id"`
	World         string `json:"world"`
	NPC           string `json:"npc"`
	Player        string `json:"player"`
	PlayerName    string `json:"player_name,omitempty"`
	NPCName       string `json:"npc_name,omitempty"`
	Message       string `json:"message,omitempty"` // what the player said, for memory and for the finisher
	// what the player said before it: "no, I meant Oakham" corrects that
	Previous *Line  `json:"previous,omitempty"`
	Begin    *Begin `json:"begin,omitempty"` // the NPC spoke first, upon this event
	Scene    *Scene `json:"scene,omitempty"` // of a turn of a scene, with who heard it
	Text     string `json:"reply"`           // the stored sentences, joined
	Status   Status `json:"status"`
	Reason   string `json:"reason,omitempty"`
	Detail   string `json:"detail,omitempty"`
	// where the turn was answered without being gone into: when to say the like again
	RetryAfterMS int            `json:"retry_after_ms,omitempty"`
	Audit        Audit          `json:"audit"`
	Sentences    []Sentence     `json:"sentences"`
	SourceCounts map[Origin]int `json:"evidence_source_counts"`
	Actions      []Action       `json:"actions,omitempty"`
	Deed         *Deed          `json:"deed,omitempty"` // what the player asked the NPC to do, as it was understood
	Stripped     []Stripped     `json:"stripped,omitempty"`
	Faithfulness *Faithfulness  `json:"faithfulness,omitempty"` // where Guard 3 is on and something was claimed
	Confidence   float64        `json:"confidence,omitempty"`
	LoreVersion  string         `json:"lore_version,omitempty"`
	Sequence     uint64         `json:"sequence,omitempty"` // of the request in TURNS
	AcceptedAt   time.Time      `json:"accepted_at,omitzero"`
	GameTime     *time.Time     `json:"game_time,omitempty"`
	Passes       []PassRecord   `json:"passes"`
}

// Unheard says whether the reply is of something that was sent away at the door: it is
// the end of its turn, and leaves nothing in the conversation or in a memory. So is a turn
// in which an NPC was to speak unasked and said nothing.
func (r *Reply) Unheard() bool {
	return r.Reason == ReasonInvalid || r.Reason == ReasonRateLimited || r.Reason == ReasonOverload &&
		r.Status == StatusAuthored || (r.Begin != nil || r.Scene != nil && r.Scene.Round > 0) &&
		r.Status == StatusAborted && len(r.Sentences) == 0
}

// RetryAfter is RetryAfterMS as a duration.
func (r *Reply) RetryAfter() time.Duration { return time.Duration(r.RetryAfterMS) * time.Millisecond }

// SaidKind is the kind of an event on said.<c>.<turn>.
type SaidKind string

// The events of a turn, in the order they may come.
const (
	SaidAccepted SaidKind = "accepted"
	SaidThinking SaidKind = "thinking"
	SaidSentence SaidKind = "sentence"
	SaidClosed   SaidKind = "closed" // the fence: nothing is released after it
	SaidDone     SaidKind = "done"
	SaidAborted  SaidKind = "aborted"
)

// Said is an event of a turn that a backend may watch.
type Said struct {
	Kind     SaidKind  `json:"kind"`
	TurnID   string    `json:"turn_id"`
	Pass     Pass      `json:"pass,omitempty"`
	NPC      string    `json:"npc,omitempty"` // thinking, sentence: in a scene, who it is
	Sentence *Sentence `json:"sentence,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Risk     string    `json:"risk,omitempty"` // done: of a reply with which Guard 3's policy did something
	// done: the places of released sentences that Guard 3 doubts
	Doubted []int `json:"doubted,omitempty"`
}

// ActionResult is the game's answer to a proposed action, on action-result.<c>.<turn>.<i>.
type ActionResult struct {
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason,omitempty"` // why not
}

// TurnOutcome is the answer of svc.turn.
type TurnOutcome struct {
	State     TurnState    `json:"state"`
	Player    string       `json:"player,omitempty"`    // when waiting: who said it, which a scene's queue does not name
	Reply     *Reply       `json:"reply,omitempty"`     // when ended
	RepliedAt time.Time    `json:"replied_at,omitzero"` // when ended: when the reply was stored, by the broker's clock
	Expired   bool         `json:"expired,omitempty"`   // when unknown: it had a reply, which is kept no more
	Events    []StoredSaid `json:"events,omitempty"`    // when asked for, in order
	More      bool         `json:"more,omitempty"`      // these are not all events: ask again behind the last
	Over      bool         `json:"over,omitempty"`      // no other event follows
	Error     string       `json:"error,omitempty"`     // when the query could not be answered
}

// StoredSaid is an event of a turn where it stands.
type StoredSaid struct {
	Sequence uint64    `json:"sequence"`
	At       time.Time `json:"at"` // when it was stored, by the broker's clock
	Event    Said      `json:"event"`
}

// TurnState is how far a turn is.
type TurnState string

// The states of a turn.
const (
	TurnUnknown TurnState = "unknown" // never accepted, or its reply has expired
	TurnWaiting TurnState = "waiting" // accepted, no reply yet
	TurnEnded   TurnState = "ended"   // replied
)

// Deed is a request for an action, in the player's own words, and what became of it.
type Deed struct {
	Outcome    string         `json:"outcome"`          // one of Deed*
	Action     string         `json:"action,omitempty"` // empty where it is none of the NPC's
	Parameters map[string]any `json:"parameters,omitempty"`
	Reason     string         `json:"reason,omitempty"`  // of a refusal: one of Refused*
	Missing    []string       `json:"missing,omitempty"` // the parameters that the NPC asks for
	Meant      float64        `json:"meant,omitempty"`   // how likely the player meant this action
}

// What became of a request.
const (
	DeedTaken   = "taken"   // it stands among the actions
	DeedAsked   = "asked"   // the NPC asks what exactly is wanted
	DeedRefused = "refused" // the NPC says no, and why
)

// Why a request was refused.
const (
	RefusedTrust    = "trust"    // more trust would do
	RefusedRequires = "requires" // something else that the action requires
	RefusedNotMine  = "not_mine" // it is none of the NPC's actions
)
