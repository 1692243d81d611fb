package protocol

import (
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Turn is the one document that flows through the passes. Each pass adds its
// own part and changes no other; nothing else carries state between passes.
type Turn struct {
	schema.Request
	Hop        int                  `json:"hop"` // counts publishes; part of the message id, so two workers collide
	Pass       schema.Pass          `json:"pass"`
	Sequence   uint64               `json:"sequence,omitempty"`     // of the request in TURNS
	AcceptedAt time.Time            `json:"accepted_at,omitzero"`   // the broker's timestamp
	DeadlineAt time.Time            `json:"deadline_at,omitzero"`   // accepted_at + deadline
	Convo      *schema.Conversation `json:"conversation,omitempty"` // as it stood when the turn started

	Relation *schema.Relation `json:"relation,omitempty"` // as Pass 1 found it

	Class         Class        `json:"class,omitempty"`
	Retrieval     *Retrieval   `json:"retrieval,omitempty"`
	Sources       []Source     `json:"sources,omitempty"`
	Evidence      []Evidence   `json:"evidence,omitempty"`
	Unknown       []string     `json:"unknown_names,omitempty"` // names in the message that nothing in scope holds
	Thoughts      []Thought    `json:"thoughts,omitempty"`
	ClaimAudit    []ClaimAudit `json:"claim_audit,omitempty"`
	ThoughtReview *Review      `json:"thought_review,omitempty"`
	Decision      *Decision    `json:"decision,omitempty"`
	Speech        *Speech      `json:"speech,omitempty"`
	SpeechReview  *Review      `json:"speech_review,omitempty"`
	// the fixed prefix: what the player has already been told
	Released []schema.Sentence   `json:"released,omitempty"`
	Stripped []schema.Stripped   `json:"stripped,omitempty"`
	Actions  []schema.Action     `json:"actions,omitempty"`
	Abort    *Abort              `json:"abort,omitempty"` // set when the turn is to end without an answer
	Rerun    int                 `json:"rerun,omitempty"` // times the turn went back to Pass 1
	Passes   []schema.PassRecord `json:"passes,omitempty"`
	// the last sequence on said.<c>.<turn> that the turn knows of
	SaidSeq   uint64        `json:"said_seq,omitempty"`
	ReviewSeq uint64        `json:"review_seq,omitempty"` // the same of review.<c>.<turn>
	Reply     *schema.Reply `json:"reply,omitempty"`      // made by the act pass; the mesh publishes it once
	// why no model speaks in what is left of the turn; empty: one may
	Fallback string  `json:"fallback,omitempty"`
	Ending   *Ending `json:"ending,omitempty"` // set when an authored line is all that may be said
	// Guard 3's score and what came of it; nil: not scored
	Faithfulness *schema.Faithfulness `json:"faithfulness,omitempty"`
	FirstTry     *Try                 `json:"first_try,omitempty"` // while Guard 3 has the speech made anew
	// this message is sentence n of a speech under way, from 1; 0: the turn itself
	Part int `json:"part,omitempty"`

	extra extras
	lists Lists
}

// Class is how much a message asks for; it sets lengths of thought and speech.
type Class string

// The classes of a message, from a nod to a story.
const (
	ClassGreeting Class = "greeting" // 20 words of thought, 15 of speech
	ClassMedium   Class = "medium"   // 50 and 40
	ClassComplex  Class = "complex"  // 150 and 90
)

// Retrieval is what Pass 1 found.
type Retrieval struct {
	Query string `json:"query"`
	// a query that says nothing of itself, behind what it leans on: for the reader
	Whole      string  `json:"whole,omitempty"`
	Intent     string  `json:"intent"`              // question, social kinds, recap, ...: see Intent*
	Compacted  string  `json:"compacted,omitempty"` // Pass 1.5: the sources in short, for prompts, never evidence
	Confidence float64 `json:"confidence"`          // calibrated P(top evidence answers the message)
	Zone       Zone    `json:"zone,omitempty"`      // what the gate makes of the confidence
	// searched by words and static vectors alone: the world is not embedded yet
	Static    bool        `json:"static,omitempty"`
	Searches  int         `json:"searches,omitempty"` // 1, or 2 after a second search
	Rejected  []Count     `json:"rejected,omitempty"` // candidates refused by the provenance contract, by reason
	LoreHash  string      `json:"lore_version,omitempty"`
	Gated     string      `json:"gated,omitempty"`     // why what would have answered is kept back: SECRET or REQUIRES
	Conflicts [][2]string `json:"conflicts,omitempty"` // evidence ids of documents that disagree
}

// Zone is the confidence gate's verdict.
type Zone string

// The zones of the confidence gate.
const (
	ZoneUnknown    Zone = "unknown"    // the unknown line
	ZoneNear       Zone = "near"       // a line that owns to not knowing it, and what comes nearest
	ZoneExtractive Zone = "extractive" // a verbatim answer, no model
	ZoneModel      Zone = "model"      // a model may speak
	ZoneNone       Zone = "none"       // the message asks for no facts
)

// What a message is, besides a question. A social intent is answered from
// authored lines.
const (
	IntentQuestion  = "question"
	IntentGreeting  = "greeting"
	IntentFarewell  = "farewell"
	IntentThanks    = "thanks"
	IntentSmalltalk = "smalltalk"
	IntentKindness  = "kindness" // an offer, a compliment or a good wish of the player's, to the NPC
	IntentFeelings  = "feelings"
	IntentWhoAreYou = "who_are_you"
	IntentStatement = "statement"
	IntentTelling   = "telling" // a statement of the player's about nobody but the player
	IntentRecap     = "recap"
	IntentInjection = "injection"
	IntentAction    = "request"
	IntentBegin     = "begin"    // the NPC speaks first, a line of its author
	IntentRelation  = "relation" // how the NPC is, what it does, how it stands with the player or another
)

// Count is a number under a name.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// Source is a citable source of Pass 1: a document in scope with valid metadata.
type Source struct {
	ID         string     `json:"source_id"` // "1", "2", … or "self"
	Path       string     `json:"path"`
	Page       int        `json:"page,omitempty"` // from 1, of a document of several pages
	ChunkID    string     `json:"chunk_id,omitempty"`
	Type       string     `json:"type"`
	Summary    string     `json:"summary,omitempty"`
	Content    string     `json:"content"`
	Keywords   []string   `json:"keywords,omitempty"`
	AllowedFor []string   `json:"allowed_for,omitempty"` // claim kinds; empty means any
	Score      float64    `json:"score"`
	Author     string     `json:"author,omitempty"`
	Speaker    string     `json:"speaker,omitempty"` // who said this passage, in mail and logs
	At         time.Time  `json:"at,omitzero"`       // when it was said
	Belief     string     `json:"belief,omitempty"`
	Private    bool       `json:"private,omitempty"` // the NPC's own note: outranks common lore
	Beside     bool       `json:"beside,omitempty"`  // for thoughts: it gives evidence once a thought rests on it
	Provenance Provenance `json:"provenance"`
}

// Provenance is where a text comes from; the reviewer checks it again.
type Provenance struct {
	Source    schema.Origin `json:"source"`
	IndexedAt time.Time     `json:"indexed_at,omitzero"`
	CreatedAt time.Time     `json:"created_at,omitzero"`
	ValidFrom time.Time     `json:"valid_from,omitzero"`
	ValidTo   time.Time     `json:"valid_to,omitzero"`
	World     string        `json:"world"`
	NPC       string        `json:"npc,omitempty"` // owner, for a private note
	Hash      string        `json:"hash,omitempty"`
	KnownBy   []string      `json:"known_by,omitempty"` // who may know it besides its owner
	Requires  string        `json:"requires,omitempty"` // a condition that must hold in the turn
}

// Evidence is a verbatim block of one to three whole sentences, the unit that
// speech cites.
type Evidence struct {
	ID         string     `json:"id"` // E1 … En, or "self"
	SourceID   string     `json:"source_id"`
	ChunkID    string     `json:"chunk_id"`
	Path       string     `json:"path"`
	Page       int        `json:"page,omitempty"` // from 1, of a document of several pages
	Type       string     `json:"type,omitempty"`
	Text       string     `json:"text"`              // verbatim in the file, white space aside
	Start      int        `json:"start,omitempty"`   // where the text begins in its chunk, in bytes
	Speaker    string     `json:"speaker,omitempty"` // who wrote or said it, where the document says so
	Author     string     `json:"author,omitempty"`  // who wrote the document
	At         time.Time  `json:"at,omitzero"`       // when it was written or said, where the document says so
	Belief     string     `json:"belief,omitempty"`  // "rumour": spoken only as hearsay
	AllowedFor []string   `json:"allowed_for,omitempty"`
	Heard      []string   `json:"heard,omitempty"` // of what a player told: the player's own words
	Private    bool       `json:"private,omitempty"`
	Score      float64    `json:"score"` // how well it answers the message
	Provenance Provenance `json:"provenance"`
}

// Thought is a sentence of the inner monologue with its citations of sources.
type Thought struct {
	Text      string   `json:"text"`
	Citations []string `json:"citations,omitempty"` // "1", "self"
	Plan      bool     `json:"plan,omitempty"`      // a plan or a suspicion marked as such: grounds nothing
}

// ClaimAudit is a line of Pass 2.4.
type ClaimAudit struct {
	Claim    string `json:"claim"`
	Citation string `json:"citation,omitempty"`
	Position int    `json:"position"`
	Verdict  string `json:"verdict"` // "SUPPORTED by [1]" or "NO EVIDENCE FOUND"
}

// Decision is what the NPC means to say and do.
type Decision struct {
	Plan     []string        `json:"plan"`            // one to three sentences
	Share    []string        `json:"share,omitempty"` // evidence ids, in the order to be spoken
	Withhold []Withhold      `json:"withhold,omitempty"`
	Tone     string          `json:"tone,omitempty"`
	Ask      string          `json:"ask,omitempty"`
	Actions  []schema.Action `json:"actions,omitempty"`
	Deed     *schema.Deed    `json:"deed,omitempty"` // what the player asked for, and what became of it
	Kind     ReplyKind       `json:"kind"`
}

// Withhold is a topic the NPC keeps to itself, and why.
type Withhold struct {
	Topic  string `json:"topic"`
	Reason string `json:"reason"`
}

// ReplyKind is which way the speaker is to answer.
type ReplyKind string

// The ways a reply is made.
const (
	KindAnswer   ReplyKind = "answer"   // from evidence
	KindUnknown  ReplyKind = "unknown"  // the unknown line
	KindWithhold ReplyKind = "withhold" // the refusal line
	KindSocial   ReplyKind = "social"   // an authored line for the intent
)

// Speech is a draft of what the NPC says, sentence by sentence.
type Speech struct {
	Sentences []DraftSentence `json:"sentences"`
	Attempt   int             `json:"attempt"`
	Speaker   string          `json:"speaker"` // "extractive", "authored" or a model's name
	// Run names one run of a streamed speech: each sentence of it is reviewed once.
	// Empty: the speech is reviewed whole.
	Run  string `json:"run,omitempty"`
	Base int    `json:"base,omitempty"` // how many sentences were released when the run began
}

// The speakers that are no model.
const (
	SpeakerExtractive = "extractive"
	SpeakerAuthored   = "authored"
)

// ByModel says whether a model wrote the draft.
func (s *Speech) ByModel() bool {
	return s != nil && s.Speaker != SpeakerExtractive && s.Speaker != SpeakerAuthored
}

// DraftSentence is a sentence of a draft with its citations.
type DraftSentence struct {
	Text      string     `json:"text"`
	Citations []Citation `json:"citations,omitempty"`
	Authored  bool       `json:"authored,omitempty"` // an authored line of the world or of the binary
}

// Citation ties a claim to the evidence that is to support it.
type Citation struct {
	Claim      string `json:"claim,omitempty"`
	EvidenceID string `json:"evidence_id"`
}

// Abort says why a turn ends without an answer.
type Abort struct {
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// Ending says that the turn ends with one authored line: what was to be said or
// heard was moderated away.
type Ending struct {
	Status schema.Status `json:"status"`
	Reason string        `json:"reason"`
	Line   string        `json:"line"` // the kind of authored line
	Detail string        `json:"detail,omitempty"`
}

// Validate says what is wrong with a turn, field first. A turn with an ending may
// have lost its message: moderation took it out.
func (t *Turn) Validate() error {
	if t.Ending == nil || t.Message != "" {
		return t.Request.Validate()
	}
	r := t.Request
	r.Message = "taken out"
	return r.Validate()
}
