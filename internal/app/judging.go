package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// Who judges for the guards of memory is chosen by verifier_model, judge_model and
// scorer_model. Here the choice finds those who are there; config has refused it where
// they are not.

// writeGuard is Guard 1. m is the language model of the process, or nil.
func writeGuard(o Options, t *Tiers, m *model.Model, library *lore.Library) (*write.Guard, error) {
	chosen := guards.Choose(o.guarded().Grounding.VerifierModel)
	verifier, err := grounder(o, t, chosen.Tier)
	if err != nil {
		return nil, err
	}
	guard, err := write.New(WriteSettings(o.guarded()), verifier, library.Predicates)
	if err != nil || chosen.Tier != guards.TierLLM {
		return guard, err
	}
	if m == nil {
		return guard.With(nobody{}), nil
	}
	return guard.With(m.Named(chosen.Name)), nil
}

// nobody is the language model of a process that has none, such as a command on the
// data folder: whatever would be asked of it stays without a verdict.
type nobody struct{}

func (nobody) Says(context.Context, *schema.Memory, string, string) (schema.Verdict, error) {
	return schema.Verdict{}, errors.New("no language model is set here")
}

// grounder is a verifier of two texts: rules, and behind them the tier that is chosen.
// Without the model in process what the rules leave open stays open.
func grounder(o Options, t *Tiers, tier string) (write.Verifier, error) {
	switch {
	case tier == guards.TierRules:
		return &groundedBy{rules: entail.NewRules()}, nil
	case tier == guards.TierSidecar:
		return &groundedBy{rules: entail.NewRules(), then: t.Sidecar, name: entail.TierSidecar}, nil
	case o.Verifying.NoModel:
		return nil, nil
	}
	model, err := NLI()
	if err != nil {
		return nil, nil //nolint:nilerr // that it is missing is told where the process starts
	}
	return &groundedBy{rules: entail.NewRules(), then: model, name: entail.TierModel}, nil
}

// groundedBy asks the rules, and then another tier. Unlike the cascade it says when
// that one failed: then there is no verdict yet, and a candidate waits.
type groundedBy struct {
	rules entail.Verifier
	then  entail.After // nil: the rules have the last word
	name  string
}

// Tier names who has the last word.
func (g *groundedBy) Tier() string {
	if g.then == nil {
		return entail.TierRule
	}
	return g.name
}

// Entails says whether a premise entails a hypothesis.
func (g *groundedBy) Entails(
	ctx context.Context, premise, hypothesis string,
) (score float64, label schema.Label, err error) {
	out, err := g.Verify(ctx, []entail.Pair{{Premise: premise, Hypothesis: hypothesis}})
	if err != nil {
		return 0, "", err
	}
	return out[0].Score, out[0].Label, nil
}

// Verify gives a verdict of each pair, or an error where the tier gives none.
func (g *groundedBy) Verify(ctx context.Context, pairs []entail.Pair) (out []schema.Verdict, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	out, err = g.rules.Verify(ctx, pairs)
	if err != nil || len(out) != len(pairs) || g.then == nil {
		return out, err
	}
	var open []int
	var ask []entail.Pair
	var before []schema.Verdict
	for i := range out {
		if !entail.Decides(out[i]) {
			open, ask, before = append(open, i), append(ask, pairs[i]), append(before, out[i])
		}
	}
	if len(open) == 0 {
		return out, nil
	}
	answers, err := g.then.VerifyAfter(ctx, ask, before)
	switch {
	case err != nil:
		return nil, err
	case len(answers) != len(ask):
		return nil, fmt.Errorf("%d verdicts for %d pairs", len(answers), len(ask))
	}
	for k, i := range open {
		out[i] = answers[k]
	}
	return out, nil
}

// scanTiers are who the nightly scan asks of two memories: a verifier, and a language
// model of what stays unclear.
func scanTiers(o Options, m *model.Model) (scan.Entailer, scan.Judge) {
	var entails scan.Entailer
	var judge scan.Judge
	chosen := guards.Choose(o.guarded().Consistency.JudgeModel)
	if chosen.Tier != guards.TierRules {
		if v, err := grounder(o, nil, guards.TierInProcess); err == nil && v != nil {
			entails = v
		}
	}
	if m != nil && (chosen.Tier == guards.TierLLM || chosen.Tier == "" && o.Judge) {
		judge = m.Named(chosen.Name)
	}
	return entails, judge
}

// scorer is who Guard 3 asks for a second opinion.
func scorer(o Options, t *Tiers, m *model.Model) (reviewer.Scorer, error) {
	f := o.guarded().Faithfulness
	chosen := guards.Choose(f.Model)
	switch {
	case !f.Enabled || chosen.Tier == "":
		return reviewer.Scorer{}, nil
	case chosen.Tier == guards.TierLLM:
		return reviewer.Scorer{Model: m.Named(chosen.Name)}, nil
	}
	v, err := grounder(o, t, chosen.Tier)
	if err != nil || v == nil {
		return reviewer.Scorer{}, err
	}
	return reviewer.Scorer{Verifier: v.(*groundedBy)}, nil
}
