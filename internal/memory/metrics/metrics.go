// Package metrics counts what the three guards of memory do, for Prometheus. It
// counts and writes its text format; it serves nothing, keeps nothing on disk and
// judges no figure: k8s/monitoring has the rules that do.
//
// Every name is written from the start, at nothing: a counter that first appears
// when it has counted hides its first step from whoever looks at changes.
package metrics

import (
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Metrics are the counters of one process. They are safe to share.
type Metrics struct {
	mu       sync.Mutex
	verdicts map[schema.GroundingLabel]uint64
	grounded histogram
	blocked  uint64
	worlds   map[string]*world
	risks    map[faithful.Risk]uint64
	scored   histogram
	policies map[faithful.Step]uint64
	funnel   map[Stage]uint64
	calls    map[string]calls
}

// calls are what was asked of language models.
type calls struct {
	n    uint64
	cost float64
}

// Stage is a narrowing on the way from what is said to what is remembered.
type Stage string

// The stages, each of what the one before lets through.
const (
	Turns      Stage = "turns"      // replies released
	Read       Stage = "read"       // of them, those in which there is something to remember to be looked for
	Candidates Stage = "candidates" // that came out of them, and of what the game saw
	Judged     Stage = "grounded"   // that got a verdict
	Stored     Stage = "stored"     // that are active
)

// world is what the scans of one world did.
type world struct {
	clusters uint64
	actions  map[string]uint64
	took     time.Duration // of the last scan
	scanned  bool
}

// The values of the labels, in the order in which they are written.
var (
	labels  = []schema.GroundingLabel{schema.GroundingSupported, schema.GroundingPartial, schema.GroundingNotSupported, schema.GroundingUnknown}
	actions = []string{"merge", "supersede", "flag", "unproven"}
	steps   = []faithful.Step{faithful.Annotate, faithful.Regenerate, faithful.Refuse}
	stages  = []Stage{Turns, Read, Candidates, Judged, Stored}
	asked   = []string{"extract", "ground", "rewrite", "judge", "score"} // what a language model may be asked for
)

// bounds are the upper bounds of the times, in seconds. Those that an alert or a
// measure speaks of stand among them, so that neither rests on a guess within one.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10}

// New makes the metrics of a process that has the given worlds.
func New(worlds ...string) *Metrics {
	m := &Metrics{
		verdicts: map[schema.GroundingLabel]uint64{}, grounded: newHistogram(), worlds: map[string]*world{},
		risks: map[faithful.Risk]uint64{}, scored: newHistogram(), policies: map[faithful.Step]uint64{},
		funnel: map[Stage]uint64{}, calls: map[string]calls{},
	}
	for _, w := range worlds {
		m.world(w)
	}
	return m
}

// World makes a world known, so that its counters are written from now on.
func (m *Metrics) World(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.world(name)
}

func (m *Metrics) world(name string) *world {
	w := m.worlds[name]
	if w == nil {
		w = &world{actions: map[string]uint64{}}
		m.worlds[name] = w
	}
	return w
}

// Grounded counts one verdict of Guard 1 and what it took. dropped says that the
// candidate was let go; with the verdict NOT_SUPPORTED it is a fabrication blocked.
func (m *Metrics) Grounded(v schema.GroundingLabel, dropped bool, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.verdicts[v]++
	m.grounded.add(took)
	if dropped && v == schema.GroundingNotSupported {
		m.blocked++
	}
}

// Passed counts what has come through a stage of the funnel. Two stages over each
// other are a share; over turns, times a thousand, what a thousand turns leave.
func (m *Metrics) Passed(s Stage, n int) {
	if n <= 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.funnel[s] += uint64(n)
}

// Called counts calls of a language model for memory, and what they cost in the
// currency of the budgets.
func (m *Metrics) Called(forWhat string, n int, cost float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.calls[forWhat]
	m.calls[forWhat] = calls{c.n + uint64(max(n, 0)), c.cost + max(cost, 0)}
}

// Scanned counts one run of Guard 2. A cluster that an earlier run judged, and that
// has not changed since, was found then.
func (m *Metrics) Scanned(name string, r scan.Report, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.world(name)
	w.clusters += uint64(max(0, r.Clusters-r.Known))
	for _, a := range actions {
		w.actions[a] += uint64(max(0, r.Actions[a]))
	}
	w.took, w.scanned = took, true
}

// Scored counts one reply that Guard 3 scored, and what that took.
func (m *Metrics) Scored(r faithful.Risk, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.risks[r]++
	m.scored.add(took)
}

// Applied counts what the policy did with a reply. A reply released as it is is
// none of its actions.
func (m *Metrics) Applied(s faithful.Step) {
	if s == faithful.Release {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.policies[s]++
}

// histogram counts times by bounds.
type histogram struct {
	counts []uint64 // of bounds, each by itself; the last is above all
	sum    float64
	n      uint64
}

func newHistogram() histogram { return histogram{counts: make([]uint64, len(bounds)+1)} }

func (h *histogram) add(took time.Duration) {
	s := max(0, took.Seconds())
	i := 0
	for i < len(bounds) && s > bounds[i] {
		i++
	}
	h.counts[i]++
	h.sum += s
	h.n++
}
