package schema

// ClaimKind is what a claim is about, and so what may ground it.
type ClaimKind string

// The kinds of claim. None is only a sentence from which no proposition about
// the world, the state or the past can be taken.
const (
	ClaimWorld      ClaimKind = "world"
	ClaimState      ClaimKind = "state"
	ClaimSharedPast ClaimKind = "shared_past"
	ClaimSelf       ClaimKind = "self"
	ClaimNone       ClaimKind = "none"
)

// Label is a verifier's answer.
type Label string

// The labels of a verdict.
const (
	Supported    Label = "supported"
	Contradicted Label = "contradicted"
	Unverifiable Label = "unverifiable"
)

// Verdict is a judgement of one claim against evidence.
type Verdict struct {
	Label    Label   `json:"verdict"`
	Score    float64 `json:"score"`         // P(supported), one scale over all tiers
	Tier     string  `json:"tier"`          // rule, model, sidecar, judge
	Line     float64 `json:"line,omitzero"` // the score from which it is supported, where one was in force
	Evidence string  `json:"evidence,omitempty"`
	Span     string  `json:"span,omitempty"`  // verbatim in the evidence
	Why      string  `json:"why,omitempty"`   // which name, which number, which negation
	Final    bool    `json:"final,omitempty"` // unverifiable, and no later tier may say otherwise
}

// IssueType is what a review found wrong.
type IssueType string

// The issue types of a review.
const (
	IssueUncited       IssueType = "UNCITED"
	IssueInvalidSource IssueType = "INVALID_SOURCE"
	IssueNotEntailed   IssueType = "NOT_ENTAILED"
	IssueSelfMisuse    IssueType = "SELF_MISUSE"
	IssueEvasion       IssueType = "EVASION"
	IssueContradicted  IssueType = "CONTRADICTED"
	IssueSecret        IssueType = "SECRET"
	IssueModerated     IssueType = "MODERATED" // the world's moderation did not allow it, or gave no verdict
	IssueLanguage      IssueType = "LANGUAGE"  // no quotation, in a language whose suite has not passed
	IssueForm          IssueType = "FORM"      // length, stage directions, markup, prompt text: how it is said, not what
)

// Issue is one finding of a review.
type Issue struct {
	Claim      string    `json:"claim"`
	Type       IssueType `json:"issue_type"`
	Citation   string    `json:"citation,omitempty"`
	Correction string    `json:"correction,omitempty"`
}

// ClaimVerdict is a claim of the draft with its verdict.
type ClaimVerdict struct {
	Claim    string    `json:"claim"`
	Kind     ClaimKind `json:"kind"`
	Citation string    `json:"citation,omitempty"`
	Verdict  Verdict   `json:"verdict"`
	// Split says who took a compound sentence apart; empty: nobody was asked to.
	Split SplitBy `json:"split,omitempty"`
	Parts []Part  `json:"parts,omitempty"` // what it was taken apart into
}

// SplitBy is who took a sentence apart into its claims.
type SplitBy string

// Who takes a sentence apart. Rules do where a model gives no split of this sentence.
const (
	SplitModel SplitBy = "model"
	SplitRules SplitBy = "rules"
)

// Part is one claim of a sentence that was taken apart.
type Part struct {
	Claim   string  `json:"claim"`
	Verdict Label   `json:"verdict"`
	Score   float64 `json:"score"`
}

// Audit describes a draft's citations. What is released is always fully cited.
type Audit string

// The audits of a draft.
const (
	FullyCited     Audit = "fully_cited"
	PartiallyCited Audit = "partially_cited"
	Uncited        Audit = "uncited"
)

// Faithfulness is what Guard 3 says of a reply: of the last draft as the review
// found it, so of what is released with what was taken out of it.
type Faithfulness struct {
	Score       float64        `json:"score"` // supported / claims
	Claims      int            `json:"claims"`
	Supported   int            `json:"supported"`
	Critical    int            `json:"critical,omitempty"` // of those without support
	Unsupported []ClaimVerdict `json:"unsupported,omitempty"`
	Risk        string         `json:"risk"`           // none, low, medium, high
	Policy      string         `json:"policy"`         // warn, regenerate, block
	Action      string         `json:"action"`         // what it did: release, warn, regenerate, block
	Kept        int            `json:"kept,omitempty"` // regenerate: which of the two tries, 1 or 2
	Sentences   []Doubted      `json:"sentences,omitempty"`
	// Corrected is the place of the sentence by which the NPC says that it is not sure; 0: there is none.
	Corrected int `json:"corrected,omitempty"`
}

// Doubted are the places of the released sentences that hold a claim without support.
func (f *Faithfulness) Doubted() []int {
	var out []int
	for _, s := range f.Sentences {
		if s.Seq > 0 {
			out = append(out, s.Seq)
		}
	}
	return out
}

// Doubted is a sentence that makes a claim without support. The player was told it where
// a second opinion differs from the review; else it was taken out.
type Doubted struct {
	Seq    int      `json:"seq,omitempty"` // its place in the reply; 0: it was not released
	Text   string   `json:"text"`
	Claims []string `json:"claims"` // those without support
}
