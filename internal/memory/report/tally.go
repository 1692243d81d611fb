package report

import (
	"math"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

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
