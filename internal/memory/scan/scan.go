// Package scan is Guard 2: it looks through the stored memories of a world for
// what says the same twice, what has changed, and what contradicts, and gives the
// events by which the log takes note of it. It is pure: it reads no clock, keeps
// nothing between two runs and writes to no store. Nothing it does deletes a
// memory, and it resolves no contradiction.
//
// Signals name suspects, rules dismiss most of them at sight, and what is left are
// clusters, of which a run judges a bounded number: first by rules, then by an
// entailment model, and by a language model only where both do not know.
package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// By is who the events of a scan are by.
const By = "guard2"

// Item is a memory as the index keeps it.
type Item struct {
	schema.Memory
	Vector   []float32 // of its content; empty where there is none
	Model    string    // the embedding that made it: vectors of two do not compare
	Accessed int
}

// Settings bound a scan and say what it does by itself.
type Settings struct {
	Structural  bool
	Floor       float64       // of the cosine, in the embedding's own scale; 0: no semantic signal
	Drift       time.Duration // between two valid_from of one key; 0: no temporal signal
	MaxClusters int           // judged in one run
	MaxCalls    int           // of the judge in one run
	Merge       bool
	Supersede   bool
	Flag        bool
	Seed        uint64 // of the trees by which large buckets are searched
}

// maxCalls bounds what a judge may cost a night.
const maxCalls = 50

// From are the settings of the guards for an embedding.
func From(c guards.Consistency, model string) Settings {
	return Settings{
		Structural: c.Signals.Structural, Floor: Floor(model, c.Signals.Similarity),
		Drift:       time.Duration(c.Signals.DriftDays) * 24 * time.Hour,
		MaxClusters: c.MaxClusters, MaxCalls: maxCalls,
		Merge: c.Auto.Merge, Supersede: c.Auto.Supersede, Flag: c.Auto.Flag,
	}
}

// Scanner scans. Entail and Judge may be nil: what the rules do not know stays
// unclear then, and nothing happens to it.
type Scanner struct {
	Settings   Settings
	Rule       memory.Rule
	Predicates *memory.PredicateTable
	Entail     Entailer
	Judge      Judge
	Prove      Prover // nil: memories are not held against their own words again
}

// Input is what one run looks at.
type Input struct {
	World    string
	Memories []Item             // of the world; those that are not active are passed over
	Lore     []Lore             // sentences of it that changed since the last run
	Judged   map[string]Verdict // by earlier runs: Result.Judged, kept
	// PairKey of memories that an operator called distinct, or between which an action was undone
	Settled map[string]bool
	Proved  map[string]bool // ProofKey of memories that earlier runs found proved: Result.Proved, kept
	// Withdrawn are memories of which the evidence is gone, by id, with why.
	Withdrawn map[string]string
	Now       time.Time // wall time of the events
}

// Result is what a run found. The events are to be appended first and Judged kept
// afterwards: a run that is killed between the two gives the same events again,
// under the same ids.
type Result struct {
	Report   Report
	Events   []schema.MemoryEvent
	Judged   map[string]Verdict // those judged before that were met again are among them
	Proved   map[string]bool    // of the memories that stay, those that are
	Accessed map[string]int     // of canonical memories, summed over what was merged
}

// PairKey names two memories in either order.
func PairKey(a, b string) string {
	if b < a {
		a, b = b, a
	}
	return a + " " + b
}

// run is the state of one scan.
type run struct {
	*Scanner
	ctx   context.Context
	in    *Input
	items []*Item // active ones by id
	vocab vocabulary
	trait []*traits // of items, made when first needed
	value []*value  // likewise
	index map[string]int
	preds map[string]string // to their canonical names
	kin   map[who]string    // players' relatives to their names
	gone  map[int]bool      // superseded or merged in this run
	out   Result
}

// Run scans a world once.
func (s *Scanner) Run(ctx context.Context, in Input) (Result, error) {
	r, err := s.begin(ctx, &in)
	if err != nil {
		return Result{}, err
	}
	clusters, err := r.find()
	if err != nil {
		return Result{}, err
	}
	if err := r.judgeAll(clusters); err != nil {
		return Result{}, err
	}
	if err := r.lore(); err != nil {
		return Result{}, err
	}
	r.out.Report.Actions = actions(r.out.Events)
	return r.out, nil
}

func (s *Scanner) begin(ctx context.Context, in *Input) (*run, error) {
	if s.Predicates == nil {
		return nil, fmt.Errorf("scan of %s: the predicates are missing", in.World)
	}
	r := &run{Scanner: s, ctx: ctx, in: in, index: map[string]int{}, preds: map[string]string{}, gone: map[int]bool{},
		vocab: newVocabulary()}
	r.out.Judged, r.out.Accessed = map[string]Verdict{}, map[string]int{}
	for i := range in.Memories {
		m := &in.Memories[i]
		if m.World != in.World {
			return nil, fmt.Errorf("scan of %s: memory %s is of world %q", in.World, m.ID, m.World)
		}
		if m.Status == schema.MemoryActive {
			r.items = append(r.items, m)
		}
	}
	slices.SortFunc(r.items, func(a, b *Item) int { return strings.Compare(a.ID, b.ID) })
	r.items = slices.CompactFunc(r.items, func(a, b *Item) bool { return a.ID == b.ID })
	r.out.Report.Memories = len(r.items)
	if err := r.prove(); err != nil {
		return nil, err
	}
	for i, m := range r.items {
		r.index[m.ID] = i
	}
	r.kin = r.relatives()
	r.trait, r.value = make([]*traits, len(r.items)), make([]*value, len(r.items))
	return r, nil
}

// canonical is a predicate's canonical name, looked up once.
func (r *run) canonical(name string) string {
	c, ok := r.preds[name]
	if !ok {
		c, _ = r.Predicates.Canonical(name) // an unknown one is its own
		r.preds[name] = c
	}
	return c
}

// rule is how two values of a predicate are judged.
func (r *run) rule(pred string) memory.Rule {
	if gap, own := r.Predicates.Gap(pred); own {
		return memory.Rule{Gap: gap}
	}
	return r.Rule
}

// settled says whether nothing more is to be done between two memories.
func (r *run) settled(i, k int) bool {
	a, b := r.items[i], r.items[k]
	return slices.Contains(a.Contradicts, b.ID) || len(r.in.Settled) > 0 && r.in.Settled[PairKey(a.ID, b.ID)]
}
