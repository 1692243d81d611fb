package trials

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/lab/sample"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ScanOptions size a measure of the nightly scan.
type ScanOptions struct {
	Sizes []int // memories of each run; default 1,000, 10,000 and 100,000
	Seed  uint64
}

// ScanRun is one nightly scan of a made-up world. Only ComputeS is the scan; the
// rest is what it took to have something to scan.
type ScanRun struct {
	Memories int     `json:"memories"`
	ComputeS float64 `json:"compute_s"` // of the processor, on one core
	Clusters int     `json:"clusters"`
	Actions  int     `json:"actions"`
	Planted  int     `json:"planted"` // actions that a right scan takes
	Pairs    int     `json:"pairs"`   // compared
	// like ComputeS, were all of them of one NPC and of no player; up to 10,000
	HeapS    float64 `json:"one_npc_s,omitempty"`
	Calls    int     `json:"judge_calls"`          // of a scripted language model, up to 10,000 memories
	Doubtful int     `json:"judge_calls_doubtful"` // the same with more doubtful pairs than a night has calls for
	Carried  int     `json:"doubtful_carried"`     // of those pairs, left to the next night
	Stored   bool    `json:"through_store"`        // written to a SQLite store and scanned as read from it
	MakeS    float64 `json:"make_s"`
	WriteS   float64 `json:"write_s"` // into the store
	ReadS    float64 `json:"read_s"`  // from it

	// Growth is ComputeS beside that of the run before; NLogN what n log n grows by.
	Growth float64 `json:"growth,omitempty"`
	NLogN  float64 `json:"n_log_n,omitempty"`
}

// How the scan is measured.
const (
	scanBatch = 2_000 // memories of one write to the store
	scanTries = 5     // the least of so many counts: what else the machine does can only add
	scanFor   = 1     // seconds after which no further try is made
	heapMost  = 10_000
	storeFor  = 60 // seconds of the clock by which the last store must be written and read
)

// Scan measures the nightly scan of made-up memories without a language model: on
// one core, in time of the processor, over what a SQLite session store holds. It
// says beside each run how much longer it took than the one before. Where the disk
// or what else the machine does would make the whole too long, the largest runs
// leave the store out, and say so.
func Scan(ctx context.Context, o ScanOptions) ([]ScanRun, []bench.Figure, error) {
	if len(o.Sizes) == 0 {
		o.Sizes = []int{1_000, 10_000, 100_000}
	}
	e, err := embed.NewStatic()
	if err != nil {
		return nil, nil, err
	}
	began := time.Now()
	var runs []ScanRun
	for _, n := range slices.Sorted(slices.Values(o.Sizes)) {
		run, err := scanned(ctx, n, o.Seed, e, affordable(runs, n, time.Since(began)))
		if err != nil {
			return nil, nil, fmt.Errorf("scan of %d memories: %w", n, err)
		}
		if len(runs) > 0 {
			run.after(&runs[len(runs)-1])
		}
		runs = append(runs, run)
	}
	return runs, scanFigures(runs, time.Since(began)), nil
}

func (r *ScanRun) after(before *ScanRun) {
	r.Growth = r.ComputeS / max(before.ComputeS, 1e-9)
	r.NLogN = nLogN(r.Memories) / nLogN(before.Memories)
}

// affordable says whether a store of n memories can be written and read in time,
// going by the run before.
func affordable(runs []ScanRun, n int, passed time.Duration) bool {
	if len(runs) == 0 {
		return true
	}
	last := runs[len(runs)-1]
	each := (last.MakeS + last.WriteS + last.ReadS) / float64(last.Memories)
	return last.Stored && passed.Seconds()+each*float64(n) < storeFor
}

func nLogN(n int) float64 { return float64(n) * math.Log2(float64(max(n, 2))) }

// scanned makes memories, has them go through a store, and scans them.
func scanned(ctx context.Context, n int, seed uint64, e embed.Embedder, stored bool) (ScanRun, error) {
	o := sample.Usual(seed, n, e)
	out := ScanRun{Memories: n, Planted: o.Evolutions + o.Contradictions + o.Equivalents, Stored: stored}
	began := time.Now()
	items, err := sample.Make(ctx, o)
	if err != nil {
		return out, err
	}
	out.MakeS = since(began)
	if stored {
		if items, err = throughStore(ctx, items, &out); err != nil {
			return out, err
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	prover, err := byRules()
	if err != nil {
		return out, err
	}
	s := nightly(e.ID(), nil, prover)
	in := scan.Input{World: sample.World, Memories: items, Now: sample.Start.AddDate(2, 0, 0)}
	result, seconds, err := timedScan(ctx, &s, in)
	if err != nil {
		return out, err
	}
	out.ComputeS, out.Clusters, out.Actions, out.Pairs = seconds, result.Report.Clusters, len(result.Events),
		result.Report.Pairs
	if n > heapMost {
		return out, nil
	}
	if out.Calls, out.Doubtful, out.Carried, err = judgeCalls(ctx, s, in, e); err != nil {
		return out, err
	}
	for i := range items {
		items[i].NPC, items[i].Player = "n00", ""
	}
	_, out.HeapS, err = timedScan(ctx, &s, in)
	return out, err
}

// timedScan scans several times and gives the least of the times.
func timedScan(ctx context.Context, s *scan.Scanner, in scan.Input) (scan.Result, float64, error) {
	least, all := math.Inf(1), 0.0
	for try := 1; ; try++ {
		runtime.GC() // what making left behind is not the scan's to clear
		began, err := bench.ProcessorTime()
		if err != nil {
			return scan.Result{}, 0, err
		}
		result, err := s.Run(ctx, in)
		if err != nil {
			return scan.Result{}, 0, err
		}
		ended, err := bench.ProcessorTime()
		if err != nil {
			return scan.Result{}, 0, err
		}
		took := (ended - began).Seconds()
		least, all = min(least, took), all+took
		if try == scanTries || all > scanFor {
			return result, least, nil
		}
	}
}

// since is the seconds of the clock, to the millisecond.
func since(began time.Time) float64 { return float64(time.Since(began).Milliseconds()) / 1000 }

// nightly is the scan as the service runs it by default, with the guard by which it
// reads memories again.
func nightly(model string, e scan.Entailer, p scan.Prover) scan.Scanner {
	return scan.Scanner{Settings: scan.From(guards.Default().Consistency, model), Rule: memory.DefaultRule(),
		Predicates: memory.DefaultPredicates(), Entail: e, Prove: p}
}

// rereading proves memories as the service does; context is what their words stand in.
type rereading struct {
	*write.Guard
	context func(*schema.Memory) extract.Context
}

// Prove gives the verdict on a stored memory.
func (r rereading) Prove(ctx context.Context, m *schema.Memory) schema.GroundingVerdict {
	return r.Reprove(ctx, m, r.context(m))
}

// byRules is a rereading without a verifier, of memories of people nobody knows.
func byRules() (scan.Prover, error) {
	guard, err := write.New(write.DefaultSettings(), nil, nil)
	return rereading{guard, func(*schema.Memory) extract.Context { return extract.Context{} }}, err
}

// throughStore gives memories as a SQLite store gives them back.
func throughStore(ctx context.Context, made []scan.Item, out *ScanRun) ([]scan.Item, error) {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	session, err := sqlite.OpenSession(ctx, filepath.Join(dir, "session.db"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	began := time.Now()
	if err := putAll(ctx, session, made); err != nil {
		return nil, err
	}
	out.WriteS, began = since(began), time.Now()
	items, err := activeItems(ctx, session, sample.World)
	out.ReadS = since(began)
	return items, err
}

func putAll(ctx context.Context, session store.Session, items []scan.Item) error {
	for batch := range slices.Chunk(items, scanBatch) {
		points := make([]store.MemoryPoint, len(batch))
		for i := range batch {
			points[i] = store.MemoryPoint{Memory: batch[i].Memory, Vector: batch[i].Vector, Model: batch[i].Model,
				Accessed: batch[i].Accessed}
		}
		if err := session.Put(ctx, points); err != nil {
			return err
		}
	}
	return nil
}

// activeItems are what a scan looks at.
func activeItems(ctx context.Context, session store.Session, world string) ([]scan.Item, error) {
	points, err := session.Scroll(ctx, store.MemoryFilter{World: world,
		Statuses: []schema.MemoryStatus{schema.MemoryActive}}, "", 0)
	if err != nil {
		return nil, err
	}
	items := make([]scan.Item, len(points))
	for i := range points {
		items[i] = scan.Item{Memory: points[i].Memory, Vector: points[i].Vector, Model: points[i].Model,
			Accessed: points[i].Accessed}
	}
	return items, nil
}

// scanBars are seconds of the processor that a scan may take.
var scanBars = map[int]float64{10_000: 1, 100_000: 15}

// wholeBar is the seconds in which all runs end, with their making.
const wholeBar = 90

func scanFigures(runs []ScanRun, whole time.Duration) []bench.Figure {
	var out []bench.Figure
	for i := range runs {
		r := &runs[i]
		name := fmt.Sprintf("scan_%d", r.Memories)
		if bar := scanBars[r.Memories]; bar > 0 {
			out = append(out, bench.AtMost(name, r.ComputeS, "s", bar))
		} else {
			out = append(out, bench.Plain(name, r.ComputeS, "s"))
		}
		out = append(out, exactly(name+"_actions", float64(r.Actions), "", float64(r.Planted)))
		if r.HeapS > 0 {
			out = append(out, bench.Plain(name+"_of_one_npc", r.HeapS, "s"))
		}
		if r.Memories == heapMost {
			out = append(out, bench.AtMost(name+"_judge_calls", float64(r.Calls), "calls", judgeBar),
				bench.AtMost(name+"_judge_calls_doubtful", float64(r.Doubtful), "calls", judgeBar))
		}
	}
	if last := len(runs) - 1; last > 0 {
		whole, bar := runs[last].ComputeS/max(runs[0].ComputeS, 1e-9),
			nLogN(runs[last].Memories)/nLogN(runs[0].Memories)
		f := bench.AtMost(fmt.Sprintf("growth_%d_to_%d", runs[0].Memories, runs[last].Memories), whole, "times", bar)
		f.Bar = fmt.Sprintf("≤ %.1f, as n log n grows", bar)
		out = append(out, f)
	}
	return append(out, bench.AtMost("all_with_their_making", whole.Seconds(), "s", wholeBar))
}

// exactly holds a count against the one it must be.
func exactly(name string, value float64, unit string, bar float64) bench.Figure {
	met := value == bar
	return bench.Figure{Name: name, Value: value, Unit: unit, Bar: fmt.Sprintf("= %g", bar), Met: &met}
}
