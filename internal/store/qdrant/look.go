package qdrant

import (
	"cmp"
	"context"
	"errors"
	"slices"

	qd "github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// Documents is how many documents of a world a server has, for those who only look:
// nothing is made there, and where there is no collection there are none. It is an error
// where the collection is laid out otherwise than this build wants it, or where
// passages are missing that the world's manifest names.
func Documents(ctx context.Context, o Options, world, model string) (n int, err error) {
	l := corpusLayout()
	reached, err := reach(o, l)
	if err != nil {
		return 0, err
	}
	c, err := newCorpus(reached)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.checkServer(ctx); err != nil {
		return 0, err
	}
	there, err := c.exists(ctx)
	if err != nil || !there {
		return 0, err
	}
	if err := c.checkLayout(ctx, l); err != nil {
		return 0, err
	}
	m, err := c.manifest(ctx, world, model)
	if err != nil {
		return 0, err
	}
	return len(m.Documents), c.checkCounts(ctx, world, model, &m)
}

// checkLayout holds a collection against the schema without changing it.
func (c *Corpus) checkLayout(ctx context.Context, l layout) error {
	about, _, err := c.fits(ctx, l)
	if err != nil {
		return err
	}
	var missing []string
	for field := range l.indexes {
		if _, ok := about.GetPayloadSchema()[field]; !ok {
			missing = append(missing, field)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		return c.mismatch("has no index of the fields %q; the next start makes them", missing)
	}
	return nil
}

// checkCounts counts the passages of every document that a manifest names.
func (c *Corpus) checkCounts(ctx context.Context, world, model string, m *manifest) error {
	want := 0
	for _, e := range m.Documents {
		want += e.Passages
	}
	got, err := c.count(ctx, inWorld(world, model, m.Generation))
	if err == nil && got < want {
		err = c.damaged("it holds %d of the %d passages of world %.100q", got, want, world)
	}
	return err
}

// page gathers the first memories after an id.
type page struct {
	s     *Session
	after string
	limit int
	out   []store.MemoryPoint
}

// gather adds the memories of a filter in order of id, by the number of the
// level. Where a request ends between ids of one number, those of that number are
// gathered by the next level; tied says that after has had the numbers of all
// levels before this one.
func (p *page) gather(ctx context.Context, within []*qd.Condition, level int, tied bool) error {
	if level == orderLevels {
		rest, err := p.s.all(ctx, &qd.Filter{Must: within})
		if err == nil {
			p.add(rest)
		}
		return err
	}
	var from int64
	if tied {
		from = orderKey(p.after, level)
	}
	for first := from; len(p.out) < p.limit; {
		ask := min(p.limit-len(p.out)+1, pageSize)
		rows, err := p.ordered(ctx, within, level, from, ask)
		if err != nil {
			return err
		}
		if len(rows) < ask {
			p.add(rows)
			return nil
		}
		number := func(m store.MemoryPoint) int64 { return orderKey(m.Memory.ID, level) }
		last := number(rows[len(rows)-1])
		p.add(slices.DeleteFunc(rows, func(m store.MemoryPoint) bool { return number(m) == last }))
		of := append(slices.Clone(within), qd.NewMatchInt(orderField(level), last))
		if err := p.gather(ctx, of, level+1, tied && last == first); err != nil {
			return err
		}
		from = last + 1
	}
	return nil
}

// add appends those after the id, up to the limit.
func (p *page) add(rows []store.MemoryPoint) {
	byID(rows)
	for _, m := range rows {
		if m.Memory.ID > p.after && len(p.out) < p.limit {
			p.out = append(p.out, m)
		}
	}
}

func (p *page) ordered(
	ctx context.Context, within []*qd.Condition, level int, from int64, ask int,
) ([]store.MemoryPoint, error) {
	var found []*qd.RetrievedPoint
	err := p.s.do(ctx, "read memories", func(ctx context.Context) (err error) {
		found, err = p.s.client.Scroll(ctx, &qd.ScrollPoints{
			CollectionName: p.s.name, Filter: &qd.Filter{Must: within}, Limit: qd.PtrOf(uint32(ask)),
			WithPayload: qd.NewWithPayload(true), WithVectors: qd.NewWithVectors(true), ReadConsistency: p.s.consistency(),
			OrderBy: &qd.OrderBy{Key: orderField(level), Direction: qd.PtrOf(qd.Direction_Asc),
				StartFrom: qd.NewStartFromInt(from)},
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]store.MemoryPoint, len(found))
	for i, r := range found {
		if out[i], err = decode(r.GetPayload(), r.GetVectors()); err != nil {
			return nil, p.s.wrap("read memories", err)
		}
	}
	return out, nil
}

func byID(points []store.MemoryPoint) {
	slices.SortFunc(points, func(a, b store.MemoryPoint) int { return cmp.Compare(a.Memory.ID, b.Memory.ID) })
}

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
