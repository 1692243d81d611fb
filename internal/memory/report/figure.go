package report

import (
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
)

// State is where a figure stands against its healthy range.
type State string

// The states.
const (
	Healthy State = "healthy"
	Outside State = "outside" // of its range, and not odd yet
	Odd     State = "odd"
	TooFew  State = "too few" // cases to say
	Off     State = "off"     // the guard is
)

// out says whether a state counts against the overall risk.
func (s State) out() bool { return s == Outside || s == Odd }

// Range is where a figure is healthy, and beyond what it is odd.
type Range struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Below  bool    `json:"below,omitempty"` // High itself is out
	OddLow float64 `json:"odd_below"`
	OddTop float64 `json:"odd_above"`
}

func (r Range) state(v float64) State {
	const grain = 1e-12 // of sums of binary fractions
	switch {
	case v < r.OddLow-grain || v > r.OddTop+grain:
		return Odd
	case v < r.Low-grain || v > r.High+grain || r.Below && v > r.High-grain:
		return Outside
	}
	return Healthy
}

// Direction is where a figure went, as far as chance does not explain it.
type Direction string

// The directions.
const (
	Rising  Direction = "rising"
	Falling Direction = "falling"
	Steady  Direction = "steady"
	NotSaid Direction = "" // too few cases on either side
)

// Figure is a share of cases, held against its range and its past.
type Figure struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Guard int    `json:"guard"`
	Unit  Unit   `json:"unit"`
	Cases string `json:"cases_are"` // what it is a share of
	Past
	Range  Range  `json:"range"`
	Need   int    `json:"need"` // cases, under which nothing is said
	State  State  `json:"state"`
	Before Past   `json:"before"`
	Weeks  []Past `json:"weeks"` // oldest first, the last week among them
	Means  string `json:"means,omitempty"`
	low    string // what it means to lie below
	high   string // and above
}

// Unit is how a figure is said.
type Unit string

// The units.
const (
	Percent Unit = "percent"
	PerTenK Unit = "per_10k"
)

// Past is a figure of one time.
type Past struct {
	Hits      int       `json:"hits"`
	N         int       `json:"cases"`
	Value     float64   `json:"value"`
	Direction Direction `json:"direction,omitempty"` // since then
}

// measured fills in what a figure is of its weeks.
func (f Figure) measured(list []Week, of func(w *Week) (hits, cases int)) Figure {
	for i := range list {
		p := Past{}
		p.Hits, p.N = of(&list[i])
		p.Value = share(p.Hits, p.N)
		f.Weeks = append(f.Weeks, p)
		if i < len(list)-1 {
			f.Before.Hits, f.Before.N = f.Before.Hits+p.Hits, f.Before.N+p.N
		}
	}
	f.Past = f.Weeks[len(f.Weeks)-1]
	f.Before.Value = share(f.Before.Hits, f.Before.N)
	switch {
	case f.State == Off:
		return f
	case f.N < f.Need:
		f.State = TooFew
		return f
	}
	f.State = f.Range.state(f.Value)
	if f.Before.N >= f.Need {
		f.Before.Direction = direction(f.Before.Hits, f.Before.N, f.Hits, f.N)
	}
	switch {
	case f.State.out() && f.Value < f.Range.Low:
		f.Means = f.low
	case f.State.out():
		f.Means = f.high
	}
	return f
}

func share(hits, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(hits) / float64(n)
}

// direction compares two shares. What chance alone would do one time in twenty is
// no change.
func direction(a, an, b, bn int) Direction {
	pooled := share(a+b, an+bn)
	spread := math.Sqrt(pooled * (1 - pooled) * (1/float64(an) + 1/float64(bn)))
	if spread == 0 || math.IsNaN(spread) {
		return Steady
	}
	switch z := (share(b, bn) - share(a, an)) / spread; {
	case z > 1.96:
		return Rising
	case z < -1.96:
		return Falling
	}
	return Steady
}

// The keys of the figures.
const (
	BlockRate = "guard1_block_rate"
	Clusters  = "guard2_clusters_per_10k_memories"
	HighRisk  = "guard3_high_risk_rate"
)

// proposes says whether a language model lists memories: its calls were counted in the
// last week. It invents now and then, and a guard that blocks nothing of it is suspect.
// The rules tell what was said in its own words, and nothing to block is nothing wrong.
func (in *Input) proposes() bool {
	return slices.ContainsFunc(in.Work, func(w Work) bool {
		return weekOf(w.At, in.Now) == weeks-1 &&
			slices.ContainsFunc(w.Calls, func(c Calls) bool { return c.Stage == stageExtract && c.N > 0 })
	})
}

const stageExtract = "extract"

// figures are the three by which the guards are watched. byModel says that a language
// model lists the memories.
func figures(list []Week, policy string, byModel bool) []Figure {
	block := Figure{Key: BlockRate, Name: "blocked", Guard: 1, Unit: Percent, Cases: "candidates", Need: 200,
		Range: Range{Low: 0.02, High: 0.04, OddLow: 0.005, OddTop: 0.08},
		low:   "the verifier lets more pass than it should, or the extraction has become careful",
		high:  "the extraction invents: a new topic, another model, or a rule that has regressed"}
	clusters := Figure{Key: Clusters, Name: "clusters per 10k", Guard: 2, Unit: PerTenK, Cases: "memories looked at",
		Need:  10_000,
		Range: Range{Low: 1e-4, High: 5e-4, OddLow: 0.5e-4, OddTop: 20e-4},
		low:   "the floor of likeness may be too high for what is stored",
		high:  "a threshold finds too much, or many memories came in that conflict"}
	risk := Figure{Key: HighRisk, Name: "high risk", Guard: 3, Unit: Percent, Cases: "replies", Need: 200,
		Range: Range{High: 0.01, Below: true, OddTop: 0.05},
		high:  "replies claim more than their evidence says: too little is retrieved, or the prompt asks for more"}
	if !byModel {
		block.Range.Low, block.Range.OddLow = 0, 0
	}
	switch policy {
	case "":
		risk.State = Off
	case guards.PolicyBlock:
		risk.Range.High, risk.Need = 0.001, 2_000
	}
	return []Figure{
		block.measured(list, func(w *Week) (int, int) { return w.Grounding.NotSupported, w.Grounding.Judged() }),
		clusters.measured(list, func(w *Week) (int, int) { return w.Scans.Clusters, w.Scans.Memories }),
		risk.measured(list, func(w *Week) (int, int) { return w.Replies.Risks[faithful.High], w.Replies.Scored }),
	}
}

// rises says for how many weeks in a row a figure has gone up, of weeks that have
// enough cases. It needs no single step to be beyond chance: it is an early sign.
func (f *Figure) rises() int {
	n := 0
	for i := len(f.Weeks) - 1; i > 0; i-- {
		if f.Weeks[i].N < f.Need || f.Weeks[i-1].N < f.Need || f.Weeks[i].Value <= f.Weeks[i-1].Value {
			break
		}
		n++
	}
	return n
}
