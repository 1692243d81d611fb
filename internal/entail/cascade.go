package entail

import (
	"context"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Cascade asks its tiers in order; each pair goes on until a tier decides it. A
// tier that fails, times out, panics or answers out of shape is passed over for
// those pairs. The last word is not supported.
type Cascade struct{ tiers []Verifier }

// After is a tier that is told what the tiers before it said: the last of them, or
// the rules where they doubt a pair, for no tier's uncertainty ends a doubt.
type After interface {
	Verifier
	VerifyAfter(ctx context.Context, pairs []Pair, before []schema.Verdict) ([]schema.Verdict, error)
}

// NewCascade makes a cascade, cheapest tier first.
func NewCascade(tiers ...Verifier) *Cascade { return &Cascade{tiers: tiers} }

// Verify never returns an error of a tier: a pair that no tier could judge is
// unverifiable and says so.
func (c *Cascade) Verify(ctx context.Context, pairs []Pair) ([]schema.Verdict, error) {
	out := c.once(ctx, pairs)
	c.unwrapped(ctx, pairs, out)
	return out, nil
}

// once asks the tiers.
func (c *Cascade) once(ctx context.Context, pairs []Pair) []schema.Verdict {
	out := make([]schema.Verdict, len(pairs))
	open, doubts := make([]int, len(pairs)), make([]schema.Verdict, len(pairs))
	for i := range pairs {
		open[i] = i
		out[i] = schema.Verdict{Label: schema.Unverifiable, Tier: TierNone, Why: "no tier gave an answer"}
	}
	for _, tier := range c.tiers {
		if len(open) == 0 {
			break
		}
		ask, before := make([]Pair, len(open)), make([]schema.Verdict, len(open))
		for k, i := range open {
			ask[k], before[k] = pairs[i], out[i]
			if Doubts(doubts[i]) {
				before[k] = doubts[i]
			}
		}
		answers, err := guarded(ctx, tier, ask, before)
		rest := open[:0:0]
		for k, i := range open {
			if err != nil {
				out[i].Why = joinWhy(out[i].Why, "a tier failed: "+oneLine(err.Error()))
			} else {
				out[i] = merged(out[i], doubts[i], answers[k])
			}
			if Doubts(out[i]) {
				doubts[i] = out[i]
			}
			if !Decides(out[i]) {
				rest = append(rest, i)
			}
		}
		open = rest
	}
	return out
}

// merged keeps what earlier tiers said where the later one says no more: a doubt of
// the rules is a reason, and what they merely did not know is none.
func merged(before, doubt, now schema.Verdict) schema.Verdict {
	switch {
	case Decides(now) || before.Tier == TierNone:
	case Doubts(doubt):
		now.Why = joinWhy(doubt.Why, now.Why)
	}
	return now
}

func joinWhy(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "" || strings.HasSuffix(a, b):
		return a
	}
	return a + "; " + b
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

// guarded calls a tier, turns a panic into an error and checks the answer's shape.
func guarded(ctx context.Context, v Verifier, pairs []Pair, before []schema.Verdict) (out []schema.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	if after, ok := v.(After); ok {
		out, err = after.VerifyAfter(ctx, pairs, before)
	} else {
		out, err = v.Verify(ctx, pairs)
	}
	if err != nil {
		return nil, err
	}
	if err = wellFormed(pairs, out); err != nil {
		return nil, err
	}
	return out, nil
}
