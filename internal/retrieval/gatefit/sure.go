package main

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

// fitSure fits the gate that has the trained judgement's word: the gate's own logit
// and trust times what the judgement says, together scaled and shifted, so that two
// numbers are fitted and not thirty. How much the judgement is trusted is not fitted:
// the gate's features were found on the worlds that it is fitted on, and look better
// there than they are. The judged blocks are left out, for the judgement itself was
// trained on them.
func fitSure(ctx context.Context, sets []*set, f *retrieval.Fitted, odds, trust float64) error {
	names := []string{"both"}
	var rows []row
	for _, s := range sets {
		if s.judged {
			continue
		}
		if err := s.index.Use(*f); err != nil {
			return err
		}
		for _, a := range s.asks {
			if !fittedKinds[a.kind] {
				continue
			}
			e, err := s.explain(ctx, a)
			if err != nil {
				return err
			}
			if !e.Judged || len(e.Candidates) == 0 {
				continue
			}
			r := row{x: []float64{f.Gate.Logit(retrieval.GateNames(), e.Message) + trust*e.Answers[0]}, right: len(a.right) > 0 && a.answersRight(e.Candidates[0].Path),
				weight: a.weight, group: a.group, set: s.name}
			if r.right {
				r.weight *= odds
			}
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	m := logistic(rows, names, 0.1, nil)
	fmt.Printf("with the judgement, on %d: %+v\n", len(rows), m)
	scale := m.Weights["both"]
	f.Sure = retrieval.Model{Bias: m.Bias + scale*f.Gate.Bias, Weights: map[string]float64{"answers": scale * trust}}
	for name, w := range f.Gate.Weights {
		f.Sure.Weights[name] = scale * w
	}
	return nil
}
