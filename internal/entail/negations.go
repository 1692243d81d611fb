package entail

import (
	"context"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Negations is the part of the rules that says what a text flatly denies: the claim
// is there word for word but for a negation. It holds whichever day the text
// speaks of, where the claim names none: who says that there is rye is not borne
// out by a page on which there was no rye in April. It supports nothing and refuses
// nothing else, and is meant for a claim of which no rule is sure.
type Negations struct{}

// Verify contradicts what is denied, and does not know the rest.
func (Negations) Verify(ctx context.Context, pairs []Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	b := batch{texts: map[string]*passage{}}
	for i, pair := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = unknown("no negation of it")
		if _, bad := unreadable(pair.Hypothesis); bad {
			continue
		}
		p, h := b.read(pair.Premise, maxPremise), b.read(pair.Hypothesis, maxHypothesis)
		if f := denial(findings(p, h, pair.Names, b.words(pair.Names.Known), nil)); f != nil {
			out[i] = contradicted(f.why, f.span)
		}
	}
	return out, nil
}

// denial is the negation among findings, where nothing but it is found.
func denial(all []finding) *finding {
	var out *finding
	for i := range all {
		switch f := &all[i]; {
		case f.doubt:
		case f.rule != "negation" || f.label != schema.Contradicted || f.conditional:
			return nil
		case out == nil:
			out = f
		}
	}
	return out
}
