package qdrant

import (
	"context"

	qd "github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// asked is how many counts are asked for at once.
const asked = 8

// Tally counts a scope and what is refused, each passage by the first reason that
// refuses it. What is of another world is never looked at.
func (c *Corpus) Tally(ctx context.Context, s store.Scope, model string) (store.Tally, error) {
	m, err := c.standing(ctx, s.World, model)
	if err != nil {
		return store.Tally{}, err
	}
	world := inWorld(s.World, model, m.Generation)
	view := with(world, known(s))
	filters := []*qd.Filter{world, view}
	passed := view
	rules := refusals(s)
	for _, r := range rules {
		passed = with(passed, r.must)
		filters = append(filters, passed)
	}
	open := allowed(s, model, m.Generation)
	filters = append(filters, open, with(open, qd.NewMatchInt(fieldOpens, 1)))
	n, err := c.counts(ctx, filters)
	if err != nil {
		return store.Tally{}, err
	}
	t := store.Tally{Open: n[len(n)-2], Documents: n[len(n)-1], Refused: map[string]int{}}
	if out := n[0] - n[1]; out > 0 {
		t.Refused["out_of_scope"] = out
	}
	for i, r := range rules {
		if lost := n[i+1] - n[i+2]; lost > 0 {
			t.Refused[r.reason] += lost
		}
	}
	return t, nil
}

// Held counts the documents in scope that hold each stem.
func (c *Corpus) Held(ctx context.Context, s store.Scope, model string, stems []string) ([]store.Holding, error) {
	m, err := c.standing(ctx, s.World, model)
	if err != nil {
		return nil, err
	}
	open := allowed(s, model, m.Generation)
	out := make([]store.Holding, len(stems))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(asked)
	for i, stem := range stems {
		group.Go(func() (err error) {
			n := int64(number(stem))
			h := &out[i]
			h.Documents, err = c.count(ctx, with(open, qd.NewMatchInt(fieldFresh, n)))
			if err != nil || h.Documents > 0 {
				h.Anywhere = true
				return err
			}
			there, err := c.count(ctx, with(open, qd.NewMatchInt(fieldStems, n)))
			h.Anywhere = there > 0
			return err
		})
	}
	return out, group.Wait()
}

func (c *Corpus) counts(ctx context.Context, filters []*qd.Filter) ([]int, error) {
	out := make([]int, len(filters))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(asked)
	for i, f := range filters {
		group.Go(func() (err error) {
			out[i], err = c.count(ctx, f)
			return err
		})
	}
	return out, group.Wait()
}
