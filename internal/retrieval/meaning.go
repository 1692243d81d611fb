package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// meaning are the windows as a sentence encoder embeds them, beside the static
// vectors. It comes later than the index itself, which answers without it.
type meaning struct {
	encoder embed.Embedder
	vectors *embed.Rows // one a window, in the index's order
	answers Answering   // nil: nothing is judged
}

// Deepen embeds the world with a sentence encoder and has the index search by it
// from then on. What a corpus holds already is not embedded again, so a run that
// was stopped goes on where it was. answers may be nil. It may run while the index is asked.
func (x *Index) Deepen(
	ctx context.Context, corpus store.Corpus, encoder embed.Embedder, answers Answering, opts Options,
) (embedded int, err error) {
	if x.server != nil {
		return x.deepenServer(ctx, encoder, answers, opts)
	}
	files := slices.Clone(x.files)
	for i := range files {
		for _, at := range x.byPath[files[i].path] {
			files[i].chunks = append(files[i].chunks, x.passages[at].chunk)
		}
	}
	if embedded, err = refresh(ctx, corpus, encoder, x.world.Name, files, opts); err != nil {
		return embedded, fmt.Errorf("index world %s with %s: %w", x.world.Name, encoder.ID(), err)
	}
	rows, _, err := vectorsOf(ctx, corpus, encoder, "meaning", x.world.Name, files, opts)
	if err != nil {
		return embedded, fmt.Errorf("read the index of world %s: %w", x.world.Name, err)
	}
	if rows.Len() != x.vectors.Len() {
		return embedded, fmt.Errorf("read the index of world %s: %d windows by meaning, and %d by words", x.world.Name,
			rows.Len(), x.vectors.Len())
	}
	x.meaning.Store(&meaning{encoder: encoder, vectors: rows, answers: answers})
	return embedded, nil
}

// Deep says whether the index searches by meaning.
func (x *Index) Deep() bool { return x.meaning.Load() != nil }

func (m *meaning) window(i int32) []float32 { return m.vectors.At(int(i)) }

// compareOutside looks for a passage that this NPC may not know and that comes nearer
// to the question than all it knows. Where there is one, what was found is likely to
// be beside the point. It can only lower a confidence: nothing else is made of it.
func (s *search) compareOutside(near *scan) {
	if s.deep == nil || len(s.scope.open) == 0 {
		return
	}
	if f := s.x.facts; f != nil {
		if f.hasOutside {
			s.outside = max(-0.5, min(0, s.bestMeaning-f.outside))
		}
		return
	}
	best := s.bestMeaning
	for i := range s.x.passages {
		p := &s.x.passages[i]
		if s.scope.isOpen[i] || p.signature != "" ||
			s.scope.refused[int32(i)] != "" { //nolint:gosec // a world has fewer passages
			continue
		}
		if s.q.you && p.isOfSomebody() {
			continue
		}
		best = max(best, s.x.best(int32(i), near.meaning)) //nolint:gosec // as above
	}
	s.outside = max(-0.5, s.bestMeaning-best)
}

// ofSomebody are the types of passages that tell who one NPC is. Asked of another, "how old are you?" comes near to
// them and does not mean them.
var ofSomebody = []string{"backstory", protocol.TypeGoal, protocol.TypePersonality}

func (p *passage) isOfSomebody() bool { return slices.Contains(ofSomebody, p.chunk.Type) }

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
	return []float64{c.meaning, clamp(c.meaningLikeness/4, -1, 1.5), whole, s.bestMeaning - c.meaning,
		max(0, c.meaning-0.4)}
}

// Words are compared by the leading dimensions of their vectors, which carry
// most of what tells them apart, so that one word can be held against the whole
// vocabulary of a world in a fraction of a millisecond.
const wordDims = 96

// lexicon is the vocabulary of a world as vectors.
type lexicon struct {
	english *embed.Static
	words   *embed.Rows // by term; nil where nothing is known of words
}

// newLexicon makes a vector for every word; without English words are alike
// only when their stems are equal.
func newLexicon(ctx context.Context, english *embed.Static, surface []string) (*lexicon, error) {
	l := &lexicon{english: english}
	if english == nil || len(surface) == 0 {
		return l, nil
	}
	l.words = embed.NewRows(min(wordDims, english.Dim()), len(surface))
	for part := range slices.Chunk(surface, wordsAtOnce) {
		vectors, err := english.Embed(ctx, part)
		if err != nil {
			return nil, fmt.Errorf("embed the words of the world: %w", err)
		}
		for _, v := range vectors {
			if err := l.words.Add(unit(v[:l.words.Dim()])); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// wordsAtOnce are embedded at a time, so that they do not all lie beside their rows.
const wordsAtOnce = 1024

// unit is a copy of length one; a zero vector stays zero.
func unit(v []float32) []float32 {
	n := math.Sqrt(dot(v, v))
	out := make([]float32, len(v))
	if n < 1e-9 {
		return out
	}
	for i, x := range v {
		out[i] = x / float32(n)
	}
	return out
}

// like is how near each term of the vocabulary comes to a word; nil where
// nothing is known of words.
func (l *lexicon) like(ctx context.Context, words []string) ([][]float32, error) {
	out := make([][]float32, len(words))
	if l.words == nil || len(words) == 0 {
		return out, nil
	}
	vectors, err := l.english.Embed(ctx, words)
	if err != nil {
		return nil, fmt.Errorf("embed the words of the question: %w", err)
	}
	for i, v := range vectors {
		out[i] = l.words.Dots(unit(v[:l.words.Dim()]))
	}
	return out, nil
}
