package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// candidate is a passage with what search and rerank think of it.
type candidate struct {
	at       int32
	text     float64 // BM25 of the text, as a share of the most that the question could get
	meta     float64 // the same of the document's metadata
	cosine   float64 // of the question and the nearest window
	likeness float64 // cosine in standard deviations above the scope's mean
	fused    float64
	score    float64
	features []float64
}

// search is one query's working state.
type search struct {
	x      *Index
	query  Query
	q      question
	scope  scope
	idf    []float64 // of q.terms
	vector []float32
	names  []name
	words  map[string][]float32 // vectors of the question's words
	found  []candidate          // reranked, best first
}

// run parses the question, filters, searches, fuses and reranks.
func (x *Index) run(ctx context.Context, query Query) (*search, error) {
	if query.NPC == nil {
		return nil, fmt.Errorf("query: the NPC is missing")
	}
	if query.TopK <= 0 {
		query.TopK = defaultTopK
	}
	s := &search{x: x, query: query, q: parseQuestion(query.Message), scope: x.scopeOf(query)}
	s.lean()
	for i := range s.q.terms {
		t := &s.q.terms[i]
		if id, ok := x.vocab[t.stem]; ok {
			t.id = id
		}
		s.idf = append(s.idf, x.idf(&s.scope, t.id)*x.weightOf(t))
	}
	s.names = s.readNames()
	vectors, err := x.embedder.Embed(ctx, []string{s.embedText()})
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	s.vector = vectors[0]
	if err := s.embedWords(ctx); err != nil {
		return nil, err
	}
	s.found = s.rerank(s.pick(s.first()))
	return s, nil
}

// first scores every open passage.
func (s *search) first() []candidate {
	all := make([]candidate, len(s.scope.open))
	place := make(map[int32]int, len(all))
	for i, at := range s.scope.open {
		all[i] = candidate{at: at, cosine: s.nearest(at)}
		place[at] = i
	}
	most := s.lexical(all, place)
	mean, deviation := spread(all)
	for i := range all {
		c := &all[i]
		if most > 0 {
			c.text /= most
			c.meta /= most
		}
		c.likeness = (c.cosine - mean) / deviation
		c.fused = fuseText*c.text + fuseMeta*c.meta + fuseCosine*c.cosine
	}
	return all
}

// The weights of the fused first ranking.
const (
	fuseText   = 1.0
	fuseMeta   = 0.8
	fuseCosine = 1.0
)

// BM25's constants.
const (
	bm25K = 1.2
	bm25B = 0.5
)

// lexical adds BM25 of text and of metadata and returns the most a passage could
// have got.
func (s *search) lexical(all []candidate, place map[int32]int) float64 {
	most := 0.0
	for ti, t := range s.q.terms {
		w := s.idf[ti]
		if t.late {
			w *= 0.5
		}
		most += w
		if t.id < 0 {
			continue
		}
		for _, p := range s.x.terms[t.id].postings {
			i, ok := place[p.at]
			if !ok {
				continue
			}
			tf, norm := float64(p.weight), float64(s.x.passages[p.at].length)/s.scope.average
			all[i].text += w * tf * (bm25K + 1) / (tf + bm25K*(1-bm25B+bm25B*norm)) / (bm25K + 1) * 1.6
		}
		for _, m := range s.x.terms[t.id].metas {
			for _, at := range s.x.docs[m.at].passages {
				if i, ok := place[at]; ok {
					all[i].meta += w * float64(m.weight) / (float64(m.weight) + 1) * 1.33
				}
			}
		}
	}
	return most
}

// nearest is the cosine of the question and the nearest window of a passage.
func (s *search) nearest(at int32) float64 {
	best := -1.0
	w := s.x.passages[at].windows
	for i := w[0]; i < w[1]; i++ {
		best = max(best, dot(s.vector, s.x.window(i)))
	}
	if w[0] == w[1] {
		return 0
	}
	return best
}

func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i+4 <= n; i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < n; i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0 + s1 + s2 + s3)
}

// spread is the mean and the standard deviation of the cosines in scope.
func spread(all []candidate) (mean, deviation float64) {
	if len(all) == 0 {
		return 0, 1
	}
	var sum, squares float64
	for i := range all {
		sum += all[i].cosine
		squares += all[i].cosine * all[i].cosine
	}
	n := float64(len(all))
	mean = sum / n
	return mean, max(0.02, math.Sqrt(max(0, squares/n-mean*mean)))
}

// pick takes the best candidates of the fused ranking that the provenance
// contract lets through, at most a few of one document.
func (s *search) pick(all []candidate) []candidate {
	slices.SortFunc(all, func(a, b candidate) int {
		if a.fused != b.fused {
			return compare(b.fused, a.fused)
		}
		return int(a.at - b.at)
	})
	limit := candidatesPerK * s.query.TopK
	out := make([]candidate, 0, limit)
	perDoc := map[int32]int{}
	for _, c := range all {
		if len(out) == limit {
			break
		}
		p := &s.x.passages[c.at]
		if perDoc[p.doc] == perDocument {
			continue
		}
		if reason, ok := eligible(p.chunk, s.query.Check); !ok {
			s.scope.rejected[reason]++
			s.scope.isOpen[c.at] = false
			continue
		}
		perDoc[p.doc]++
		out = append(out, c)
	}
	return out
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// rerank scores candidates as answers.
func (s *search) rerank(cs []candidate) []candidate {
	for i := range cs {
		cs[i].features = s.describe(&cs[i])
		cs[i].score = s.x.models.Ranker.logit(cs[i].features)
	}
	slices.SortStableFunc(cs, func(a, b candidate) int { return compare(b.score, a.score) })
	return cs
}

// CitationQuery finds the passages that answer the message, with the confidence
// that the best of them does.
func (x *Index) CitationQuery(ctx context.Context, query Query) (Result, error) {
	s, err := x.run(ctx, query)
	if err != nil {
		return Result{}, err
	}
	confidence := s.confidence()
	r := Result{Sources: s.sources(), Unknown: s.unknown()}
	r.Retrieval = schema.Retrieval{
		Query: query.Message, Confidence: confidence, Zone: ZoneOf(confidence),
		Searches: 1, Rejected: s.scope.counts(), LoreHash: x.world.Version,
	}
	if len(r.Sources) > 0 {
		r.Retrieval.Draft = r.Sources[0].Content
	}
	return r, nil
}

// Search is the plain ranked search, with the same filters.
func (x *Index) Search(ctx context.Context, query Query) ([]schema.Source, error) {
	s, err := x.run(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.sources(), nil
}

// sources are the best candidates as citable sources, numbered from 1.
func (s *search) sources() []schema.Source {
	var out []schema.Source
	for _, c := range s.found {
		if len(out) == max(s.query.TopK, defaultTopK) || len(out) == s.query.TopK {
			break
		}
		out = append(out, s.source(c, len(out)+1))
	}
	return out
}

func (s *search) source(c candidate, n int) schema.Source {
	k := s.x.passages[c.at].chunk
	return schema.Source{
		ID: fmt.Sprint(n), Path: k.Path, ChunkID: k.ID, Type: k.Type, Summary: k.Summary, Content: k.Text,
		Keywords: k.Keywords, AllowedFor: k.AllowedFor, Score: sigmoid(c.score), Author: k.Author,
		Belief: k.Belief, Private: k.NPC != "" && k.NPC == s.query.NPC.Handle,
		Provenance: schema.Provenance{
			Source: k.Source, IndexedAt: k.IndexedAt, CreatedAt: k.CreatedAt, ValidFrom: k.ValidFrom,
			ValidTo: k.ValidTo, World: k.World, NPC: k.NPC, Hash: k.Hash,
		},
	}
}
