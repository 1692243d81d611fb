package metrics

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"sync"
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

// kept is the tally of a process as it grows.
type kept struct {
	mu    sync.Mutex
	tally Tally
	cost  map[string]float64
}

func (k *kept) add(name string, n int) {
	if n <= 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tally == nil {
		k.tally, k.cost = Tally{}, map[string]float64{}
	}
	k.tally[name] += int64(n)
}

// passed leaves out what the log itself holds.
func (k *kept) passed(s Stage, n int) {
	if s == Turns || s == Read || s == Candidates {
		k.add(tallyStage+string(s), n)
	}
}

func (k *kept) called(forWhat string, n int, cost float64) {
	k.add(tallyCalls+forWhat, n)
	if n <= 0 || cost <= 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cost[forWhat] += cost
	k.tally[tallyCost+forWhat] = int64(math.Ceil(k.cost[forWhat]*millionth - 1e-3))
}

func (k *kept) took(d time.Duration) {
	i := 0
	for i < len(bounds) && d.Seconds() > bounds[i] {
		i++
	}
	k.add(fmt.Sprintf("%s%d", tallyVerdict, i), 1)
}

// Tally is what the process counted so far.
func (m *Metrics) Tally() Tally {
	m.kept.mu.Lock()
	defer m.kept.mu.Unlock()
	return maps.Clone(m.kept.tally)
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
