package retrieval

import (
	"context"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// meaning are the windows as a sentence encoder embeds them, beside the static
// vectors. It comes later than the index itself, which answers without it.
type meaning struct {
	encoder embed.Embedder
	dim     int
	vectors []float32 // one a window, in the index's order
	answers Answering // nil: nothing is judged
}

// Deepen embeds the world with a sentence encoder and has the index search by it
// from then on. What a corpus holds already is not embedded again, so a run that
// was stopped goes on where it was. answers may be nil. It may run while the index is asked.
func (x *Index) Deepen(ctx context.Context, corpus store.Corpus, encoder embed.Embedder, answers Answering, opts Options) (embedded int, err error) {
	if embedded, err = refresh(ctx, corpus, encoder, x.world, opts); err != nil {
		return embedded, fmt.Errorf("index world %s with %s: %w", x.world.Name, encoder.ID(), err)
	}
	docs, err := corpus.Documents(ctx, x.world.Name, encoder.ID())
	if err != nil {
		return embedded, fmt.Errorf("read the index of world %s: %w", x.world.Name, err)
	}
	m := &meaning{encoder: encoder, dim: encoder.Dim(), answers: answers}
	m.vectors = make([]float32, x.windowCount()*m.dim)
	next := map[string]int{} // by path: passages taken
	for _, d := range docs {
		if err := x.place(m, d, next); err != nil {
			return embedded, fmt.Errorf("read the index of world %s: %s: %w", x.world.Name, d.Path, err)
		}
	}
	x.meaning.Store(m)
	return embedded, nil
}

// place puts a document's vectors where its windows are.
func (x *Index) place(m *meaning, d store.Document, next map[string]int) error {
	of := make([][][]float32, len(d.Chunks))
	for _, v := range d.Vectors {
		if v.Chunk < 0 || v.Chunk >= len(of) || len(v.Values) != m.dim {
			return fmt.Errorf("a vector of chunk %d has %d dimensions", v.Chunk, len(v.Values))
		}
		of[v.Chunk] = append(of[v.Chunk], v.Values)
	}
	for i, c := range d.Chunks {
		k := next[c.Path]
		next[c.Path]++
		if k >= len(x.byPath[c.Path]) {
			return fmt.Errorf("it has more passages than the index")
		}
		p := &x.passages[x.byPath[c.Path][k]]
		if p.chunk.ID != c.ID || int(p.windows[1]-p.windows[0]) != len(of[i]) {
			return fmt.Errorf("passage %s is cut otherwise than in the index", c.ID)
		}
		for w, values := range of[i] {
			copy(m.vectors[(int(p.windows[0])+w)*m.dim:], values)
		}
	}
	return nil
}

// Deep says whether the index searches by meaning.
func (x *Index) Deep() bool { return x.meaning.Load() != nil }

func (m *meaning) window(i int32) []float32 { return m.vectors[int(i)*m.dim : (int(i)+1)*m.dim] }

// compareMeaning scores every passage by the nearest of its windows.
func (s *search) compareMeaning(all []candidate) {
	m := s.deep
	if m == nil {
		return
	}
	var sum, squares float64
	for i := range all {
		w := s.x.passages[all[i].at].windows
		best := -1.0
		for k := w[0]; k < w[1]; k++ {
			best = max(best, dot(s.asking, m.window(k)))
		}
		all[i].meaning = best
		s.bestMeaning = max(s.bestMeaning, best)
		sum += best
		squares += best * best
	}
	n := max(1, float64(len(all)))
	mean := sum / n
	deviation := max(0.02, math.Sqrt(max(0, squares/n-mean*mean)))
	for i := range all {
		all[i].meaningLikeness = (all[i].meaning - mean) / deviation
	}
}

// compareOutside looks for a passage that this NPC may not know and that comes nearer
// to the question than all it knows. Where there is one, what was found is likely to
// be beside the point. It can only lower a confidence: nothing else is made of it.
func (s *search) compareOutside() {
	m := s.deep
	if m == nil || len(s.scope.open) == 0 {
		return
	}
	best := s.bestMeaning
	for i := range s.x.passages {
		p := &s.x.passages[i]
		if s.scope.isOpen[i] || p.signature != "" || s.scope.refused[int32(i)] != "" { //nolint:gosec // a world has fewer passages
			continue
		}
		for k := p.windows[0]; k < p.windows[1]; k++ {
			best = max(best, dot(s.asking, m.window(k)))
		}
	}
	s.outside = max(-0.5, s.bestMeaning-best)
}

// meaningNames are what the sentence encoder says of a candidate; all are 0 where
// the index has none.
var meaningNames = []string{"meaning", "meaning_likeness", "meaning_whole", "meaning_gap", "meaning_known"}

func (s *search) meanings(c *candidate) []float64 {
	if s.deep == nil {
		return make([]float64, len(meaningNames))
	}
	whole := 0.0
	if w := s.x.passages[c.at].windows; w[1] > w[0] {
		whole = dot(s.asking, s.deep.window(w[0]))
	}
	return []float64{c.meaning, clamp(c.meaningLikeness/4, -1, 1.5), whole, s.bestMeaning - c.meaning, max(0, c.meaning-0.4)}
}
