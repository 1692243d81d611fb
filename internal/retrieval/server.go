package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// fileLimit is how long a file is waited for.
const fileLimit = 5 * time.Second

// rankedPassages are taken of each ranking of the server, which knows less of likeness
// than the search does: what it ranks low may yet come first.
const rankedPassages = 2 * candidatesPerK * defaultTopK

// manyPassages is from how many in scope the server looks for the nearest by its graph of
// the world, in place of comparing all: it may then miss one.
const manyPassages = 50_000

// What a process keeps of a world that lies on a server, at most.
const (
	sampleSize   = 256 // passages of what an NPC may know, by which others are measured
	keptSamples  = 12
	keptFiles    = 32
	keptTallies  = 64
	keptHoldings = 2048
	nearbySize   = 256 // passages of the files that hold a candidate
	longestAsk   = 64  // stems of a message that are looked up
)

// server is the first ranking where a store ranks by itself. For each question it takes
// the passages that the store ranks first, their files, and a sample of what the NPC may
// know, and the search goes on over those as over a whole index. What holds for the scope
// as a whole - how rare a word is, whether a name is known - the store has counted.
type server struct {
	corpus     store.Searching
	conditions map[string]world.Condition // of the world's files, those that can be read
	passages   int                        // of the world
	vocabulary *vocabulary                // of the world
	sample     int                        // sampleSize, or less in tests
	samples    *lru.Cache[string, sampled]
	tallies    *lru.Cache[string, store.Tally]
	holdings   *lru.Cache[string, store.Holding]
	texts      *lru.Cache[string, []protocol.Chunk] // of files

	mu    sync.Mutex
	state string // of the world when it was last looked at
}

// sampled is a sample of what an NPC may ever know.
type sampled struct {
	hits, deep []store.Hit
	all        bool // it is all of it
}

// openServer leaves the lore where it is. Of the files it keeps the texts until they are
// embedded by the encoder too.
func openServer(
	corpus store.Searching, emb embed.Embedder, w *world.World, files []file, embedded int, opts Options,
) (*Index, error) {
	x := &Index{Embedded: embedded, files: files, world: w, embedder: emb, models: shipped, deep: shippedDeep}
	if opts.Words != nil {
		x.english = opts.Words.Tokenizer()
	}
	sv := &server{corpus: corpus, sample: sampleSize, vocabulary: vocabularyOf(files)}
	sv.conditions = map[string]world.Condition{}
	for _, f := range files {
		sv.passages += len(f.chunks)
		for _, c := range f.chunks {
			if condition, err := world.ParseCondition(c.Requires); err == nil && c.Requires != "" {
				sv.conditions[c.Requires] = condition
			}
		}
	}
	var err error
	if sv.samples, err = lru.New[string, sampled](keptSamples); err != nil {
		return nil, err
	}
	if sv.tallies, err = lru.New[string, store.Tally](keptTallies); err != nil {
		return nil, err
	}
	if sv.holdings, err = lru.New[string, store.Holding](keptHoldings); err != nil {
		return nil, err
	}
	if sv.texts, err = lru.New[string, []protocol.Chunk](keptFiles); err != nil {
		return nil, err
	}
	x.words, x.server = &lexicon{english: opts.Words}, sv
	return x, nil
}

// deepenServer brings the server's second collection up to the world.
func (x *Index) deepenServer(
	ctx context.Context, encoder embed.Embedder, answers Answering, opts Options,
) (int, error) {
	n, err := refresh(ctx, x.server.corpus, encoder, x.world.Name, x.files, opts)
	if err != nil {
		return n, fmt.Errorf("index world %s with %s: %w", x.world.Name, encoder.ID(), err)
	}
	for i := range x.files {
		x.files[i].chunks = nil
	}
	x.server.samples.Purge()
	x.meaning.Store(&meaning{encoder: encoder, answers: answers})
	return n, nil
}

// asking is what is asked of the server for one question.
type asking struct {
	scope store.Scope
	terms []queryTerm
	stems []string // whose place in the scope is asked for
	text  string   // as the static vectors read it,
	meant string   // and as the sentence encoder does
	deep  *meaning
	you   bool // it is about the NPC itself
}

// ask reads the question as the search itself will read it.
func (x *Index) ask(query Query, wider []word, without map[string]string) *asking {
	s := &search{x: x, query: query, q: parseQuestion(query.Message)}
	s.lean()
	s.q.takeTerms(wider, false, true)
	a := &asking{terms: s.q.terms, text: s.embedText(), meant: s.meantText(), deep: x.meaning.Load(), you: s.q.you}
	for _, t := range s.q.terms {
		a.stems = append(a.stems, t.stem)
		if plain, ok := plainWords[t.word]; ok {
			a.stems = append(a.stems, text.Stem(plain))
		}
	}
	for _, w := range s.q.words {
		if w.stem != "" {
			a.stems = append(a.stems, w.stem, text.Stem(w.text))
		}
	}
	slices.Sort(a.stems)
	a.stems = slices.Compact(a.stems)
	a.stems = a.stems[:min(len(a.stems), longestAsk)]
	a.scope = store.Scope{
		World: x.world.Name, NPC: query.NPC.Handle, KnownBy: meant(query.NPC),
		At: query.Check.GameTime, Started: query.Check.TurnStart,
	}
	for requires, condition := range x.server.conditions {
		if query.Gated || condition.Holds(query.Facts) {
			a.scope.Met = append(a.scope.Met, requires)
		}
	}
	slices.Sort(a.scope.Met)
	for id := range without {
		a.scope.Without = append(a.scope.Without, id)
	}
	return a
}

// meant are the entries of known_by that mean an NPC: see world.ScopeOf.
func meant(npc *world.NPC) []string {
	out := []string{"all", npc.Handle, "region:" + npc.Region}
	for _, f := range npc.Factions {
		out = append(out, "faction:"+f, f)
	}
	return out
}

// gather asks the server, and makes of what it gives an index for one question.
func (x *Index) gather(ctx context.Context, a *asking, npc *world.NPC) (*Index, error) {
	sample, err := x.sampleOf(ctx, a, npc)
	if err != nil {
		return nil, err
	}
	f, err := x.counted(ctx, a)
	if err != nil {
		return nil, err
	}
	words, deep, err := x.ranked(ctx, a, f)
	if err != nil {
		return nil, err
	}
	return x.around(ctx, f, a.deep, sample, words, deep)
}

// counted is what the server counts of the scope. It is kept for the further searches of
// a turn, which ask of the same scope.
func (x *Index) counted(ctx context.Context, a *asking) (*facts, error) {
	sv := x.server
	sv.mu.Lock()
	key := fmt.Sprintf("%s %+v", sv.state, a.scope)
	sv.mu.Unlock()
	f := &facts{refused: map[string]int{}, held: map[string]store.Holding{}}
	var missing []string
	for _, stem := range a.stems {
		if h, ok := sv.holdings.Get(key + stem); ok {
			f.held[stem] = h
		} else {
			missing = append(missing, stem)
		}
	}
	group, inGroup := errgroup.WithContext(ctx)
	if tally, ok := sv.tallies.Get(key); ok {
		f.tally = tally
	} else {
		group.Go(func() (err error) {
			f.tally, err = sv.corpus.Tally(inGroup, a.scope, x.embedder.ID())
			return err
		})
	}
	var holdings []store.Holding
	group.Go(func() (err error) {
		holdings, err = sv.corpus.Held(inGroup, a.scope, x.embedder.ID(), missing)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	sv.tallies.Add(key, f.tally)
	for i, stem := range missing {
		f.held[stem] = holdings[i]
		sv.holdings.Add(key+stem, holdings[i])
	}
	return f, nil
}

// ranked are the candidates and the files that they stand in, as each of the two
// embeddings has them.
func (x *Index) ranked(ctx context.Context, a *asking, f *facts) (words, deep []store.Hit, err error) {
	corpus := x.server.corpus
	terms := f.weighed(x, a.terms)
	if words, _, err = x.rankBy(ctx, a, f, x.embedder, a.text, terms); err != nil {
		return nil, nil, err
	}
	if a.deep != nil {
		var ask store.Ask
		if deep, ask, err = x.rankBy(ctx, a, f, a.deep.encoder, a.meant, terms); err != nil {
			return nil, nil, err
		}
		if a.you {
			ask.Beside = ofSomebody
		}
		if f.outside, f.hasOutside, err = corpus.Outside(ctx, ask); err != nil {
			return nil, nil, err
		}
		static := words
		more, err := corpus.Pick(ctx, a.scope, x.embedder.ID(), lacking(static, deep))
		if err != nil {
			return nil, nil, err
		}
		words = append(words, more...)
		if more, err = corpus.Pick(ctx, a.scope, a.deep.encoder.ID(), lacking(deep, static)); err != nil {
			return nil, nil, err
		}
		deep = append(deep, more...)
	}
	var paths []string
	for _, h := range words {
		if !slices.Contains(paths, h.Chunk.Path) {
			paths = append(paths, h.Chunk.Path)
		}
	}
	rest, err := corpus.Whole(ctx, a.scope, x.embedder.ID(), paths, nearbySize)
	return append(words, rest...), deep, err
}

// rankBy has the server rank by the vectors of one embedding and by words.
func (x *Index) rankBy(
	ctx context.Context, a *asking, f *facts, by embed.Embedder, question string, terms []store.Term,
) ([]store.Hit, store.Ask, error) {
	ask := store.Ask{Scope: a.scope, Model: by.ID(), Terms: terms, Limit: rankedPassages}
	ask.Many = f.tally.Open > manyPassages
	vectors, err := by.Embed(ctx, []string{question})
	if err != nil {
		return nil, ask, fmt.Errorf("embed the question: %w", err)
	}
	ask.Vector = vectors[0]
	hits, err := x.server.corpus.Rank(ctx, ask)
	return hits, ask, err
}

// lacking are the ids of passages that the first list lacks and the second has.
func lacking(first, second []store.Hit) []string {
	var out []string
	for _, h := range second {
		if !slices.ContainsFunc(first, func(o store.Hit) bool { return o.Chunk.ID == h.Chunk.ID }) {
			out = append(out, h.Chunk.ID)
		}
	}
	return out
}

// sampleOf is the sample of an NPC, from the server where it is not kept.
func (x *Index) sampleOf(ctx context.Context, a *asking, npc *world.NPC) (sampled, error) {
	sv := x.server
	state, err := sv.corpus.Standing(ctx, x.world.Name, x.embedder.ID())
	if err == nil && a.deep != nil {
		var second string
		second, err = sv.corpus.Standing(ctx, x.world.Name, a.deep.encoder.ID())
		state += second
	}
	if err != nil {
		return sampled{}, err
	}
	sv.mu.Lock()
	sv.state = state
	sv.mu.Unlock()
	if kept, ok := sv.samples.Get(sampleKey(state, npc)); ok {
		return kept, nil
	}
	var out sampled
	if out.hits, out.all, err = sv.corpus.Sample(ctx, a.scope, x.embedder.ID(), sv.sample); err != nil {
		return out, err
	}
	if a.deep != nil {
		if out.deep, _, err = sv.corpus.Sample(ctx, a.scope, a.deep.encoder.ID(), sv.sample); err != nil {
			return out, err
		}
	}
	sv.samples.Add(sampleKey(state, npc), out)
	return out, nil
}

func sampleKey(state string, npc *world.NPC) string { return state + "/" + npc.Handle }

// document is a file's passages, kept for a while. Where the server is away and they are
// not kept there are none, and what would rest on them is not said.
func (x *Index) document(path string) []protocol.Chunk {
	ctx, stop := context.WithTimeout(context.Background(), fileLimit)
	defer stop()
	sv := x.server
	sv.mu.Lock()
	key := sv.state + "/" + path
	sv.mu.Unlock()
	if kept, ok := sv.texts.Get(key); ok {
		return kept
	}
	chunks, err := sv.corpus.File(ctx, x.world.Name, x.embedder.ID(), path)
	if err != nil {
		return nil
	}
	sv.texts.Add(key, chunks)
	return chunks
}

// idfOf is how rare a word is that stands in so many documents.
func idfOf(documents, of int) float64 {
	n, df := float64(of), float64(documents)
	return math.Log(1 + max(0, n-df+0.5)/(df+0.5))
}
