package schema

import "strconv"

// Origin is who made a text.
type Origin string

// The origins of a text. Only corpus grounds a claim about the world.
const (
	OriginCorpus Origin = "corpus"
	OriginUser   Origin = "user"
	OriginModel  Origin = "model"
	OriginSystem Origin = "system"
)

// Sentence is a released sentence, as the player reads it.
type Sentence struct {
	Seq      int           `json:"seq"` // from 1
	Text     string        `json:"text"`
	Authored bool          `json:"authored,omitempty"`
	Evidence []EvidenceRef `json:"evidence"`
	Hash     string        `json:"hash"`            // of Text; the review record carries the same
	AtMS     int64         `json:"at_ms,omitempty"` // when it was released, since accepted_at; 0: not noted
}

// EvidenceRef is evidence as a reply shows it.
type EvidenceRef struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Page    int    `json:"page,omitempty"` // from 1, of a document of several pages
	Text    string `json:"text"`
	Source  Origin `json:"source"`
	ChunkID string `json:"chunk_id,omitempty"`
}

// Place is a path with its page, where the document has several.
func Place(path string, page int) string {
	if page == 0 {
		return path
	}
	return path + ", page " + strconv.Itoa(page)
}

// Stripped is a sentence that was not released, and why.
type Stripped struct {
	Text    string   `json:"text"`
	Issue   Issue    `json:"issue"`
	Verdict *Verdict `json:"verdict,omitempty"`
}

// Action is an action an NPC intends, with the outcome of its check.
type Action struct {
	Name       string         `json:"name"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Promised   bool           `json:"promised,omitempty"` // a sentence speaks of it
	Phrase     string         `json:"phrase,omitempty"`   // the authored phrase that promises it
	Confirm    bool           `json:"confirm,omitempty"`
	Checked    bool           `json:"checked"`
	Confirmed  bool           `json:"confirmed,omitempty"` // the game has accepted it already
	Refused    string         `json:"refused,omitempty"`   // why the check failed
	// as proposed to the game in a scene, whose subject names neither: who acts, and for whom
	NPC    string `json:"npc,omitempty"`
	Player string `json:"player,omitempty"`
}

// Pass names a step of a turn.
type Pass string

// The passes in the order a turn takes them.
const (
	PassRetrieve      Pass = "retrieve"
	PassThink         Pass = "think"
	PassReviewThought Pass = "review-thought"
	PassDecide        Pass = "decide"
	PassSpeak         Pass = "speak"
	PassReviewSpeech  Pass = "review-speech"
	PassAct           Pass = "act"
	PassDone          Pass = "done" // no subject: the reply is published
)

// PassRecord is what one run of a pass cost.
type PassRecord struct {
	Pass      Pass    `json:"pass"`
	Hop       int     `json:"hop"`
	Attempt   int     `json:"attempt"`
	StartMS   float64 `json:"start_ms"` // since accepted_at
	TookMS    float64 `json:"took_ms"`
	Tokens    int     `json:"tokens,omitempty"`     // sent and written
	TokensOut int     `json:"tokens_out,omitempty"` // of them, written by models
	Cost      float64 `json:"cost,omitempty"`
	LLMCalls  int     `json:"llm_calls,omitempty"`
	// Of llm_calls, those that took sentences apart and judged their claims.
	ClaimCalls int     `json:"claim_calls,omitempty"`
	LLMMS      float64 `json:"llm_ms,omitempty"` // of took_ms, the time that its calls to models took
	Note       string  `json:"note,omitempty"`
}
