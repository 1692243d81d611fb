// Package report tells operators what the three guards of memory do: as counters for
// Prometheus, as it happens, and as the report of a week. The report holds each figure
// against the range in which it is healthy and against the four weeks before, and says how
// large the risk is that players are told what is not so. It is one JSON document, shown as
// tables or as one HTML page.
//
// It judges no memory, reads no clock and raises no alarm: the rules of k8s/monitoring do
// that. A figure of too few cases is neither called healthy nor held against anybody. What
// was erased is gone from the log, and so from the counts of its weeks.
//
// Start reading at Make.
package report

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Risk is the overall risk.
type Risk string

// The risks. Without a single figure of enough cases, none of the three is said.
const (
	Low      Risk = "LOW"
	Elevated Risk = "ELEVATED"
	High     Risk = "HIGH"
	NotKnown Risk = "NOT KNOWN"
)

// Report is a week of the guards.
type Report struct {
	World    string    `json:"world"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Risk     Risk      `json:"risk"`
	Why      string    `json:"why"`
	Figures  []Figure  `json:"figures"`
	Early    []string  `json:"early_signs,omitempty"`
	Patterns []Pattern `json:"patterns,omitempty"`

	Grounding Grounding `json:"grounding"`
	Blocked   []Share   `json:"blocked_by_predicate,omitempty"`
	Waiting   int       `json:"waiting"` // for a verdict, at the end
	Scans     Scans     `json:"scans"`
	LastScan  time.Time `json:"last_scan,omitzero"`
	Flags     Flags     `json:"contradictions"`
	// Proposals are predicates that the world's predicates.yaml may lack.
	Proposals []Proposal `json:"proposed_predicates,omitempty"`
	Replies   Replies    `json:"replies"`
	Mean      float64    `json:"mean_faithfulness"`
	Policy    string     `json:"policy,omitempty"`
	Funnel    Funnel     `json:"funnel"`
	Trend     []Trend    `json:"trend"` // of four weeks, oldest first
}

// Trend is one week beside the others.
type Trend struct {
	From     time.Time `json:"from"`
	Risk     Risk      `json:"risk,omitempty"` // as it was reported; empty: no report of that week is kept
	Blocked  Past      `json:"blocked"`
	Clusters Past      `json:"clusters_per_10k_memories"`
	HighRisk Past      `json:"high_risk"`
	Mean     float64   `json:"mean_faithfulness"` // of HighRisk.N replies
	Acted    int       `json:"acted"`             // replies that Guard 3 marked, had said again, or blocked
}

// Make makes the report of the week that ends at in.Now.
func Make(in Input) *Report {
	log, undone := once(in.Events, in.Now)
	list := in.count(log, undone)
	last := &list[weeks-1]
	r := &Report{
		World: in.World, From: last.From, To: last.To, Policy: in.Policy, Figures: figures(list, in.Policy, in.proposes()),
		Grounding: last.Grounding, Blocked: most(last.blocked), Scans: last.Scans, Replies: last.Replies,
		Mean: last.Replies.Mean(), Proposals: in.proposals(log, undone), Funnel: in.funnel(last.Grounding),
	}
	r.Flags, r.Waiting = in.follow(log, undone)
	for _, s := range in.Scans {
		if s.At.Before(in.Now) && s.At.After(r.LastScan) {
			r.LastScan = s.At
		}
	}
	r.Patterns, r.Early = patterns(r.Figures, list, r.Flags), early(r.Figures)
	last.Risk, r.Why = overall(r.Figures)
	r.Risk = last.Risk
	for i, w := range list[1:] {
		at := func(figure int) Past { return r.Figures[figure].Weeks[i+1] }
		r.Trend = append(r.Trend, Trend{From: w.From, Risk: w.Risk, Blocked: at(0), Clusters: at(1), HighRisk: at(2),
			Mean: w.Replies.Mean(), Acted: w.Replies.Warned + w.Replies.Regenerated + w.Replies.Blocked})
	}
	return r
}

// overall is LOW where every figure is in its range, ELEVATED where one is out, and HIGH
// where two are or one is alarming.
func overall(figures []Figure) (Risk, string) {
	var out, few []string
	said, alarm := 0, false
	for i := range figures {
		switch f := &figures[i]; {
		case f.State.out():
			out = append(out, f.Name)
			alarm = alarm || f.alarms()
			said++
		case f.State == Healthy:
			said++
		case f.State == TooFew:
			few = append(few, f.Name)
		}
	}
	why := ""
	if len(few) > 0 {
		why = "; too few cases to say: " + strings.Join(few, ", ")
	}
	switch {
	case len(out) > 1 || alarm:
		return High, "out of range: " + strings.Join(out, ", ") + why
	case len(out) == 1:
		return Elevated, "out of range: " + out[0] + why
	case said == 0:
		return NotKnown, "no figure rests on enough cases"
	}
	return Low, "every figure that can be said is in its range" + why
}

// alarms says whether a figure alone makes the risk high. Few clusters to find are odd, and
// no risk.
func (f *Figure) alarms() bool {
	return f.State == Odd && (f.Key != Clusters || f.Value > f.Range.OddTop)
}

// Funnel is how much of what is said becomes memory, and what that costs.
type Funnel struct {
	Counted bool    `json:"counted"` // the turns and the calls were; what the log holds always is
	Turns   int     `json:"turns"`
	Partly  bool    `json:"turns_only,omitempty"` // of what the log does not hold, the turns alone were counted
	Steps   []Step  `json:"steps"`
	Calls   []Calls `json:"llm_calls,omitempty"`
	All     Calls   `json:"llm_calls_all"`
}

// Step is one narrowing.
type Step struct {
	Name string  `json:"name"`
	N    int     `json:"n"`
	Per  float64 `json:"per_1000_turns"` // nothing where there were no turns
}

// logged says whether the log itself holds what a step counts.
func (s *Step) logged() bool { return s.Name == "grounded" || s.Name == "stored" }

// funnel counts the last week. The first steps are given, the others are the log's.
func (in *Input) funnel(g Grounding) Funnel {
	f := Funnel{All: Calls{Stage: "all"}}
	read, extracted := 0, 0
	calls := map[string]Calls{}
	for _, w := range in.Work {
		if weekOf(w.At, in.Now) != weeks-1 {
			continue
		}
		f.Counted, f.Partly = true, f.Partly || w.TurnsOnly
		f.Turns, read, extracted = f.Turns+w.Turns, read+w.Read, extracted+w.Extracted
		for _, c := range w.Calls {
			calls[c.Stage] = Calls{c.Stage, calls[c.Stage].N + c.N, calls[c.Stage].Cost + c.Cost}
			f.All.N, f.All.Cost = f.All.N+c.N, f.All.Cost+c.Cost
		}
	}
	for _, stage := range slices.Sorted(maps.Keys(calls)) {
		f.Calls = append(f.Calls, calls[stage])
	}
	for _, s := range []Step{{Name: "turns", N: f.Turns}, {Name: "read for memories", N: read},
		{Name: "candidates", N: extracted},
		{Name: "grounded", N: g.Judged() + g.Unknown}, {Name: "stored", N: g.Stored}} {
		if f.Partly && !s.logged() && s.Name != "turns" {
			continue // not known is not none
		}
		s.Per = f.per(float64(s.N))
		f.Steps = append(f.Steps, s)
	}
	return f
}

// per scales a count to a thousand turns.
func (f *Funnel) per(n float64) float64 {
	return n * min(float64(f.Turns), 1) * 1000 / max(float64(f.Turns), 1)
}

// Input is what a report is made of. Only the five weeks before Now count. Events are an
// exception: a contradiction may have been flagged long ago.
type Input struct {
	World  string               // as it is titled; empty: all
	Now    time.Time            // where the last week ends
	Policy string               // Guard 3's: guards.PolicyWarn and so on; empty: it is off
	Skip   []schema.MemoryKind  // kinds that are not kept: refusing them is no block
	Events []schema.MemoryEvent // the memory log, in its order
	// Known says whether a world's table has a predicate; nil: none is proposed for it.
	Known func(world, pred string) bool
	Scans []Scan
	Reply []Reply
	Work  []Work
	// Earlier are the stored reports. They tell what the streams no longer hold.
	Earlier []*Report
}

// Scan is one run of Guard 2.
type Scan struct {
	At     time.Time // its end
	World  string
	Report scan.Report
}

// Reply is what Guard 3 said of one reply.
type Reply struct {
	At    time.Time
	Score float64
	Risk  faithful.Risk
	Step  faithful.Step
}

// Work is what the write path did in a stretch of time, and what it asked of language
// models. The log does not hold it.
type Work struct {
	At        time.Time // the stretch's beginning
	Turns     int       // replies released
	Read      int       // of them, those that were no greeting, small talk or repeat
	Extracted int       // candidates that came out of them
	Calls     []Calls
	TurnsOnly bool // nothing but the turns was counted: the rest is not known
}

// Calls are calls of a language model, of one stage.
type Calls struct {
	Stage string  `json:"stage"` // extract, ground, rewrite, judge, score
	N     int     `json:"calls"`
	Cost  float64 `json:"cost"` // in the currency of the budgets
}

// Tally are the counts of a process that no log holds, by names that are tokens of a key:
// what was read, what language models were asked, and what that cost in millionths. A
// process that ends takes its metrics with it; a tally is for keeping.
type Tally map[string]int64

// The names' parts. Keys of earlier builds have others beside them.
const (
	tallyStage = "stage-"
	tallyCalls = "calls-"
	tallyCost  = "cost-"
	millionth  = 1e6
)

// Tally is what the process counted so far.
func (m *Metrics) Tally() Tally {
	out := Tally{}
	for stage, n := range valuesOf(m.funnel) {
		if stage := Stage(stage); stage == Turns || stage == Read || stage == Candidates { // the log holds the others
			out[tallyStage+string(stage)] = int64(n)
		}
	}
	for what, n := range valuesOf(m.calls) {
		out[tallyCalls+what] = int64(n)
	}
	for what, cost := range valuesOf(m.cost) {
		out[tallyCost+what] = int64(math.Ceil(cost*millionth - 1e-3))
	}
	for name, n := range out {
		if n == 0 {
			delete(out, name)
		}
	}
	return out
}

// valuesOf are the counters of a vector with one label, by its value.
func valuesOf(v *prometheus.CounterVec) map[string]float64 {
	counters := make(chan prometheus.Metric)
	go func() {
		v.Collect(counters)
		close(counters)
	}()
	out := map[string]float64{}
	for c := range counters {
		var d dto.Metric
		if err := c.Write(&d); err == nil {
			out[d.GetLabel()[0].GetValue()] = d.GetCounter().GetValue()
		}
	}
	return out
}

// Stage is how much came through a stage.
func (t Tally) Stage(s Stage) int { return int(t[tallyStage+string(s)]) }

// Calls are those of language models, by what they were asked for.
func (t Tally) Calls() map[string]Calls {
	out := map[string]Calls{}
	for name, n := range t {
		if what, ok := strings.CutPrefix(name, tallyCalls); ok {
			out[what] = Calls{Stage: what, N: int(n), Cost: float64(t[tallyCost+what]) / millionth}
		}
	}
	return out
}
