package qdrant

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var _ store.Searching = (*Corpus)(nil)

// widened is how many more of each ranking are fused than are asked for.
const widened = 2

// Rank lets the server rank by vectors and by words, each within the scope, and fuse
// the two by their ranks.
func (c *Corpus) Rank(ctx context.Context, ask store.Ask) ([]store.Hit, error) {
	m, err := c.standing(ctx, ask.World, ask.Model)
	if err != nil {
		return nil, err
	}
	scope := allowed(ask.Scope, ask.Model, m.Generation)
	most := qd.PtrOf(uint64(ask.Limit * widened))
	var rankings []*qd.PrefetchQuery
	if len(ask.Vector) > 0 {
		rankings = append(rankings, &qd.PrefetchQuery{
			Query: qd.NewQueryDense(ask.Vector), Using: qd.PtrOf(vectorName), Filter: scope, Limit: most,
			Params: &qd.SearchParams{Exact: qd.PtrOf(!ask.Many)},
		})
	}
	if indices, values := sparse(ask.Terms); len(indices) > 0 {
		rankings = append(rankings, &qd.PrefetchQuery{
			Query: qd.NewQuerySparse(indices, values), Using: qd.PtrOf(wordsName), Filter: scope, Limit: most,
		})
	}
	if len(rankings) == 0 || ask.Limit == 0 {
		return nil, nil
	}
	found, err := c.query(ctx, &qd.QueryPoints{
		Prefetch: rankings, Query: qd.NewQueryFusion(qd.Fusion_RRF), Filter: scope, Limit: qd.PtrOf(uint64(ask.Limit)),
		WithPayload: given(), WithVectors: qd.NewWithVectorsInclude(vectorName),
	})
	if err != nil {
		return nil, err
	}
	out := make([]store.Hit, 0, len(found))
	for _, p := range found {
		hit, ok, err := c.hit(&m, ask.World, p.GetPayload(), p.GetVectors())
		if err != nil {
			return nil, err
		}
		if ok {
			hit.Score = float64(p.GetScore())
			out = append(out, hit)
		}
	}
	return out, nil
}

func (c *Corpus) query(ctx context.Context, q *qd.QueryPoints) (found []*qd.ScoredPoint, err error) {
	q.CollectionName, q.ReadConsistency = c.name, c.consistency()
	err = c.do(ctx, "search", func(ctx context.Context) (err error) {
		found, err = c.client.Query(ctx, q)
		return err
	})
	return found, err
}

// given is what of a passage's payload is read: all but its words.
func given() *qd.WithPayloadSelector { return qd.NewWithPayloadExclude(fieldStems, fieldFresh) }

// hit reads a passage that the server gave. It is none where the manifest does not name
// it: then somebody else wrote it, or a write is under way.
func (c *Corpus) hit(m *manifest, world string, p payload, vectors *qd.VectorsOutput) (store.Hit, bool, error) {
	var chunk protocol.Chunk
	if err := json.Unmarshal([]byte(p[fieldPassage].GetStringValue()), &chunk); err != nil {
		return store.Hit{}, false, c.damaged("a passage of %.100q: %v", p[fieldPath].GetStringValue(), err)
	}
	e, named := m.Documents[chunk.Path]
	if !named || e.Write != p[fieldWrite].GetStringValue() || p[fieldPath].GetStringValue() != valid(chunk.Path) {
		return store.Hit{}, false, nil
	}
	reason, err := contradicted(world, &chunk, p)
	return store.Hit{Chunk: chunk, Vectors: vectorsIn(vectors), Refused: reason}, true, err
}

// Outside asks for the nearest passage of the world that is not in scope, and reads its
// score alone.
func (c *Corpus) Outside(ctx context.Context, ask store.Ask) (float64, bool, error) {
	m, err := c.standing(ctx, ask.World, ask.Model)
	if err != nil {
		return 0, false, err
	}
	f := with(inWorld(ask.World, ask.Model, m.Generation), qd.NewIsEmpty(fieldSignature))
	f.MustNot = append(f.MustNot, qd.NewFilterAsCondition(allowed(ask.Scope, ask.Model, m.Generation)))
	if len(ask.Without) > 0 { // what nobody is held to know is no doubt either
		f.MustNot = append(f.MustNot, qd.NewMatchKeywords(fieldID, words(ask.Without)...))
	}
	if len(ask.Beside) > 0 {
		f.MustNot = append(f.MustNot, qd.NewMatchKeywords(fieldType, ask.Beside...))
	}
	found, err := c.query(ctx, &qd.QueryPoints{
		Query: qd.NewQueryDense(ask.Vector), Using: qd.PtrOf(vectorName), Filter: f, Limit: qd.PtrOf(uint64(1)),
		Params: &qd.SearchParams{Exact: qd.PtrOf(!ask.Many)}, WithPayload: qd.NewWithPayload(false),
	})
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	return float64(found[0].GetScore()), true, nil
}

// Pick reads some passages with their vectors.
func (c *Corpus) Pick(ctx context.Context, s store.Scope, model string, ids []string) ([]store.Hit, error) {
	return c.among(ctx, s, model, fieldID, ids, len(ids), true)
}

// Whole reads the passages in scope of some files, in order.
func (c *Corpus) Whole(
	ctx context.Context, s store.Scope, model string, paths []string, limit int,
) ([]store.Hit, error) {
	return c.among(ctx, s, model, fieldPath, paths, limit, false)
}

func (c *Corpus) among(
	ctx context.Context, s store.Scope, model, field string, values []string, limit int, vectors bool,
) ([]store.Hit, error) {
	if len(values) == 0 {
		return nil, nil
	}
	m, err := c.standing(ctx, s.World, model)
	if err != nil {
		return nil, err
	}
	f := with(allowed(s, model, m.Generation), qd.NewMatchKeywords(field, words(values)...))
	return c.read(ctx, &m, s.World, f, limit, vectors)
}

// Sample reads those that an NPC may ever know and whose lots are the lowest. What it
// may know in a turn the caller sees to, for it keeps them over many turns.
func (c *Corpus) Sample(ctx context.Context, s store.Scope, model string, n int) ([]store.Hit, bool, error) {
	m, err := c.standing(ctx, s.World, model)
	if err != nil {
		return nil, false, err
	}
	f := with(inWorld(s.World, model, m.Generation), known(s),
		qd.NewMatchKeyword(fieldSource, string(schema.OriginCorpus)), qd.NewIsEmpty(fieldSignature))
	there, err := c.count(ctx, f)
	if err != nil || there == 0 {
		return nil, err == nil, err
	}
	if there > n {
		below := float64(n) / float64(there) * lots
		f = with(f, qd.NewRange(fieldLot, &qd.Range{Lt: &below}))
	}
	hits, err := c.read(ctx, &m, s.World, f, 2*n, true)
	return hits, there <= n, err
}

// read gives the passages of a filter in order of path and number, at most limit.
func (c *Corpus) read(
	ctx context.Context, m *manifest, world string, f *qd.Filter, limit int, vectors bool,
) ([]store.Hit, error) {
	type numbered struct {
		hit store.Hit
		n   int64
	}
	var rows []numbered
	var from *qd.PointId
	for len(rows) < limit {
		page, next, err := c.page(ctx, f, from, min(pageSize, limit-len(rows)), vectors)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			hit, ok, err := c.hit(m, world, p.GetPayload(), p.GetVectors())
			if err != nil {
				return nil, err
			}
			if ok {
				rows = append(rows, numbered{hit, p.GetPayload()[fieldNumber].GetIntegerValue()})
			}
		}
		if from = next; from == nil {
			break
		}
	}
	slices.SortFunc(rows, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.hit.Chunk.Path, b.hit.Chunk.Path), cmp.Compare(a.n, b.n))
	})
	out := make([]store.Hit, len(rows))
	for i, r := range rows {
		out[i] = r.hit
	}
	return out, nil
}

func (c *Corpus) page(
	ctx context.Context, f *qd.Filter, from *qd.PointId, n int, vectors bool,
) (page []*qd.RetrievedPoint, next *qd.PointId, err error) {
	want := qd.NewWithVectorsEnable(false)
	if vectors {
		want = qd.NewWithVectorsInclude(vectorName)
	}
	err = c.do(ctx, "read passages", func(ctx context.Context) (err error) {
		page, next, err = c.client.ScrollAndOffset(ctx, &qd.ScrollPoints{
			CollectionName: c.name, Filter: f, Offset: from, Limit: qd.PtrOf(uint32(n)), //nolint:gosec // at most a page
			WithPayload: given(), WithVectors: want, ReadConsistency: c.consistency(),
		})
		return err
	})
	return page, next, err
}

// File reads a whole file, whoever may know it: the caller filters.
func (c *Corpus) File(ctx context.Context, world, model, path string) ([]protocol.Chunk, error) {
	m, err := c.standing(ctx, world, model)
	if err != nil {
		return nil, err
	}
	e, ok := m.Documents[path]
	if !ok {
		return nil, nil
	}
	f := with(inWorld(world, model, m.Generation), qd.NewMatchKeyword(fieldPath, valid(path)))
	hits, err := c.read(ctx, &m, world, f, e.Passages, false)
	if err != nil {
		return nil, err
	}
	out := make([]protocol.Chunk, len(hits))
	for i, h := range hits {
		out[i] = h.Chunk
	}
	return out, nil
}

// Standing names the write with which a world came to be as it is.
func (c *Corpus) Standing(ctx context.Context, world, model string) (string, error) {
	m, err := c.look(ctx, world, model)
	if err == nil && m.Write == "" {
		err = fmt.Errorf("qdrant at %s, collection %s: what it held of world %.100q %w; start again: it is filled anew",
			c.o.Addr, c.name, world, store.ErrGone)
	}
	return m.Write, err
}
