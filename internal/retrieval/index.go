package retrieval

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Index is a world's index in memory. It is read only once it is open and may be
// asked from many goroutines.
type Index struct {
	Embedded int // files embedded by Open; the rest was found in the corpus

	world    *world.World
	embedder embed.Embedder
	english  *embed.Tokenizer // its vocabulary stands in the order of frequency
	files    []file           // without their passages
	vectors  *embed.Rows      // of all windows, one after the other
	filed    *embed.Rows      // of documents, by what they are filed under; nil where nothing is known of words
	passages []passage
	limits   []limits // by passage
	docOf    []int32  // by passage
	docs     []document
	// of all passages, one after the other: their words, each once, without those that only fill
	content   []int32
	contentAt []int32          // by passage: where its words begin; one more for the end
	byPath    map[string][]int // path to passages
	vocab     map[string]int32 // stem to term
	terms     []term
	surface   []string // by term: a word as it is written
	isStop    []bool   // by term
	isProper  []bool   // by term: written with a capital wherever it stands inside a sentence
	inside    []int32  // by term: how often it stands inside a sentence,
	capitals  []int32  // and how often of these it has a capital
	views     sync.Map // handle to *view
	models    *Fitted
	deep      *Fitted // where the index searches by meaning

	words   *lexicon
	server  *server    // where the lore lies on a server
	facts   *facts     // where this is a part of a scope
	reading sync.Mutex // over what is read from a passage when it is first a candidate
	meaning atomic.Pointer[meaning]
}

// term is what the index knows of a stem.
type term struct {
	postings []posting // in passages' text
	metas    []posting // in documents' metadata
}

// posting is how often a term stands in a passage, or how much it weighs in a
// document's metadata.
type posting struct {
	at     int32
	weight float32
}

// passage is a chunk made ready for search.
type passage struct {
	chunk     protocol.Chunk
	condition world.Condition
	sealed    bool   // its condition cannot be read: never told
	signature string // what shows that a model or a prompt made it: never told
	doc       int32
	stems     []int32
	read      bool         // forms and named have been read
	forms     form         // the sorts of things that it holds
	named     intent.Named // the sorts of things that it names
	length    float32
	windows   [2]int32 // first and one past the last of its windows
}

// document is what passages share.
type document struct {
	id         string
	passages   []int32
	metaLength float32
	keywords   map[string]bool // keywords and file name, folded
	keyTerms   []int32         // their content words
}

// Open brings the corpus up to the world and reads it into memory.
func Open(ctx context.Context, corpus store.Corpus, emb embed.Embedder, w *world.World, opts Options) (*Index, error) {
	if w.Forgotten() {
		return nil, fmt.Errorf("index world %s: its texts are no longer in memory; load it anew", w.Name)
	}
	files := filesOf(w)
	embedded, err := refresh(ctx, corpus, emb, w.Name, files, opts)
	if err != nil {
		return nil, fmt.Errorf("index world %s: %w", w.Name, err)
	}
	if server, ok := corpus.(store.Searching); ok {
		return openServer(server, emb, w, files, embedded, opts)
	}
	x := &Index{
		Embedded: embedded, files: files, world: w, embedder: emb, models: shipped, deep: shippedDeep,
		byPath: map[string][]int{}, vocab: map[string]int32{},
	}
	if opts.Words != nil {
		x.english = opts.Words.Tokenizer()
		x.filed = embed.NewRows(opts.Words.Dim(), len(files))
	}
	var cuts []cut
	if x.vectors, cuts, err = vectorsOf(ctx, corpus, emb, "words", w.Name, files, opts); err != nil {
		return nil, fmt.Errorf("read the index of world %s: %w", w.Name, err)
	}
	ids := map[string]int32{}
	for i := range files {
		for k := range files[i].chunks {
			files[i].chunks[k].IndexedAt = cuts[i].indexed
		}
		if err := x.add(ctx, files[i].chunks, cuts[i].windows, ids, opts.Words); err != nil {
			return nil, fmt.Errorf("read the index of world %s: %s: %w", w.Name, files[i].path, err)
		}
		files[i].chunks = nil
	}
	if err := x.finish(ctx, opts.Words); err != nil {
		return nil, fmt.Errorf("index world %s: %w", w.Name, err)
	}
	return x, nil
}

// finish makes ready what needs all documents.
func (x *Index) finish(ctx context.Context, english *embed.Static) (err error) {
	x.contentAt = append(x.contentAt, int32(len(x.content)))
	x.isProper = make([]bool, len(x.terms))
	for id := range x.terms {
		x.isProper[id] = x.isCapital(int32(id)) //nolint:gosec // as many as there are words
	}
	x.words, err = newLexicon(ctx, english, x.surface)
	return err
}

// add takes a file's passages and terms in; windows is how many vectors each has.
func (x *Index) add(
	ctx context.Context, chunks []protocol.Chunk, windows []int32, ids map[string]int32, english *embed.Static,
) error {
	var doc *document
	for i, c := range chunks {
		p := passage{chunk: c, length: 1, signature: grounding.Signature(c.Text)}
		if c.Requires != "" {
			cond, err := world.ParseCondition(c.Requires)
			p.condition, p.sealed = cond, err != nil
		}
		if id := documentID(c); doc == nil || doc.id != id {
			x.docs = append(x.docs, document{id: id, keywords: map[string]bool{}})
			doc = &x.docs[len(x.docs)-1]
			x.addMetadata(doc, c)
			if err := x.addSummary(ctx, c, english); err != nil {
				return err
			}
		}
		at := len(x.passages)
		first := int32(0)
		if at > 0 {
			first = x.passages[at-1].windows[1]
		}
		p.windows = [2]int32{first, first + windows[i]}
		p.doc = int32(len(x.docs) - 1)
		x.addText(&p, int32(at), ids)
		doc.passages = append(doc.passages, int32(at))
		x.passages = append(x.passages, p)
		x.limits = append(x.limits, limitsOf(&p))
		x.docOf = append(x.docOf, p.doc)
		x.byPath[c.Path] = append(x.byPath[c.Path], at)
	}
	return nil
}

// ready reads of passages what only candidates are asked for, each in its turn on one of
// the machine's cores: the patterns take most of the time of a search.
func (x *Index) ready(passages []int32) {
	x.reading.Lock()
	defer x.reading.Unlock()
	cores := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for core := range cores {
		wait.Go(func() {
			for i := core; i < len(passages); i += cores {
				if p := &x.passages[passages[i]]; !p.read {
					p.forms, p.named, p.read = formsOf(p.chunk.Text), intent.NamedIn(p.chunk.Text), true
				}
			}
		})
	}
	wait.Wait()
}

// window is the i-th vector.
func (x *Index) window(i int32) []float32 { return x.vectors.At(int(i)) }

// documentID tells the parts of an NPC's own file apart.
func documentID(c protocol.Chunk) string {
	switch c.Type {
	case "secret":
		return c.ID
	case protocol.TypeGoal, protocol.TypePersonality:
		return c.Path + "#" + c.Type
	}
	return c.Path
}

func (x *Index) termOf(word string) int32 {
	stem := text.Stem(word)
	id, ok := x.vocab[stem]
	if !ok {
		if x.server != nil {
			word = x.server.vocabulary.written(stem)
		}
		id = int32(len(x.terms))
		x.vocab[stem] = id
		x.terms = append(x.terms, term{})
		x.surface = append(x.surface, word)
		x.isStop = append(x.isStop, text.IsStop(word))
		x.inside = append(x.inside, 0)
		x.capitals = append(x.capitals, 0)
	}
	return id
}

func (x *Index) addText(p *passage, at int32, ids map[string]int32) {
	p.stems = x.stemsOf(p.chunk.Text, ids)
	p.length += float32(len(p.stems))
	x.contentAt = append(x.contentAt, int32(len(x.content)))
	sorted := slices.Clone(p.stems)
	slices.Sort(sorted)
	for len(sorted) > 0 {
		id, n := sorted[0], 1
		for n < len(sorted) && sorted[n] == id {
			n++
		}
		sorted = sorted[n:]
		x.terms[id].postings = append(x.terms[id].postings, posting{at, float32(n)})
		if !x.isStop[id] {
			x.content = append(x.content, id)
		}
	}
}

// addCapitals counts how a text's words are written inside its sentences.
func (x *Index) addCapitals(body string, ids map[string]int32) {
	fresh, end := true, 0
	for _, span := range text.WordSpans(body) {
		fresh = fresh || strings.ContainsAny(body[end:span.Start], ".!?\n:\"“")
		end = span.End
		w := body[span.Start:span.End]
		if plain := text.Words(w); !fresh && len(plain) > 0 {
			id, ok := ids[plain[0]]
			if !ok {
				id = x.termOf(plain[0])
				ids[plain[0]] = id
			}
			x.inside[id]++
			if isCapital(w) {
				x.capitals[id]++
			}
		}
		fresh = false
	}
}

// The weights of metadata in the lexical search.
const (
	weightKeyword = 3
	weightName    = 3
	weightSummary = 1
	weightOther   = 0.5
)

// addMetadata indexes type, summary, keywords, file name, author and speaker of
// a document: they help find it and ground nothing.
func (x *Index) addMetadata(d *document, c protocol.Chunk) {
	weights := map[int32]float32{}
	put := func(s string, w float32) {
		for _, word := range text.Words(s) {
			id := x.termOf(word)
			weights[id] = max(weights[id], w)
		}
	}
	key := func(k string, w float32) {
		put(k, w)
		d.keywords[text.Fold(k)] = true
		for _, word := range text.Words(k) {
			if !text.IsStop(word) {
				d.keyTerms = append(d.keyTerms, x.termOf(word))
			}
		}
	}
	for _, k := range c.Keywords {
		key(k, weightKeyword)
	}
	name := fileTitle(c.Path)
	if c.Type != "backstory" && documentID(c) == c.Path {
		key(name, weightName)
	}
	put(c.Summary, weightSummary)
	put(c.Type, weightOther)
	put(c.Author, weightOther)
	put(c.Speaker, weightOther)
	at := int32(len(x.docs) - 1)
	ids := make([]int32, 0, len(weights))
	for id := range weights {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		x.terms[id].metas = append(x.terms[id].metas, posting{at, weights[id]})
		d.metaLength += weights[id]
	}
}

// fileTitle is a file's name as words.
func fileTitle(p string) string {
	base := path.Base(p)
	base = strings.TrimSuffix(base, path.Ext(base))
	return strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(base)
}

// Document is every passage of a file in order, whoever may know it: the caller
// filters.
func (x *Index) Document(path string) []protocol.Chunk {
	if x.server != nil {
		return x.document(path)
	}
	var out []protocol.Chunk
	for _, i := range x.byPath[path] {
		out = append(out, x.passages[i].chunk)
	}
	return out
}

// Files is how many files the index holds.
func (x *Index) Files() int { return len(x.files) }

// Passages is how many passages the index holds.
func (x *Index) Passages() int {
	if x.server != nil {
		return x.server.passages
	}
	return len(x.passages)
}
