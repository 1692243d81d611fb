// Package retrieval is Pass 1's index: it finds, among the passages that one NPC
// may know at one game time, those that answer a message, and says how likely it
// is that they do. Lexical search (BM25 over text and metadata) and search by
// embedding are fused and reranked, and a small fitted model judges the answer.
// It writes no sentence and decides nothing: what a confidence is worth is for
// the caller.
package retrieval

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Options are what an index may be told besides its world.
type Options struct {
	Now      func() time.Time      // wall time, for IndexedAt; required
	Progress func(done, total int) // called after each stored batch of documents
	Notice   func(line string)     // told of a damaged file that was set aside
	Vectors  string                // folder of the files of vectors, which processes share; empty keeps them in memory
	Words    *embed.Static         // what is known of English words; without it words are compared by stem alone
}

// Query is a message of a player to an NPC.
type Query struct {
	NPC     *world.NPC
	Message string
	TopK    int // 8 when zero
	Check   grounding.Check
	Facts   world.Facts
	Gated   bool     // take conditions for met: to learn whether an answer is kept back, never to give it
	Player  string   // the player's name, which is never an unknown one
	Context []string // the last lines of the conversation, oldest first
	Zones   Zones
	Once    bool // no second search, however unsure the first is

	scan *scan // of the search before
}

// Result is what a citation query found.
type Result struct {
	Retrieval protocol.Retrieval
	Sources   []protocol.Source // one passage each, best first
	Unknown   []string          // names in the message that nothing in scope holds
	Whole     string            // a question that says nothing of itself, behind what it leans on; else empty
	Named     bool              // a word of the message, or of what it leans on, stands in the first source
}

// The limits of a citation query.
const (
	defaultTopK    = 8
	candidatesPerK = 4 // candidates reranked, times TopK
	perDocument    = 3 // passages of one document
)

// Explanation is what the fitted models saw of a query: for fitting them and for
// looking into a ranking.
type Explanation struct {
	Candidates []Explained // best first
	Message    []float64   // the gate's features, in the order of GateNames
	Confidence float64
	Unknown    []string
	Answers    []float64 // what the trained judgement says of the first candidates, from -1 to 1; none: it was not asked
}

// Explained is a candidate with its features, in the order of FeatureNames.
type Explained struct {
	Path     string
	ChunkID  string
	Features []float64
	Score    float64
}

// FeatureNames are the ranker's features.
func FeatureNames() []string { return append([]string(nil), featureNames...) }

// GateNames are the gate's features.
func GateNames() []string { return append([]string(nil), gateFeatures...) }

// SureNames are the gate's features where the judgement was asked: its own, and what is
// said of the first candidate.
func SureNames() []string { return append([]string(nil), sureFeatures...) }

// Explain runs a query as CitationQuery does first, without widening it, and shows its features.
func (x *Index) Explain(ctx context.Context, query Query) (Explanation, error) {
	s, err := x.run(ctx, query)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Confidence: s.capped(), Unknown: s.unknown()}
	if len(s.found) > 0 {
		e.Message = s.judged()
		e.Answers = s.answering
	}
	for _, c := range s.found {
		k := s.x.passages[c.at].chunk
		e.Candidates = append(e.Candidates, Explained{Path: k.Path, ChunkID: k.ID, Features: c.features, Score: c.score})
	}
	return e, nil
}

// Use replaces the fitted models, for fitting them.
func (x *Index) Use(f Fitted) error {
	if err := f.Ranker.bind(featureNames); err != nil {
		return err
	}
	if err := f.Gate.bind(gateFeatures); err != nil {
		return err
	}
	if err := f.Sure.bind(sureFeatures); err != nil {
		return err
	}
	x.models, x.deep = &f, &f
	return nil
}

// addSummary embeds what a document is filed under. It helps to find and to judge
// a document as a whole, beside the search by its text.
func (x *Index) addSummary(ctx context.Context, c protocol.Chunk, english *embed.Static) error {
	if english == nil {
		return nil
	}
	v, err := english.Embed(ctx, []string{c.Summary + ". " + strings.Join(c.Keywords, ", ")})
	if err != nil {
		return fmt.Errorf("embed what %s is filed under: %w", c.Path, err)
	}
	return x.filed.Add(v[0])
}
