package qdrant

import (
	"cmp"
	"context"
	"slices"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/store"
)

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
