package schema

import (
	"fmt"
	"strings"
)

// CheckQuery asks svc.check_grounding whether a text is grounded in sources. Neither
// the text nor its sources become evidence of any turn.
type CheckQuery struct {
	Text    string        `json:"text"`
	Sources []CheckSource `json:"sources"`
	// MaxSourcesPerClaim is how many sources a claim is held against, nearest first; default 5.
	MaxSourcesPerClaim int `json:"max_sources_per_claim,omitempty"`
	// MaxUnverifiableRatio is the share of claims that may be unverifiable in a text
	// that counts as grounded; absent: 0, every claim must be supported.
	MaxUnverifiableRatio float64 `json:"max_unverifiable_ratio,omitempty"`
}

// CheckSource is a text that claims may rest on.
type CheckSource struct {
	ChunkID string `json:"chunk_id"`
	Content string `json:"content"`
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
	case !(q.MaxUnverifiableRatio >= 0 && q.MaxUnverifiableRatio <= 1):
		return fmt.Errorf("%w: max_unverifiable_ratio is %v; it must lie between 0 and 1", ErrInvalid, q.MaxUnverifiableRatio)
	}
	for i := range q.Sources {
		s := &q.Sources[i]
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
	Error        string         `json:"error,omitempty"` // why there is no answer
}

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
