// Package faithful is Guard 3: it scores a final reply by the verdicts that its
// claims have, says how large the risk is that the player is told what nothing
// supports, and what a policy does about it. It is pure and asks nobody: it does
// not find claims, does not verify them and rewrites no text.
package faithful

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/text"
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

// Sentence is a sentence of a draft. Claims are those that are known to be its own; any
// claim that stands in its words is, too.
type Sentence struct {
	Text   string
	Claims []schema.ClaimVerdict
}

func (s Sentence) makes(claim string) bool {
	return holds(s.Text, claim) ||
		slices.ContainsFunc(s.Claims, func(c schema.ClaimVerdict) bool { return c.Claim == claim })
}

// holds says whether the words of one text stand in another.
func holds(long, short string) bool {
	short = text.Fold(short)
	return short != "" && strings.Contains(text.Fold(long), short)
}

// Doubted are the sentences of a draft that make the claims without support, in their order.
func (s Score) Doubted(draft []Sentence) []schema.Doubted {
	found := make([][]string, len(draft))
	for _, u := range s.Unsupported {
		at := slices.IndexFunc(draft, func(d Sentence) bool { return d.makes(u.Claim.Claim) })
		if at >= 0 {
			found[at] = append(found[at], u.Claim.Claim)
		}
	}
	var out []schema.Doubted
	for i, d := range draft {
		if len(found[i]) > 0 {
			out = append(out, schema.Doubted{Text: d.Text, Claims: found[i]})
		}
	}
	return out
}

// Placed are doubted sentences with their places among what was said. spoken is a drafted
// sentence in the NPC's words.
func Placed(doubted []schema.Doubted, said []schema.Sentence, spoken func(string) string) []schema.Doubted {
	out := slices.Clone(doubted)
	for i := range out {
		out[i].Seq = 0
		for _, s := range said {
			if !s.Authored && (s.Text == out[i].Text || holds(spoken(out[i].Text), s.Text)) {
				out[i].Seq, out[i].Text = s.Seq, s.Text
				break
			}
		}
	}
	return out
}

// Step is what a policy does with a scored reply.
type Step string

// The steps.
const (
	Release    Step = "release"    // as it is
	Annotate   Step = "warn"       // as it is; the record and the event are marked
	Regenerate Step = "regenerate" // once more, with the issues as feedback
	Refuse     Step = "block"      // the unknown line instead
)

// Next is what a policy does with a reply. A policy that nobody knows releases
// nothing that is unsupported.
func Next(policy string, s Score) Step {
	switch policy {
	case guards.PolicyWarn:
		if s.Risk == Medium || s.Risk == High {
			return Annotate
		}
		return Release
	case guards.PolicyRegenerate:
		if s.Risk == High {
			return Regenerate
		}
		return Release
	}
	if len(s.Unsupported) > 0 {
		return Refuse
	}
	return Release
}

// Better says whether the second of two tries is said instead of the first. It
// never has more claims without support, and where the two are alike the first
// stays, for it was not made to please the score.
func Better(first, second Score) bool {
	a, b := len(first.Unsupported), len(second.Unsupported)
	switch {
	case b > a || second.Risk.rank() > first.Risk.rank() || second.Critical > first.Critical:
		return false
	case b < a || second.Critical < first.Critical || second.Risk.rank() < first.Risk.rank():
		return true
	}
	return second.Faithfulness > first.Faithfulness
}

// Feedback are the claims without support, as a second try is told of them.
func Feedback(s Score) []schema.Issue {
	out := make([]schema.Issue, 0, len(s.Unsupported))
	for _, f := range s.Unsupported {
		issue := schema.Issue{Claim: f.Claim.Claim, Type: schema.IssueNotEntailed, Citation: f.Claim.Citation}
		if f.Claim.Verdict.Label == schema.Contradicted {
			issue.Type = schema.IssueContradicted
		}
		issue.Correction = "leave it out, or say only what the evidence says"
		if f.Critical != "" {
			issue.Correction = fmt.Sprintf("it states %s that the evidence does not; leave it out", f.Critical)
		}
		out = append(out, issue)
	}
	return out
}
