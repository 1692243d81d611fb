// Package faithful is Guard 3: it scores a final reply by the verdicts that its
// claims have, says how large the risk is that the player is told what nothing
// supports, and what a policy does about it. It is pure and asks nobody: it does
// not find claims, does not verify them and rewrites no text.
package faithful

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Risk is how far a reply goes beyond what supports it.
type Risk string

// The risks, least first.
const (
	None   Risk = "none"
	Low    Risk = "low"
	Medium Risk = "medium"
	High   Risk = "high"
)

// Risks are all risks, least first.
func Risks() []Risk { return []Risk{None, Low, Medium, High} }

func (r Risk) rank() int {
	for i, other := range Risks() {
		if r == other {
			return i
		}
	}
	return -1
}

// worse is the larger of two risks.
func worse(a, b Risk) Risk {
	if b.rank() > a.rank() {
		return b
	}
	return a
}

// Finding is a claim that nothing supports.
type Finding struct {
	Claim    schema.ClaimVerdict `json:"claim"`
	Critical Matter              `json:"critical,omitempty"` // what makes it critical; empty: nothing
}

// Score is what Guard 3 says of a reply.
type Score struct {
	Claims       int       `json:"claims"`    // that count: of the world, its state and the shared past
	Supported    int       `json:"supported"` // of them
	Faithfulness float64   `json:"score"`     // supported / claims; 1 where nothing is claimed
	Unsupported  []Finding `json:"unsupported,omitempty"`
	Critical     int       `json:"critical"`
	ByCount      Risk      `json:"by_count"`
	ByScore      Risk      `json:"by_score"`
	Risk         Risk      `json:"risk"` // the worse of the two
}

// Of scores the claims of a reply. Names are those of the world, which are names
// however they are written.
func Of(claims []schema.ClaimVerdict, names Names, t guards.Risk) Score {
	s := Score{Faithfulness: 1}
	for _, c := range claims {
		if !Counts(c.Kind) {
			continue
		}
		s.Claims++
		if c.Verdict.Label == schema.Supported {
			s.Supported++
			continue
		}
		f := Finding{Claim: c, Critical: names.critical(c)}
		if f.Critical != "" {
			s.Critical++
		}
		s.Unsupported = append(s.Unsupported, f)
	}
	if s.Claims > 0 {
		s.Faithfulness = float64(s.Supported) / float64(s.Claims)
	}
	s.ByCount = byCount(len(s.Unsupported), s.Critical)
	s.ByScore = byScore(s.Faithfulness, t)
	s.Risk = worse(s.ByCount, s.ByScore)
	return s
}

// Again scores a reply that was scored before by other thresholds. What was critical
// stays so.
func Again(f *schema.Faithfulness, t guards.Risk) Score {
	s := Score{Claims: f.Claims, Supported: f.Supported, Faithfulness: f.Score, Critical: f.Critical}
	for _, c := range f.Unsupported {
		s.Unsupported = append(s.Unsupported, Finding{Claim: c})
	}
	s.ByCount, s.ByScore = byCount(len(s.Unsupported), s.Critical), byScore(s.Faithfulness, t)
	s.Risk = worse(s.ByCount, s.ByScore)
	return s
}

// Counts says whether a claim of a kind needs support: what an NPC feels needs
// none.
func Counts(k schema.ClaimKind) bool {
	return k == schema.ClaimWorld || k == schema.ClaimState || k == schema.ClaimSharedPast
}

// byCount is the first reading: how many claims lack support, and how many of
// them a player would act upon.
func byCount(unsupported, critical int) Risk {
	switch {
	case unsupported >= 3 || critical >= 2:
		return High
	case critical == 1:
		return Medium
	case unsupported > 0:
		return Low
	}
	return None
}

// byScore is the second reading: how much of the reply is supported.
func byScore(score float64, t guards.Risk) Risk {
	switch {
	case score >= 1:
		return None
	case score <= t.High:
		return High
	case score < t.Medium:
		return Medium
	}
	return None
}

// Summary is a score in one line.
func (s Score) Summary() string {
	return fmt.Sprintf("%d of %d claims supported (%.2f), %d critical without: risk %s", s.Supported, s.Claims,
		s.Faithfulness, s.Critical, s.Risk)
}
