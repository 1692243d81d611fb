package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// facts are what a server has counted over a whole scope, for an index that holds a
// part of it.
type facts struct {
	tally      store.Tally
	held       map[string]store.Holding // by stem
	outside    float64                  // how near the nearest passage out of scope comes
	hasOutside bool
	typical    []bool         // by passage: it belongs to the sample of the scope
	refused    map[string]int // of what the server gave and the second look refused
}

// weighed are a question's words with their rarity in the scope.
func (f *facts) weighed(x *Index, terms []queryTerm) []store.Term {
	s := &search{x: &Index{english: x.english, facts: f}}
	out := make([]store.Term, len(terms))
	for i := range terms {
		t := terms[i]
		s.plainly(&t)
		w := idfOf(f.held[t.stem].Documents, f.tally.Documents) * s.weightOf(&t)
		if t.late {
			w *= lateWord
		}
		out[i] = store.Term{Stem: t.stem, Weight: float32(w)}
	}
	return out
}

// rareness is the rarity of a question's word in the scope.
func (x *Index) rareness(s *scope, t *queryTerm) float64 {
	if x.facts == nil {
		return x.idf(s, t.id)
	}
	return idfOf(x.facts.held[t.stem].Documents, s.docs)
}

// correct puts what the server has counted in the place of what a part shows.
func (f *facts) correct(x *Index, s *scope) {
	clear(s.rejected) // the sample is of what the NPC may ever know, and the server has counted that
	for reason, n := range f.tally.Refused {
		s.rejected[reason] += n
	}
	for reason, n := range f.refused {
		s.rejected[reason] += n
	}
	s.docs = f.tally.Documents
	var near, usual []int32
	length := 0.0
	for _, at := range s.open {
		if w := x.passages[at].windows; w[0] == w[1] {
			continue // of a file that a candidate stands in, and no candidate itself
		}
		near = append(near, at)
		if f.typical[at] {
			usual = append(usual, at)
			length += float64(x.limits[at].length)
		}
	}
	s.open, s.usual = near, usual
	if len(usual) == 0 { // none of the sample is open now
		s.usual = near
		return
	}
	s.average = length / float64(len(usual))
}

// around makes an index of a sample and of what was ranked. Each passage is looked at
// once more: what says that it is of another source or world is dropped and counted.
func (x *Index) around(
	ctx context.Context, f *facts, m *meaning, sample sampled, words, deep []store.Hit,
) (*Index, error) {
	of := map[string][][]float32{} // by id of a passage: as the sentence encoder has it
	for _, h := range slices.Concat(sample.deep, deep) {
		of[h.Chunk.ID] = h.Vectors
	}
	typical, taken := map[string]bool{}, map[string]bool{}
	var hits []store.Hit
	take := func(h store.Hit, fromSample bool) {
		id := h.Chunk.ID
		if taken[id] || m != nil && len(h.Vectors) > 0 && len(of[id]) != len(h.Vectors) {
			return
		}
		reason := cmp.Or(h.Refused, x.foreign(&h.Chunk))
		if reason != "" && fromSample {
			return // if it was found too, it is counted there
		}
		taken[id] = true
		if reason != "" {
			f.refused[reason]++
			return
		}
		typical[id] = fromSample
		hits = append(hits, h)
	}
	for _, h := range sample.hits {
		take(h, true)
	}
	for _, h := range words {
		take(h, false)
	}
	y := &Index{
		world: x.world, embedder: x.embedder, english: x.english, models: x.models, deep: x.deep,
		server: x.server, facts: f,
		byPath: map[string][]int{}, vocab: map[string]int32{},
	}
	slices.SortStableFunc(hits, func(a, b store.Hit) int {
		if c := strings.Compare(a.Chunk.Path, b.Chunk.Path); c != 0 {
			return c
		}
		return order(&a.Chunk, &b.Chunk)
	})
	if err := y.fill(ctx, x, hits); err != nil {
		return nil, err
	}
	f.typical = make([]bool, len(y.passages))
	for i := range y.passages {
		f.typical[i] = typical[y.passages[i].chunk.ID]
	}
	return y, y.mean(m, of)
}

// mean gives a part the encoder's vectors of its candidates, by the ids of passages.
func (y *Index) mean(m *meaning, of map[string][][]float32) error {
	if m == nil {
		return nil
	}
	rows := embed.NewRows(m.encoder.Dim(), y.vectors.Len())
	for i := range y.passages {
		if w := y.passages[i].windows; w[0] == w[1] {
			continue
		}
		for _, v := range of[y.passages[i].chunk.ID] {
			if err := rows.Add(v); err != nil {
				return fmt.Errorf("read what the index of world %s gave: %w", y.world.Name, err)
			}
		}
	}
	y.meaning.Store(&meaning{encoder: m.encoder, vectors: rows, answers: m.answers})
	return nil
}

// order is that of two passages in a file: by their numbers, which end their ids.
func order(a, b *protocol.Chunk) int {
	if len(a.ID) != len(b.ID) {
		return len(a.ID) - len(b.ID)
	}
	return strings.Compare(a.ID, b.ID)
}

// foreign is why a passage cannot be of this world's corpus, "" where it can.
func (x *Index) foreign(c *protocol.Chunk) string {
	switch {
	case c.Source != schema.OriginCorpus:
		return grounding.RejectSource
	case c.World != x.world.Name:
		return grounding.RejectWorld
	case strings.TrimSpace(c.Text) == "":
		return grounding.RejectEmpty
	}
	return ""
}

// fill takes passages in as Open takes documents in.
func (y *Index) fill(ctx context.Context, x *Index, hits []store.Hit) error {
	y.vectors = embed.NewRows(x.embedder.Dim(), len(hits))
	if x.words.english != nil {
		y.filed = embed.NewRows(x.words.english.Dim(), len(hits))
	}
	ids := map[string]int32{}
	for i := 0; i < len(hits); {
		path := hits[i].Chunk.Path
		var chunks []protocol.Chunk
		var windows []int32
		for ; i < len(hits) && hits[i].Chunk.Path == path; i++ {
			for _, v := range hits[i].Vectors {
				if err := y.vectors.Add(v); err != nil {
					return fmt.Errorf("read what the index of world %s gave: %s: %w", y.world.Name, path, err)
				}
			}
			chunks = append(chunks, hits[i].Chunk)
			windows = append(windows, int32(len(hits[i].Vectors))) //nolint:gosec // a passage has few windows
		}
		if err := y.add(ctx, chunks, windows, ids, x.words.english); err != nil {
			return fmt.Errorf("read what the index of world %s gave: %s: %w", y.world.Name, path, err)
		}
	}
	return y.finish(ctx, x.words.english)
}

// runServer searches where the lore lies on a server. A passage that the provenance
// contract refuses is left out of the scope and the server asked again.
func (x *Index) runServer(ctx context.Context, query Query, wider []word) (*search, error) {
	without := map[string]string{}
	for {
		y, err := x.gather(ctx, x.ask(query, wider, without), query.NPC)
		if err != nil {
			return x.runKept(ctx, query, wider, err)
		}
		for _, reason := range without {
			y.facts.refused[reason]++
		}
		query.scan = &scan{} // of this part's vectors alone
		s, err := y.attempt(ctx, query, nil, wider)
		if err != nil {
			return nil, err
		}
		before := len(without)
		for _, c := range s.found[:min(len(s.found), query.TopK)] {
			if reason, ok := grounding.Eligible(y.passages[c.at].chunk, query.Check); !ok {
				without[y.passages[c.at].chunk.ID] = reason
			}
		}
		if len(without) == before {
			return s, nil
		}
	}
}

// runKept searches while the server is away: only where all that the NPC may know is
// kept. To search a part would end in "I do not know" of what it knows.
func (x *Index) runKept(ctx context.Context, query Query, wider []word, away error) (*search, error) {
	sv := x.server
	sv.mu.Lock()
	key := sampleKey(sv.state, query.NPC)
	sv.mu.Unlock()
	kept, ok := sv.samples.Get(key)
	m := x.meaning.Load()
	if !ok || !kept.all || !isAway(away) || m != nil && len(kept.deep) != len(kept.hits) {
		return nil, away
	}
	y, err := x.around(ctx, &facts{refused: map[string]int{}}, m, kept, nil, nil)
	if err != nil {
		return nil, err
	}
	y.facts, y.server, query.scan = nil, nil, nil
	return y.run(ctx, query, wider...)
}

// isAway says whether an error means that the server cannot give what it was given.
func isAway(err error) bool {
	for _, kind := range []error{store.ErrUnavailable, store.ErrGone, context.DeadlineExceeded} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
