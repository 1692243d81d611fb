package protocol

import (
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ReviewVerdict is the outcome of a review.
type ReviewVerdict string

// The outcomes of a review.
const (
	Approved    ReviewVerdict = "APPROVED"
	IssuesFound ReviewVerdict = "ISSUES_FOUND"
)

// Review is the outcome of Pass 2.5 or 4.5.
type Review struct {
	Verdict     ReviewVerdict         `json:"verdict"`
	Issues      []schema.Issue        `json:"issues,omitempty"`
	RAVResolved int                   `json:"rav_resolved"`
	Attempt     int                   `json:"attempt"`
	Audit       schema.Audit          `json:"audit,omitempty"` // of the draft
	Claims      []schema.ClaimVerdict `json:"claims,omitempty"`
	Codes       []string              `json:"codes,omitempty"` // GROUNDING_…: why something was stripped
}

// ReviewRecord precedes each released sentence on review.<c>.<turn>. Of a speech
// that streams, each sentence leaves one, the refused ones too.
type ReviewRecord struct {
	TurnID   string                `json:"turn_id"`
	Seq      int                   `json:"seq"`
	Hash     string                `json:"hash"`     // of the sentence as released
	Evidence []string              `json:"evidence"` // chunk ids
	Claims   []schema.ClaimVerdict `json:"claims,omitempty"`
	Authored bool                  `json:"authored,omitempty"`

	Run   string `json:"run,omitempty"`       // of a streamed speech
	Part  int    `json:"part,omitempty"`      // which of its sentences, from 1
	Open  bool   `json:"open,omitempty"`      // left to the review of the whole speech, which asks the judge
	Calls int    `json:"llm_calls,omitempty"` // of a language model, for this sentence
	// Of llm_calls, those that took the sentence apart and judged its claims.
	ClaimCalls int `json:"claim_calls,omitempty"`

	Refused []schema.Issue `json:"refused,omitempty"` // why it is not released; Seq is then 0
	Draft   *DraftSentence `json:"draft,omitempty"`   // the refused sentence, as the model wrote it
	Ending  *Ending        `json:"ending,omitempty"`  // how the turn ends on it where nothing else is said

	// Actions are all of the decision, where the sentence promises one of them. The
	// place of an action in this list is its index for ever.
	Actions []schema.Action `json:"actions,omitempty"`

	// Faithfulness is what Guard 3 said of the reply. Of a speech that streams it
	// stands in a record of its own, behind those of the sentences.
	Faithfulness *schema.Faithfulness `json:"faithfulness,omitempty"`
}

// ActionRelease is the action of a policy that let a reply be.
const ActionRelease = "release"

// Try is a draft that was reviewed, kept while another is made to be measured
// against it.
type Try struct {
	Speech Speech `json:"speech"`
	Review Review `json:"review"`
}

// Reason codes of a check.
const (
	GroundingContradiction = "GROUNDING_CONTRADICTION" // a claim contradicts a source
	GroundingUnverifiable  = "GROUNDING_UNVERIFIABLE"  // more claims than allowed stand in no source
	GroundingNoSources     = "GROUNDING_NO_SOURCES"    // there was nothing to hold the text against
)
