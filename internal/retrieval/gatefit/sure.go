package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

// fitSure fits the gate that has the trained judgement's word: the gate's own logit
// and what the judgement says, so that three numbers are fitted and not thirty. The
// judged blocks that the judgement was trained on are left out: it is surer of them than of what is new.
func fitSure(ctx context.Context, sets []*set, f *retrieval.Fitted, odds float64) error {
	names := append([]string{"gate"}, retrieval.AnswerNames()...)
	var rows []row
	for _, s := range sets {
		if s.judged && !s.unseen {
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
			r := row{x: append([]float64{f.Gate.Logit(retrieval.GateNames(), e.Message)}, e.Answers...), right: len(a.right) > 0 && a.answersRight(e.Candidates[0].Path),
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
	m := logistic(rows, names, 0.1, map[string]bool{"answers_asked": true, "answers_next": true})
	fmt.Printf("with the judgement, on %d: %+v\n", len(rows), m)
	scale := m.Weights["gate"]
	f.Sure = retrieval.Model{Bias: m.Bias + scale*f.Gate.Bias, Weights: map[string]float64{}}
	for name, w := range f.Gate.Weights {
		f.Sure.Weights[name] = scale * w
	}
	delete(m.Weights, "gate")
	maps.Copy(f.Sure.Weights, m.Weights)
	return nil
}
