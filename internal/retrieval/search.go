package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// candidate is a passage with what search and rerank think of it.
type candidate struct {
	at              int32
	text            float64 // BM25 of the text, as a share of the most that the question could get
	meta            float64 // the same of the document's metadata
	soft            float64 // share of the question's words that it holds or comes near to
	special         float64 // the same, less what every passage in scope comes near to
	cosine          float64 // of the question and the nearest window
	likeness        float64 // cosine in standard deviations above the scope's mean
	summary         float64 // cosine of the question and what the document is filed under
	summaryLikeness float64 // the same in standard deviations
	meaning         float64 // cosine of the question and the nearest window, by the sentence encoder
	meaningLikeness float64 // the same in standard deviations
	fused           float64
	score           float64
	features        []float64
}

// search is one query's working state.
type search struct {
	x           *Index
	query       Query
	q           question
	scope       scope
	idf         []float64 // of q.terms
	late        float64   // what a word from before the message counts
	vector      []float32
	models      *Fitted
	deep        *meaning  // nil where the index does not search by meaning
	asking      []float32 // the question as the sentence encoder embeds it
	answering   []float64 // of the first of found, by the trained judgement
	bestMeaning float64
	outside     float64   // how much nearer something that the NPC may not know comes, 0 at most
	filed       []float32 // the question as summaries are embedded; nil where nothing is known of words
	names       []name
	like        [][]float32    // of q.terms: how near every term of the vocabulary comes
	mean        []float64      // of q.terms: how near the passages in scope come on average
	recent      map[int32]bool // words of the lines that the message leans on; nil where it leans on none
	bestOf      []float64      // of q.terms: how near the nearest passage in scope comes
	bestCosine  float64
	sort        intent.Sort // what sort of thing the question wants named
	asked       []string    // the words of the message
	found       []candidate // reranked, best first
}

// run searches what the NPC may know. A passage that the provenance contract
// refuses for what it says is taken out of the scope and the search made again,
// so that nothing refused is felt in a score.
func (x *Index) run(ctx context.Context, query Query, wider ...word) (*search, error) {
	if query.NPC == nil {
		return nil, errors.New("query: the NPC is missing")
	}
	if query.TopK <= 0 {
		query.TopK = defaultTopK
	}
	query.Message = whoFor(query.Message)
	if x.server != nil {
		return x.runServer(ctx, query, wider)
	}
	if query.scan == nil {
		query.scan = &scan{}
	}
	refused := map[int32]string{}
	for {
		s, err := x.attempt(ctx, query, refused, wider)
		if err != nil {
			return nil, err
		}
		before := len(refused)
		for _, c := range s.found[:min(len(s.found), query.TopK)] {
			if reason, ok := grounding.Eligible(x.passages[c.at].chunk, query.Check); !ok {
				refused[c.at] = reason
			}
		}
		if len(refused) == before {
			return s, nil
		}
	}
}

// attempt parses the question, filters, searches, fuses and reranks.
func (x *Index) attempt(ctx context.Context, query Query, refused map[int32]string, wider []word) (*search, error) {
	s := &search{x: x, query: query, q: parseQuestion(query.Message), scope: x.scopeOf(query, refused)}
	for _, w := range s.q.words {
		s.asked = append(s.asked, w.text)
	}
	s.sort = intent.SortOf(s.asked)
	s.lean()
	s.q.takeTerms(wider, false, true)
	var words []string
	for i := range s.q.terms {
		t := &s.q.terms[i]
		s.plainly(t)
		if id, ok := x.vocab[t.stem]; ok {
			t.id = id
		}
		s.idf = append(s.idf, x.rareness(&s.scope, t)*s.weightOf(t))
		words = append(words, t.word)
	}
	s.temper()
	s.names = s.readNames()
	vectors, err := x.embedder.Embed(ctx, []string{s.embedText()})
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	s.vector = vectors[0]
	s.models = x.models
	if s.deep = x.meaning.Load(); s.deep != nil {
		if vectors, err = s.deep.encoder.Embed(ctx, []string{s.meantText()}); err != nil {
			return nil, fmt.Errorf("embed the question: %w", err)
		}
		s.asking, s.models = vectors[0], x.deep
	}
	if x.words.english != nil {
		if vectors, err = x.words.english.Embed(ctx, []string{s.embedText()}); err != nil {
			return nil, fmt.Errorf("embed the question: %w", err)
		}
		s.filed = vectors[0]
	}
	if s.like, err = x.words.like(ctx, words); err != nil {
		return nil, err
	}
	s.mendSpelling()
	s.found = s.rerank(s.first())
	return s, s.judge(ctx)
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
		cs[i].score = s.models.Ranker.logit(cs[i].features) - saidAlready*s.said(&s.x.passages[cs[i].at])
	}
	cs = s.ofOwnKin(cs)
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
	searches := 1
	confidence := s.capped()
	// unknown too: a zone may hang on what is out of scope
	if !query.Once && len(s.found) > 0 && query.Zones.Of(s.unfelt().capped()) != protocol.ZoneModel {
		searches = 2
		if s, err = s.again(ctx); err != nil {
			return Result{}, err
		}
	}
	r := Result{Sources: s.sources(confidence), Unknown: s.unknown(), Named: s.named()}
	if s.recent != nil && s.ownTerms() == 0 {
		r.Whole = s.asksWhole()
	}
	r.Retrieval = protocol.Retrieval{
		Query: query.Message, Confidence: confidence, Zone: query.Zones.Of(confidence),
		Searches: searches, Rejected: s.scope.counts(), LoreHash: x.world.Version,
		Static: s.deep == nil,
	}
	if r.Named && query.Zones.near(confidence) {
		r.Retrieval.Zone = protocol.ZoneNear
	}
	if query.Once || r.Retrieval.Zone != protocol.ZoneUnknown {
		return r, nil
	}
	other, err := s.instead(ctx)
	if err != nil {
		return Result{}, err
	}
	if other != nil {
		r.Sources, r.Retrieval.Query, r.Retrieval.Zone = other.sources(other.capped()), other.query.Message, protocol.ZoneNear
		r.Retrieval.Searches++
	}
	return r, nil
}

// again is the second search that an unsure answer gets: the question widened by
// what the best document is filed under. It may change what is handed on, where
// that comes out surer, and never how sure the NPC is: the gate was fitted on
// single searches.
func (s *search) again(ctx context.Context) (*search, error) {
	k := s.x.passages[s.found[0].at].chunk
	wide, err := s.x.run(ctx, s.query, wordsOf(strings.Join(k.Keywords, " "))...)
	if err != nil {
		return nil, err
	}
	if wide.unfelt().capped() > s.unfelt().capped() {
		return wide, nil
	}
	return s, nil
}

// unfelt is the search without the doubt that something out of scope comes nearer. That
// may make an NPC less sure; what it finds must not change by what it may not know.
func (s *search) unfelt() *search {
	c := *s
	c.outside = 0
	return &c
}

// Search is the plain ranked search, with the same filters.
func (x *Index) Search(ctx context.Context, query Query) ([]protocol.Source, error) {
	s, err := x.run(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.sources(s.capped()), nil
}

// sources are the best candidates as citable sources, numbered from 1. The score
// is the probability that this very passage answers: the gate's confidence for
// the first, and by the measured odds less the further another lies behind it.
func (s *search) sources(confidence float64) []protocol.Source {
	found := s.found[:min(len(s.found), s.query.TopK)]
	out := make([]protocol.Source, 0, len(found))
	for i, c := range found {
		out = append(out, s.source(c, i+1, confidence*math.Exp(c.score-found[0].score)))
	}
	return out
}

func (s *search) source(c candidate, n int, score float64) protocol.Source {
	k := s.x.passages[c.at].chunk
	return protocol.Source{
		ID: fmt.Sprint(n), Path: k.Path, Page: k.Page, ChunkID: k.ID, Type: k.Type, Summary: k.Summary, Content: k.Text,
		Keywords: k.Keywords, AllowedFor: k.AllowedFor, Score: score, Author: k.Author,
		Belief: k.Belief, Private: k.NPC != "" && k.NPC == s.query.NPC.Handle,
		Provenance: protocol.Provenance{
			Source: k.Source, IndexedAt: k.IndexedAt, CreatedAt: k.CreatedAt, ValidFrom: k.ValidFrom,
			ValidTo: k.ValidTo, World: k.World, NPC: k.NPC, Hash: k.Hash,
			KnownBy: k.KnownBy, Requires: k.Requires,
		},
	}
}

// near are how near a passage's words come to each term of the question: 1 for
// the same stem.
func (s *search) near(p *passage, out []float64) {
	for i := range s.q.terms {
		t := &s.q.terms[i]
		row := s.like[i]
		best := float32(0)
		for _, id := range p.stems {
			if id == t.id {
				best = 1
				break
			}
			if row != nil && !s.x.isStop[id] && row[id] > best {
				best = min(row[id], 0.95)
			}
		}
		out[i] = float64(best)
	}
}

// weight is what a term of the question counts.
func (s *search) weight(i int) float64 {
	if s.q.terms[i].late {
		return s.late * s.idf[i]
	}
	return s.idf[i]
}
