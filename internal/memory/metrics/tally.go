package metrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Tally are the counts that no log holds, by names that are tokens of a key: what was
// read, what language models were asked and what that cost in millionths, and how long
// verdicts took. A process that ends takes its metrics with it; a tally is for keeping.
type Tally map[string]int64

// The names' parts.
const (
	tallyStage   = "stage-"
	tallyCalls   = "calls-"
	tallyCost    = "cost-"
	tallyVerdict = "verdict-" // with the place of a bound; the last is above all
)

const millionth = 1e6

// Tally is what the process counted so far.
func (m *Metrics) Tally() Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := Tally{}
	add := func(name string, n int64) {
		if n > 0 {
			out[name] = n
		}
	}
	for _, s := range []Stage{Turns, Read, Candidates} { // the others are the log's
		add(tallyStage+string(s), int64(m.funnel[s])) //nolint:gosec // a count
	}
	for stage, c := range m.calls {
		add(tallyCalls+stage, int64(c.n)) //nolint:gosec // a count
		add(tallyCost+stage, int64(math.Ceil(c.cost*millionth-1e-3)))
	}
	for i, n := range m.grounded.counts {
		add(fmt.Sprintf("%s%d", tallyVerdict, i), int64(n)) //nolint:gosec // a count
	}
	return out
}

// Stage is how much came through a stage.
func (t Tally) Stage(s Stage) int { return int(t[tallyStage+string(s)]) }

// Calls are those of language models, by what they were asked for.
func (t Tally) Calls() map[string]int {
	out := map[string]int{}
	for name, n := range t {
		if what, ok := strings.CutPrefix(name, tallyCalls); ok {
			out[what] = int(n)
		}
	}
	return out
}

// Cost is what the calls for something cost.
func (t Tally) Cost(forWhat string) float64 { return float64(t[tallyCost+forWhat]) / millionth }

// Verdict99 is the bound under which 99 of 100 verdicts came, of so many. Above all
// bounds it is the highest.
func (t Tally) Verdict99() (took time.Duration, of int) {
	var all int64
	for name, n := range t {
		if strings.HasPrefix(name, tallyVerdict) {
			all += n
		}
	}
	var seen int64
	for i := 0; i <= len(bounds) && all > 0; i++ {
		if seen += t[tallyVerdict+strconv.Itoa(i)]; float64(seen) >= 0.99*float64(all) {
			return time.Duration(bounds[min(i, len(bounds)-1)] * float64(time.Second)), int(all)
		}
	}
	return 0, int(all)
}

// Add adds another tally.
func (t Tally) Add(other Tally) {
	for name, n := range other {
		t[name] += n
	}
}

// Named says whether a name is one of a tally's tokens.
func Named(name string) bool { return schema.CheckToken("count", name) == nil }
