package faithful

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
