package retrieval

import (
	"container/heap"
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// scan is how near every window and every document comes to a question, whoever may
// know it: the same for each search of one query. What is out of scope is left out
// where it is used.
type scan struct {
	text    string
	deep    *meaning
	words   []float32 // of windows, by the static vectors
	meaning []float32 // of windows, by the sentence encoder
	filed   []float32 // of documents, by what they are filed under
}

// scanned compares the question with all vectors, unless the search before did.
func (s *search) scanned() *scan {
	text := s.embedText()
	c := s.query.scan
	if c.words != nil && c.text == text && c.deep == s.deep {
		return c
	}
	*c = scan{text: text, deep: s.deep, words: s.x.vectors.Dots(s.vector)}
	if s.deep != nil {
		c.meaning = s.deep.vectors.Dots(s.asking)
	}
	if s.filed != nil {
		c.filed = s.x.filed.Dots(s.filed)
	}
	return c
}

// ranking is the first ranking of the open passages, each number by passage.
type ranking struct {
	text, meta, soft, special, cosine, meaning, fused []float64
}

func newRanking(n int) *ranking {
	all := make([]float64, 7*n)
	part := func(i int) []float64 { return all[i*n : (i+1)*n : (i+1)*n] }
	return &ranking{part(0), part(1), part(2), part(3), part(4), part(5), part(6)}
}

// moments are a mean and a standard deviation.
type moments struct{ mean, deviation float64 }

func (m moments) of(v float64) float64 { return (v - m.mean) / m.deviation }

// spread is of the values of the passages by which the scope is measured.
func (s *search) spread(value func(at int32) float64) moments {
	var sum, squares float64
	for _, at := range s.scope.usual {
		v := value(at)
		sum += v
		squares += v * v
	}
	n := max(1, float64(len(s.scope.usual)))
	mean := sum / n
	return moments{mean, max(0.02, math.Sqrt(max(0, squares/n-mean*mean)))}
}

// first ranks the open passages and gives the best of them as candidates.
func (s *search) first() []candidate {
	r, near := newRanking(len(s.x.passages)), s.scanned()
	most := s.lexical(r)
	s.soften(r)
	s.nearest(near.words, r.cosine)
	if s.deep != nil {
		s.nearest(near.meaning, r.meaning)
	}
	for _, at := range s.scope.open {
		if most > 0 {
			r.text[at] /= most
			r.meta[at] /= most
		}
		s.bestCosine = max(s.bestCosine, r.cosine[at])
		s.bestMeaning = max(s.bestMeaning, r.meaning[at])
		r.fused[at] = fuseText*r.text[at] + fuseMeta*r.meta[at] + fuseCosine*r.cosine[at] + fuseSoft*r.special[at] +
			fuseMeaning*r.meaning[at]
	}
	s.compareOutside(near)
	return s.describeFirst(r, near, s.pick(r.fused))
}

// The weights of the fused first ranking.
const (
	fuseText    = 1.0
	fuseMeta    = 0.8
	fuseCosine  = 1.0
	fuseSoft    = 1.0
	fuseMeaning = 1.5
)

// describeFirst says of each picked passage what the first ranking found.
func (s *search) describeFirst(r *ranking, near *scan, picked []int32) []candidate {
	cosine := s.spread(func(at int32) float64 { return r.cosine[at] })
	meaning := s.spread(func(at int32) float64 { return r.meaning[at] })
	summary := func(at int32) float64 { return float64(near.filed[s.x.docOf[at]]) }
	filed := moments{deviation: 1}
	if near.filed != nil {
		filed = s.spread(summary)
	}
	s.x.ready(picked)
	out := make([]candidate, 0, len(picked))
	for _, at := range picked {
		c := candidate{at: at, text: r.text[at], meta: r.meta[at], soft: r.soft[at], special: r.special[at],
			cosine: r.cosine[at], likeness: cosine.of(r.cosine[at]), fused: r.fused[at]}
		if s.deep != nil {
			c.meaning, c.meaningLikeness = r.meaning[at], meaning.of(r.meaning[at])
		}
		if near.filed != nil {
			c.summary, c.summaryLikeness = summary(at), filed.of(summary(at))
		}
		out = append(out, c)
	}
	return out
}

// nearest is of each open passage how near the nearest of its windows comes.
func (s *search) nearest(windows []float32, out []float64) {
	for _, at := range s.scope.open {
		out[at] = s.x.best(at, windows)
	}
}

func (x *Index) best(at int32, windows []float32) float64 {
	w := x.passages[at].windows
	if w[0] == w[1] {
		return 0
	}
	best := float32(-1)
	for _, v := range windows[w[0]:w[1]] {
		best = max(best, v)
	}
	return float64(best)
}

// BM25's constants.
const (
	bm25K = 1.2
	bm25B = 0.5
)

// lexical adds BM25 of text and of metadata and returns the most a passage could
// have got.
func (s *search) lexical(r *ranking) float64 {
	most := 0.0
	for ti, t := range s.q.terms {
		w := s.weight(ti)
		most += w
		if t.id < 0 {
			continue
		}
		for _, p := range s.x.terms[t.id].postings {
			if !s.scope.isOpen[p.at] {
				continue
			}
			tf, norm := float64(p.weight), float64(s.x.limits[p.at].length)/s.scope.average
			r.text[p.at] += w * tf * (bm25K + 1) / (tf + bm25K*(1-bm25B+bm25B*norm)) / (bm25K + 1) * 1.6
		}
		for _, m := range s.x.terms[t.id].metas {
			for _, at := range s.x.docs[m.at].passages {
				if s.scope.isOpen[at] {
					r.meta[at] += w * float64(m.weight) / (float64(m.weight) + 1) * 1.33
				}
			}
		}
	}
	return most
}

// soften scores every open passage by words that come near the question's.
func (s *search) soften(r *ranking) {
	n := len(s.q.terms)
	s.mean = make([]float64, n)
	s.bestOf = make([]float64, n)
	if n == 0 || len(s.scope.open) == 0 {
		return
	}
	near := make([]float32, len(s.x.passages))
	total := 0.0
	for k := range s.q.terms {
		s.nearTo(k, near)
		sum := 0.0
		for _, at := range s.scope.usual {
			sum += float64(near[at])
		}
		for _, at := range s.scope.open {
			s.bestOf[k] = max(s.bestOf[k], float64(near[at]))
		}
		if f := s.x.facts; f != nil && f.held[s.q.terms[k].stem].Documents > 0 {
			s.bestOf[k] = 1 // it stands in the scope, whether or not in this part of it
		}
		mean, w := sum/max(1, float64(len(s.scope.usual))), s.weight(k)
		s.mean[k] = mean
		total += w
		for _, at := range s.scope.open {
			v := float64(near[at])
			r.soft[at] += w * v
			r.special[at] += w * max(0, v-mean) / max(0.2, 1-mean)
		}
	}
	for _, at := range s.scope.open {
		r.soft[at] /= total
		r.special[at] /= total
	}
}

// nearTo is of every open passage how near its words come to a term: 1 for the same
// stem.
func (s *search) nearTo(k int, out []float32) {
	x, row := s.x, s.like[k]
	embed.Share(len(s.scope.open), func(from, to int) {
		for _, at := range s.scope.open[from:to] {
			best := float32(0)
			if row != nil {
				for _, id := range x.content[x.contentAt[at]:x.contentAt[at+1]] {
					best = max(best, row[id])
				}
			}
			out[at] = min(best, mostAlike)
		}
	})
	if id := s.q.terms[k].id; id >= 0 {
		for _, p := range x.terms[id].postings {
			out[p.at] = 1
		}
	}
}

// mostAlike is the most that a word counts which is not the question's own.
const mostAlike = 0.95

// pick takes the best of the fused ranking, at most a few of one document.
func (s *search) pick(fused []float64) []int32 {
	h := &bestFirst{at: append([]int32(nil), s.scope.open...), score: fused}
	heap.Init(h)
	limit := candidatesPerK * s.query.TopK
	out := make([]int32, 0, limit)
	perDoc := map[int32]int{}
	for h.Len() > 0 && len(out) < limit {
		at := h.at[0]
		h.at[0] = h.at[h.Len()-1]
		h.at = h.at[:h.Len()-1]
		heap.Fix(h, 0)
		doc := s.x.docOf[at]
		if perDoc[doc] == perDocument {
			continue
		}
		perDoc[doc]++
		out = append(out, at)
	}
	return out
}

// bestFirst is a heap of passages: the best above, of equal ones the first.
type bestFirst struct {
	at    []int32
	score []float64
}

func (h *bestFirst) Len() int { return len(h.at) }
func (h *bestFirst) Less(i, j int) bool {
	a, b := h.at[i], h.at[j]
	return h.score[a] > h.score[b] || h.score[a] == h.score[b] && a < b
}
func (h *bestFirst) Swap(i, j int) { h.at[i], h.at[j] = h.at[j], h.at[i] }
func (h *bestFirst) Push(any)      {}
func (h *bestFirst) Pop() any      { return nil }

// docHolds says whether an open passage of a document, or its metadata, holds a term.
// A term's places stand in order, and so do a document's passages.
func (x *Index) docHolds(s *scope, id int32, d *document) bool {
	if id < 0 || len(d.passages) == 0 {
		return false
	}
	first, last := d.passages[0], d.passages[len(d.passages)-1]
	doc := x.docOf[first]
	if metas := x.terms[id].metas; holdsBetween(metas, doc, doc, nil) {
		return true
	}
	return holdsBetween(x.terms[id].postings, first, last, s.isOpen)
}

func holdsBetween(places []posting, first, last int32, open []bool) bool {
	low, high := 0, len(places)
	for low < high {
		if mid := (low + high) / 2; places[mid].at < first {
			low = mid + 1
		} else {
			high = mid
		}
	}
	for ; low < len(places) && places[low].at <= last; low++ {
		if open == nil || open[places[low].at] {
			return true
		}
	}
	return false
}

// usualLength is the length of a passage against which a server measures others. The
// length is felt in the first ranking alone: what is found is measured again.
const usualLength = 60

// Read is what a document's passages hold for a search by words, for a store that
// ranks by itself.
func Read(d store.Document) []store.Reading {
	out := make([]store.Reading, len(d.Chunks))
	var of string
	var seen map[string]bool
	for i, c := range d.Chunks {
		r := &out[i]
		if id := documentID(c); i == 0 || id != of {
			of, seen, r.Opens = id, map[string]bool{}, true
		}
		r.Signature = grounding.Signature(c.Text)
		weights, counts := map[string]float64{}, map[string]float64{}
		length := 1.0
		for _, stem := range text.Stems(c.Text) {
			counts[stem]++
			length++
		}
		for stem, tf := range counts {
			weights[stem] = fuseText * tf * 1.6 / (tf + bm25K*(1-bm25B+bm25B*length/usualLength))
			if !seen[stem] {
				seen[stem] = true
				r.Fresh = append(r.Fresh, stem)
			}
		}
		for stem, w := range metadataWeights(c) {
			weights[stem] += fuseMeta * w / (w + 1) * 1.33
		}
		for stem, w := range weights {
			r.Stems = append(r.Stems, stem)
			r.Weights = append(r.Weights, store.Term{Stem: stem, Weight: float32(w)})
		}
		slices.Sort(r.Stems)
		slices.Sort(r.Fresh)
		slices.SortFunc(r.Weights, func(a, b store.Term) int { return strings.Compare(a.Stem, b.Stem) })
	}
	return out
}

// metadataWeights is what the words of a passage's metadata weigh.
func metadataWeights(c protocol.Chunk) map[string]float64 {
	out := map[string]float64{}
	put := func(s string, w float64) {
		for _, stem := range text.Stems(s) {
			out[stem] = max(out[stem], w)
		}
	}
	for _, k := range c.Keywords {
		put(k, weightKeyword)
	}
	if c.Type != "backstory" && documentID(c) == c.Path {
		put(fileTitle(c.Path), weightName)
	}
	put(c.Summary, weightSummary)
	put(c.Type, weightOther)
	put(c.Author, weightOther)
	put(c.Speaker, weightOther)
	return out
}
