package review

import (
	"cmp"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// contradictedFrom is P(contradiction) from which a sentence that is not supported is
// called contradicted.
const contradictedFrom = 0.85

// inForce is the score from which a sentence is supported.
func (l *line) inForce(r *Reviewer, judged bool) float64 {
	level := l.Level
	switch {
	case l.Support > 0:
		return l.Support
	case level == "" && judged:
		level = grounding.Balanced
	case level == "":
		level = grounding.Strict
	}
	return r.Fit.Line(level, judged)
}

// policy turns scores into verdicts by the line in force.
func (l *line) policy(r *Reviewer) {
	for i := range l.out {
		o := &l.out[i]
		if !o.open() || len(o.Issues) > 0 {
			continue
		}
		line := l.inForce(r, o.judged)
		o.Verdict.Line = line
		switch {
		case !o.known && !o.judged:
			o.Verdict.Label, o.Verdict.Score = schema.Unverifiable, 0
		case o.known && o.Kind != entail.KindWorld:
			o.Verdict.Label, o.Verdict.Why = schema.Supported, "it claims nothing that needs proof"
		case o.Verdict.Score >= line:
			o.Verdict.Label = schema.Supported
		case o.denied || o.reading.Contradicted >= cmp.Or(l.Denial, contradictedFrom):
			o.Verdict.Label = schema.Contradicted
		default:
			o.Verdict.Label = schema.Unverifiable
		}
	}
}
