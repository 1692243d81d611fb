package report

import (
	"cmp"
	"slices"
)

// Funnel is how much of what is said becomes memory, and what that costs.
type Funnel struct {
	Counted bool    `json:"counted"` // the turns and the calls were; what the log holds always is
	Turns   int     `json:"turns"`
	Partly  bool    `json:"turns_only,omitempty"` // of what the log does not hold, the turns alone were counted
	Steps   []Step  `json:"steps"`
	Calls   []Calls `json:"llm_calls,omitempty"`
	All     Calls   `json:"llm_calls_all"`
}

// Step is one narrowing.
type Step struct {
	Name string  `json:"name"`
	N    int     `json:"n"`
	Per  float64 `json:"per_1000_turns"` // nothing where there were no turns
	log  bool    // counted by the log
}

// funnel counts the last week. The first steps are given, the others are the log's;
// two that count differently show it here.
func funnel(in *Input, last Week) Funnel {
	var f Funnel
	read, extracted := 0, 0
	calls := map[string]*Calls{}
	for _, w := range in.Work {
		if weekOf(w.At, in.Now) != weeks-1 {
			continue
		}
		f.Counted = true
		f.Partly = f.Partly || w.TurnsOnly
		f.Turns, read, extracted = f.Turns+w.Turns, read+w.Read, extracted+w.Extracted
		for _, c := range w.Calls {
			if calls[c.Stage] == nil {
				calls[c.Stage] = &Calls{Stage: c.Stage}
			}
			calls[c.Stage].N += c.N
			calls[c.Stage].Cost += c.Cost
			f.All.N, f.All.Cost = f.All.N+c.N, f.All.Cost+c.Cost
		}
	}
	f.All.Stage = "all"
	for _, c := range calls {
		f.Calls = append(f.Calls, *c)
	}
	slices.SortFunc(f.Calls, func(a, b Calls) int { return cmp.Compare(a.Stage, b.Stage) })
	g := last.Grounding
	for _, s := range []Step{{Name: "turns", N: f.Turns}, {Name: "read for memories", N: read},
		{Name: "candidates", N: extracted},
		{Name: "grounded", N: g.Judged() + g.Unknown, log: true}, {Name: "stored", N: g.Stored, log: true}} {
		if f.Partly && !s.log && s.Name != "turns" {
			continue // not known is not none
		}
		s.Per = f.per(float64(s.N))
		f.Steps = append(f.Steps, s)
	}
	return f
}

// per scales a count to a thousand turns.
func (f Funnel) per(n float64) float64 {
	if f.Turns == 0 {
		return 0
	}
	return n * 1000 / float64(f.Turns)
}
