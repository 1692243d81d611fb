package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/lab/logistic"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// example is a phrasing, measured.
type example struct {
	phrasing
	x    deed.Features
	fold int
	asks float64 // by a model that has not seen its NPC
}

// folds is how many parts the NPCs are cut into: a part is measured by models that were
// fitted on the others.
const folds = 6

// penalties of the three models.
const (
	ofAsks  = 2.0
	ofValue = 0.3
	ofMeant = 0.5
)

// trial is an example as a model reads it that was not fitted on its NPC.
type trial struct {
	example
	fit deed.Fit
}

func fitTo(ctx context.Context, encoder *keeping, all []phrasing, show bool) (deed.Fit, error) {
	examples, err := measured(ctx, encoder, all)
	if err != nil {
		return deed.Fit{}, err
	}
	for k := range folds {
		m := asksOf(without(examples, k))
		for i := range examples {
			if examples[i].fold == k {
				examples[i].asks = m.Probability(examples[i].x.Message)
			}
		}
	}
	var trials []trial
	for k := range folds {
		f := models(without(examples, k))
		for _, e := range examples {
			if e.fold == k {
				trials = append(trials, trial{e, f})
			}
		}
	}
	t := thresholds(trials)
	report(trials, t, show)
	f := models(examples)
	f.Thresholds, f.Encoder = t, encoder.ID()
	return f, nil
}

// measured are the phrasings as an author's NPC would meet them, and as a bare NPC would.
func measured(ctx context.Context, encoder *keeping, all []phrasing) ([]example, error) {
	r := deed.NewReaderWith(encoder, deed.Fit{})
	number := map[string]int{}
	var out []example
	for i, p := range all {
		if _, ok := number[p.Who]; !ok {
			number[p.Who] = len(number)
		}
		for _, specs := range [][]schema.ActionSpec{authored(all, i), p.specs} {
			x, err := r.Features(ctx, p.asked(), specs)
			if err != nil {
				return nil, err
			}
			out = append(out, example{phrasing: p, x: x, fold: number[p.Who] % folds})
		}
	}
	return out, nil
}

func without(all []example, fold int) []example {
	var out []example
	for _, e := range all {
		if e.fold != fold {
			out = append(out, e)
		}
	}
	return out
}

func asksOf(all []example) deed.Model {
	var rows []logistic.Row
	for _, e := range all {
		rows = append(rows, logistic.Row{X: e.x.Message, Right: !e.Want.None})
	}
	return modelOf(rows, ofAsks)
}

func modelOf(rows []logistic.Row, penalty float64) deed.Model {
	w := logistic.Fit(rows, penalty)
	return deed.Model{Weights: w[:len(w)-1], Bias: w[len(w)-1]}
}

// models fits the three, each on what the one before says.
func models(all []example) deed.Fit {
	f := deed.Fit{Asks: asksOf(all), Thresholds: deed.Thresholds{Value: valueFrom}}
	var values, meant []logistic.Row
	for _, e := range all {
		for _, a := range e.x.Actions {
			if a.Spec.Name != asked(e.Want) || e.Want.Reason != "" {
				continue
			}
			for name, of := range a.Values {
				right, there := e.Want.Parameters[name]
				for _, v := range of {
					values = append(values, logistic.Row{X: v.X, Right: there && right == v.Name})
				}
			}
		}
	}
	f.Value = modelOf(values, ofValue)
	for _, e := range all {
		for _, a := range e.x.Actions {
			meant = append(meant, logistic.Row{X: a.Example(f, e.x, e.asks), Right: a.Spec.Name == asked(e.Want)})
		}
	}
	f.Meant = modelOf(meant, ofMeant)
	return f
}

func write(path string, f deed.Fit) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil { //nolint:gosec // a file of the project
		return err
	}
	fmt.Println("written to", path)
	return nil
}
