package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// CheckQuery asks svc.check_grounding whether a text is grounded in sources. Neither
// the text nor its sources become evidence of any turn.
type CheckQuery struct {
	Text string `json:"text"`
	// Sources are plain strings, or objects with an id.
	Sources []CheckSource `json:"sources"`
	// MaxSourcesPerClaim is how many sources a claim is held against, nearest first; default 5.
	MaxSourcesPerClaim int `json:"max_sources_per_claim,omitempty"`
	// MaxUnverifiableRatio is the share of claims that may be unverifiable in a text
	// that counts as grounded; default 0.5. 0: every claim must be supported.
	MaxUnverifiableRatio *float64 `json:"max_unverifiable_ratio,omitempty"`
	// Judge has the mesh's language model look at claims that the verifier leaves open.
	Judge bool `json:"judge,omitempty"`
}

// DefaultUnverifiableRatio is the share of claims that may be unverifiable where a query
// names none.
const DefaultUnverifiableRatio = 0.5

// Ratio is the share of claims that may be unverifiable.
func (q *CheckQuery) Ratio() float64 {
	if q.MaxUnverifiableRatio == nil {
		return DefaultUnverifiableRatio
	}
	return *q.MaxUnverifiableRatio
}

// CheckSource is a text that claims may rest on.
type CheckSource struct {
	ChunkID string `json:"chunk_id"`
	Content string `json:"content"`
}

// UnmarshalJSON takes a plain string for a source without an id.
func (s *CheckSource) UnmarshalJSON(data []byte) error {
	type plain CheckSource
	switch data = bytes.TrimSpace(data); {
	case bytes.HasPrefix(data, []byte{'"'}):
		*s = CheckSource{}
		return json.Unmarshal(data, &s.Content)
	case bytes.HasPrefix(data, []byte{'{'}) && json.Unmarshal(data, (*plain)(s)) == nil:
		return nil
	}
	return invalid("sources", "each one is a text, or an object such as {\"chunk_id\":…,\"content\":…}")
}

// Bounds of a query.
const (
	MaxCheckText    = 64 << 10 // bytes
	MaxCheckSources = 64
)

// Validate says what is wrong with a query, or is nil. Sources without an id get
// one: source-0, source-1 and so on.
func (q *CheckQuery) Validate() error {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return fmt.Errorf("%w: text is empty; give what is to be checked", ErrInvalid)
	case len(q.Text) > MaxCheckText:
		return fmt.Errorf("%w: text holds %d bytes; at most %d are read at a time", ErrInvalid, len(q.Text), MaxCheckText)
	case len(q.Sources) > MaxCheckSources:
		return fmt.Errorf("%w: %d sources; at most %d are read at a time", ErrInvalid, len(q.Sources), MaxCheckSources)
	case q.MaxSourcesPerClaim < 0 || q.MaxSourcesPerClaim > MaxCheckSources:
		return fmt.Errorf("%w: max_sources_per_claim is %d; it must lie between 1 and %d", ErrInvalid, q.MaxSourcesPerClaim,
			MaxCheckSources)
	case !(q.Ratio() >= 0 && q.Ratio() <= 1): // also what is no number
		return invalid("max_unverifiable_ratio", "is %v; it must lie between 0 and 1", q.Ratio())
	}
	for i := range q.Sources {
		s := &q.Sources[i]
		if strings.TrimSpace(s.Content) == "" {
			return fmt.Errorf("%w: sources[%d] is empty; give its text, as a string or as its content", ErrInvalid, i)
		}
		if len(s.Content) > MaxCheckText {
			return fmt.Errorf("%w: sources[%d] holds %d bytes; at most %d are read", ErrInvalid, i, len(s.Content), MaxCheckText)
		}
		if s.ChunkID == "" {
			s.ChunkID = fmt.Sprintf("source-%d", i)
		}
	}
	return nil
}

// CheckResult is the answer of svc.check_grounding. A text without claims is
// grounded; one with claims and no sources is not.
type CheckResult struct {
	Grounded     bool           `json:"grounded"`
	Reason       string         `json:"reason,omitempty"` // a code, where it is not grounded
	Claims       []CheckedClaim `json:"claims"`
	Total        int            `json:"total_claims"`
	Supported    int            `json:"supported"`
	Contradicted int            `json:"contradicted"`
	Unverifiable int            `json:"unverifiable"`
	Ratio        float64        `json:"unverifiable_ratio"`
	Summary      string         `json:"summary"`
	Judge        JudgeUse       `json:"judge,omitempty"` // what became of the judge, where the query asks for it
	Error        string         `json:"error,omitempty"` // why there is no answer
}

// JudgeUse says what became of a judge that a check asked for.
type JudgeUse string

// What becomes of the judge of a check.
const (
	JudgeAsked     JudgeUse = "asked"      // it gave its opinion of open claims
	JudgeNotNeeded JudgeUse = "not_needed" // no claim was open
	JudgeNone      JudgeUse = "none"       // there is no model, or it has shown no skill
	JudgeFailed    JudgeUse = "failed"     // it gave no answer
)

// CheckedClaim is one claim of the text.
type CheckedClaim struct {
	Claim      string      `json:"claim"`
	Verdict    Label       `json:"verdict"`
	Confidence float64     `json:"confidence"` // P(supported)
	Best       *BestSource `json:"best_source,omitempty"`
	Tier       string      `json:"tier"`
	Why        string      `json:"why,omitempty"`
	Escalated  bool        `json:"escalated"` // a tier behind the model was asked
}

// BestSource is the source that decided a claim, or came nearest.
type BestSource struct {
	ChunkID string  `json:"chunk_id"`
	Content string  `json:"content"`
	Span    string  `json:"span,omitempty"` // verbatim in the content
	Score   float64 `json:"score"`
}
