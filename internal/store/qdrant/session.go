package qdrant

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// Session keeps memories in the collection "session".
type Session struct {
	*collection
	// counting is held while counts of use are read and written back, which the
	// server cannot do in one step.
	counting sync.Mutex
}

var _ store.Session = (*Session)(nil)

// OpenSession connects to a server and makes the collection where there is none.
// A server that does not answer is an error that wraps store.ErrUnavailable.
func OpenSession(ctx context.Context, o Options) (*Session, error) {
	c, err := open(ctx, o, sessionLayout())
	if err != nil {
		return nil, err
	}
	return &Session{collection: c}, nil
}

func sessionLayout() layout {
	return layout{kind: "session", distance: qd.Distance_Cosine, indexes: memoryIndexes(), version: 1}
}

// Put writes points. Of a batch that fails half-way a part may stand; put again,
// all of it does.
func (s *Session) Put(ctx context.Context, points []store.MemoryPoint) error {
	batch := map[string]*store.MemoryPoint{} // of two with one id the later counts
	for i := range points {
		p := &points[i]
		if err := store.CheckPoint(p); err != nil {
			return err
		}
		if n := len(p.Vector); n > 0 && n != s.o.Dimension {
			return s.wrap("write memories",
				fmt.Errorf("memory %s: its vector has %d dimensions and the collection %d", p.Memory.ID, n, s.o.Dimension))
		}
		batch[memoryID(p.Memory.World, p.Memory.ID).GetUuid()] = p
	}
	ids := make([]string, 0, len(batch))
	for id := range batch {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for part := range slices.Chunk(ids, pageSize) {
		if err := s.put(ctx, part, batch); err != nil {
			return err
		}
	}
	return nil
}

// put writes a part of a batch; a known point keeps its count of uses.
func (s *Session) put(ctx context.Context, ids []string, batch map[string]*store.MemoryPoint) error {
	s.counting.Lock()
	defer s.counting.Unlock()
	known := make([]*qd.PointId, len(ids))
	for i, id := range ids {
		known[i] = qd.NewIDUUID(id)
	}
	uses, err := s.uses(ctx, known)
	if err != nil {
		return err
	}
	out := make([]*qd.PointStruct, len(ids))
	for i, id := range ids {
		p := *batch[id]
		if u, ok := uses[id]; ok {
			p.Accessed, p.LastUsed = u.count, u.last
		}
		if out[i], err = encode(&p); err != nil {
			return s.wrap("write memories", err)
		}
	}
	return s.upsert(ctx, "write memories", out...)
}

// use is how often and when a memory was used.
type use struct {
	count int
	last  time.Time
}

// uses are those of the points that are there.
func (s *Session) uses(ctx context.Context, ids []*qd.PointId) (map[string]use, error) {
	found, err := s.points(ctx, "read counts of use", ids, qd.NewWithPayloadInclude(fieldAccessed, fieldLastUsed), false)
	if err != nil {
		return nil, err
	}
	out := map[string]use{}
	for _, p := range found {
		last, err := lastUsed(p.GetPayload())
		if err != nil {
			return nil, s.wrap("read counts of use", err)
		}
		out[p.GetId().GetUuid()] = use{int(p.GetPayload()[fieldAccessed].GetIntegerValue()), last}
	}
	return out, nil
}

// Touch counts one use of each of the memories.
func (s *Session) Touch(ctx context.Context, world string, ids []string, at time.Time) error {
	for part := range slices.Chunk(ids, pageSize) {
		points := make([]*qd.PointId, len(part))
		for i, id := range part {
			points[i] = memoryID(world, id)
		}
		if err := s.touch(ctx, points, at); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) touch(ctx context.Context, points []*qd.PointId, at time.Time) error {
	s.counting.Lock()
	defer s.counting.Unlock()
	uses, err := s.uses(ctx, points)
	if err != nil {
		return err
	}
	together := map[use][]*qd.PointId{} // what will have the same count is written at once
	for id, u := range uses {
		u.count++
		if at.After(u.last) {
			u.last = at.UTC()
		}
		together[u] = append(together[u], qd.NewIDUUID(id))
	}
	for u, points := range together {
		if err := s.setUses(ctx, points,
			payload{fieldAccessed: qd.NewValueInt(int64(u.count)), fieldLastUsed: timeValue(u.last)}); err != nil {
			return err
		}
	}
	return nil
}

// Gather counts the uses of some memories as another's: theirs are taken first, so
// that what ends in between loses uses and never counts one twice.
func (s *Session) Gather(ctx context.Context, world, into string, from []string) error {
	s.counting.Lock()
	defer s.counting.Unlock()
	canonical := memoryID(world, into)
	ids := []*qd.PointId{canonical}
	for _, id := range from {
		if id != into {
			ids = append(ids, memoryID(world, id))
		}
	}
	uses, err := s.uses(ctx, ids)
	sum, known := uses[canonical.GetUuid()]
	if err != nil || !known {
		return err
	}
	var emptied []*qd.PointId
	for _, id := range ids[1:] {
		u := uses[id.GetUuid()]
		if u.last.After(sum.last) {
			sum.last = u.last
		}
		if u.count > 0 {
			sum.count, emptied = sum.count+u.count, append(emptied, id)
		}
	}
	if len(emptied) > 0 {
		if err := s.setUses(ctx, emptied, payload{fieldAccessed: qd.NewValueInt(0)}); err != nil {
			return err
		}
	}
	return s.setUses(ctx, []*qd.PointId{canonical},
		payload{fieldAccessed: qd.NewValueInt(int64(sum.count)), fieldLastUsed: timeValue(sum.last)})
}

func (s *Session) setUses(ctx context.Context, points []*qd.PointId, p payload) error {
	return s.do(ctx, "count uses", func(ctx context.Context) error {
		_, err := s.client.SetPayload(ctx, &qd.SetPayloadPoints{
			CollectionName: s.name, Wait: qd.PtrOf(true), Ordering: s.ordering(qd.WriteOrderingType_Medium),
			PointsSelector: qd.NewPointsSelectorIDs(points), Payload: p,
		})
		return err
	})
}

// Get is one point.
func (s *Session) Get(ctx context.Context, world, id string) (store.MemoryPoint, error) {
	found, err := s.points(ctx, "read a memory", []*qd.PointId{memoryID(world, id)}, qd.NewWithPayload(true), true)
	if err != nil {
		return store.MemoryPoint{}, err
	}
	if len(found) == 0 {
		return store.MemoryPoint{}, fmt.Errorf("memory %.100q of world %.100q: %w", id, world, store.ErrNotFound)
	}
	out, err := decode(found[0].GetPayload(), found[0].GetVectors())
	return out, s.wrap("read a memory", err)
}

// Scroll is a page of points in order of id.
func (s *Session) Scroll(
	ctx context.Context, f store.MemoryFilter, after string, limit int,
) ([]store.MemoryPoint, error) {
	if err := f.Check(); err != nil || f.NamesNone() {
		return nil, err
	}
	where := conditions(&f)
	if limit >= 1 {
		p := &page{s: s, after: after, limit: limit}
		err := p.gather(ctx, where.GetMust(), 0, true)
		return p.out, err
	}
	out, err := s.all(ctx, where)
	if err != nil {
		return nil, err
	}
	byID(out)
	return slices.DeleteFunc(out, func(m store.MemoryPoint) bool { return m.Memory.ID <= after }), nil
}

// all are the memories of a filter, in no order.
func (s *Session) all(ctx context.Context, where *qd.Filter) ([]store.MemoryPoint, error) {
	var out []store.MemoryPoint
	err := s.each(ctx, "read memories", where, true, func(p *qd.RetrievedPoint) error {
		m, err := decode(p.GetPayload(), p.GetVectors())
		out = append(out, m)
		return s.wrap("read memories", err)
	})
	return out, err
}

// Nearest are the points with the highest cosine.
func (s *Session) Nearest(
	ctx context.Context, f store.MemoryFilter, model string, v []float32, k int,
) ([]store.Scored, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	unit, err := store.Unit(v)
	if err != nil {
		return nil, s.wrap("search", err)
	}
	if len(v) != s.o.Dimension {
		return nil, s.wrap("search", fmt.Errorf("a vector of %d dimensions; the collection has %d", len(v), s.o.Dimension))
	}
	if k < 1 || f.NamesNone() {
		return nil, nil
	}
	where := conditions(&f)
	where.Must = append(where.Must, qd.NewMatchKeyword(fieldModel, valid(model)))
	// Of those that are as near as the last, the server takes any: so they are
	// asked for until one is farther.
	for ask := k + 1; ; ask *= 2 {
		out, err := s.nearest(ctx, where, unit, ask)
		if err != nil {
			return nil, err
		}
		if len(out) < ask || out[ask-1].Score < out[k-1].Score {
			return out[:min(k, len(out))], nil
		}
	}
}

// nearest are as many as are asked for, best first and equal ones by id.
func (s *Session) nearest(ctx context.Context, where *qd.Filter, v []float32, ask int) ([]store.Scored, error) {
	var found []*qd.ScoredPoint
	err := s.do(ctx, "search", func(ctx context.Context) (err error) {
		found, err = s.client.Query(ctx, &qd.QueryPoints{
			CollectionName: s.name, Query: qd.NewQueryDense(v), Using: qd.PtrOf(vectorName), Filter: where,
			Limit: qd.PtrOf(uint64(ask)), Params: &qd.SearchParams{Exact: qd.PtrOf(true)},
			WithPayload: qd.NewWithPayload(true), WithVectors: qd.NewWithVectors(true), ReadConsistency: s.consistency(),
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]store.Scored, len(found))
	for i, p := range found {
		out[i].Score = float64(p.GetScore())
		if out[i].MemoryPoint, err = decode(p.GetPayload(), p.GetVectors()); err != nil {
			return nil, s.wrap("search", err)
		}
	}
	slices.SortFunc(out, func(a, b store.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	return out, nil
}

// Count is how many points the filter names.
func (s *Session) Count(ctx context.Context, f store.MemoryFilter) (int, error) {
	if err := f.Check(); err != nil || f.NamesNone() {
		return 0, err
	}
	return s.count(ctx, conditions(&f))
}

// Delete removes points until none is left that the filter names. The server
// frees their bytes when it next rewrites the segment that they lie in.
func (s *Session) Delete(ctx context.Context, f store.MemoryFilter) (int, error) {
	if err := f.Check(); err != nil || f.NamesNone() {
		return 0, err
	}
	where, n := conditions(&f), 0
	for {
		var found []*qd.RetrievedPoint
		err := s.do(ctx, "delete memories", func(ctx context.Context) (err error) {
			found, err = s.client.Scroll(ctx, &qd.ScrollPoints{
				CollectionName: s.name, Filter: where, Limit: qd.PtrOf(uint32(deleteSize)),
				WithPayload: qd.NewWithPayload(false), ReadConsistency: s.consistency(),
			})
			return err
		})
		if err != nil || len(found) == 0 {
			return n, err
		}
		ids := make([]*qd.PointId, len(found))
		for i, p := range found {
			ids[i] = p.GetId()
		}
		if err := s.deleteIDs(ctx, ids); err != nil {
			return n, err
		}
		n += len(ids)
	}
}

// deleteSize is how many points a request deletes; their ids are short.
const deleteSize = 4096

// A mark is a point of its own, of no world.
const (
	fieldMark  = "mark"
	fieldValue = "value"
)

func markID(key string) *qd.PointId { return pointID("mark", key) }

// Mark keeps a small value beside the points.
func (s *Session) Mark(ctx context.Context, key, value string) error {
	return s.upsert(ctx, "write mark "+key, &qd.PointStruct{
		Id: markID(key), Vectors: noVectors(),
		Payload: payload{fieldMark: qd.NewValueString(valid(key)), fieldValue: qd.NewValueString(valid(value))},
	})
}

// Marked is the value of a key.
func (s *Session) Marked(ctx context.Context, key string) (string, error) {
	p, err := s.point(ctx, markID(key))
	return p[fieldValue].GetStringValue(), err
}
