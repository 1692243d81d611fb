package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/examples/mmo/play"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// PlayersOptions size a run with simulated players.
type PlayersOptions struct {
	Players  []int
	For      time.Duration // how long they talk, each number of them
	Every    time.Duration // how often each says something; one alone talks without a pause
	Deadline time.Duration // of each turn
	Seed     uint64
	Scripted bool         // a scripted model speaks, at a pace of its own; else the settings' own, if any
	Pace     llmtest.Pace // of the scripted model
	PriceIn  float64      // of a million tokens, for the scripted model
	PriceOut float64      //
	Binary   string       // forsooth
	Args     []string     // for `up`: the settings of the one who asks
	Log      io.Writer    // what `up` says
	Said     func(string, ...any)
}

// PlayersRun is what so many players cost.
type PlayersRun struct {
	Bench   string       `json:"bench"`
	Machine string       `json:"machine"`
	Model   string       `json:"model"` // who speaks
	Every   float64      `json:"every_s"`
	Rows    []PlayersRow `json:"rows"`
}

// PlayersRow is one number of players. Times are milliseconds, from acceptance to
// the stored reply by the broker's clock; memory is of the mesh's process, in MB.
type PlayersRow struct {
	Players    int            `json:"players"`
	Offered    float64        `json:"offered_per_second"` // 0: without a pause
	Turns      int            `json:"turns"`
	PerSecond  float64        `json:"turns_per_second"`
	InMesh     play.Spread    `json:"in_mesh_ms"`
	First      play.Spread    `json:"first_sentence_ms"` // from the first try to say it
	Refused    int            `json:"refused"`           // said again after retry_after
	Late       int            `json:"missed_deadlines"`
	Unanswered int            `json:"unanswered"`
	Statuses   map[string]int `json:"by_status"`
	Calls      float64        `json:"llm_calls_per_turn"`
	Cost       float64        `json:"cost_per_1000_turns"`
	CPU        float64        `json:"cpu_ms_per_turn"`
	AtRest     float64        `json:"resident_at_rest_mb"`
	Resident   float64        `json:"resident_mb"`
	Most       float64        `json:"resident_most_mb"`
	Passes     []PassCost     `json:"passes"`
}

// PassCost is what a pass takes of a turn, in its handler.
type PassCost struct {
	Pass schema.Pass `json:"pass"`
	// of a turn: times turns a second, over a thousand, it is how many workers are busy
	Mean float64 `json:"mean_ms"`
	P50  float64 `json:"p50_ms"`
	P95  float64 `json:"p95_ms"`
	P99  float64 `json:"p99_ms"`
}

// shardOf is how many players share a connection.
const shardOf = 250

// Players runs `up` as a process of its own, on a data folder with nothing but the index
// for each number of players, and has them play.
func Players(ctx context.Context, o PlayersOptions) (*PlayersRun, error) {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	o.Said("the index of Hollowmere")
	if err := Index(ctx, o.Binary, o.Log, dir); err != nil {
		return nil, err
	}
	r := &PlayersRun{Bench: "turn, with players", Machine: Machine(), Model: "as in the settings",
		Every: o.Every.Seconds()}
	env := []string(nil)
	if o.Scripted {
		model, err := llmtest.Start(llmtest.Options{Pace: o.Pace, Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		defer func() { _ = model.Close() }()
		r.Model = fmt.Sprintf("scripted, first token after %s, %g tokens/s, %g and %g a million tokens", o.Pace.First,
			o.Pace.Rate, o.PriceIn, o.PriceOut)
		o.Args = append(slices.Clone(o.Args), "--llm-url", model.URL(), "--llm-model", "scripted")
		env = []string{fmt.Sprint("FORSOOTH_LLM_PRICE_IN=", o.PriceIn),
			fmt.Sprint("FORSOOTH_LLM_PRICE_OUT=", o.PriceOut)}
	}
	for _, n := range o.Players {
		o.Said("%d players", n)
		row, err := o.row(ctx, n, dir, env)
		if err != nil {
			return nil, fmt.Errorf("%d players: %w", n, err)
		}
		r.Rows = append(r.Rows, *row)
	}
	return r, nil
}

func (o *PlayersOptions) row(ctx context.Context, n int, indexed string, env []string) (_ *PlayersRow, err error) {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.CopyFS(dir, os.DirFS(indexed)); err != nil {
		return nil, err
	}
	p, err := Begin(ctx, o.Binary, o.Log, env, append([]string{"up", "--data", dir, "--port", "0"}, o.Args...)...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if _, ended := p.Stop(); err == nil {
			err = ended
		}
	}()
	row := &PlayersRow{Players: n}
	if row.AtRest, _, err = p.Memory(); err != nil {
		return nil, err
	}
	if n > 1 {
		row.Offered = float64(n) / o.Every.Seconds()
	}
	before, err := p.cpu()
	if err != nil {
		return nil, err
	}
	var spent ledger
	heard, err := play.Play(ctx, &play.Options{NATS: p.NATS, World: "hollowmere", Players: n, Shards: 1 + n/shardOf,
		Duration: o.For, Rate: row.Offered,
		Seed: o.Seed, Deadline: o.Deadline, Heard: spent.enter}, nil, o.Log)
	if err != nil {
		return nil, err
	}
	after, err := p.cpu()
	if err != nil {
		return nil, err
	}
	if row.Resident, row.Most, err = p.Memory(); err != nil {
		return nil, err
	}
	row.Turns, row.PerSecond, row.InMesh, row.First = heard.Turns, heard.Rate, heard.InMesh, heard.First
	row.Late, row.Unanswered, row.Statuses = heard.Late, heard.Unanswered, heard.Statuses
	for _, times := range heard.Refused {
		row.Refused += times
	}
	row.CPU = Milliseconds(after-before) / float64(max(1, row.Turns))
	spent.close(row)
	return row, nil
}

// ledger adds up what replies say that their turns cost.
type ledger struct {
	mu     sync.Mutex
	turns  int
	calls  int
	cost   float64
	passes map[schema.Pass][]float64
}

func (l *ledger) enter(r *schema.Reply) {
	took := map[schema.Pass]float64{}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns++
	for _, p := range r.Passes {
		took[p.Pass] += p.TookMS
		l.calls += p.LLMCalls
		l.cost += p.Cost
	}
	if l.passes == nil {
		l.passes = map[schema.Pass][]float64{}
	}
	for pass, ms := range took {
		l.passes[pass] = append(l.passes[pass], ms)
	}
}

func (l *ledger) close(row *PlayersRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	turns := float64(max(1, l.turns))
	row.Calls, row.Cost, row.Passes = float64(l.calls)/turns, l.cost/turns*1000, []PassCost{}
	for _, pass := range protocol.Passes {
		all := slices.Sorted(slices.Values(l.passes[pass]))
		if len(all) == 0 {
			continue
		}
		sum := 0.0
		for _, ms := range all {
			sum += ms
		}
		at := func(share float64) float64 { return all[min(len(all)-1, int(share*float64(len(all))))] }
		row.Passes = append(row.Passes, PassCost{Pass: pass, Mean: sum / turns, P50: at(0.50), P95: at(0.95),
			P99: at(0.99)})
	}
}

// Print writes the tables for people.
func (r *PlayersRun) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\nmodel: %s; each player says something every %g s, one alone without a pause\n\n", r.Machine,
		r.Model, r.Every)
	fmt.Fprintln(w, "players  offered/s  turns/s   p50 ms   p95 ms   p99 ms  refused  late  lost  calls/turn  "+
		"cost/1000  cpu ms/turn  MB at rest   MB  MB most")
	for _, x := range r.Rows {
		offered := "-"
		if x.Offered > 0 {
			offered = fmt.Sprintf("%.1f", x.Offered)
		}
		fmt.Fprintf(w, "%7d %10s %8.1f %8.0f %8.0f %8.0f %8d %5d %5d %11.2f %10.4f %12.1f %11.0f %4.0f %8.0f\n",
			x.Players, offered, x.PerSecond, x.InMesh.P50, x.InMesh.P95, x.InMesh.P99,
			x.Refused, x.Late, x.Unanswered, x.Calls, x.Cost, x.CPU, x.AtRest, x.Resident, x.Most)
	}
	for _, x := range r.Rows {
		fmt.Fprintf(w, "\n%d players: %s\n%-16s %9s %9s %9s %9s\n", x.Players, Counted(x.Statuses), "pass", "mean ms",
			"p50", "p95", "p99")
		for _, p := range x.Passes {
			fmt.Fprintf(w, "%-16s %9.2f %9.2f %9.2f %9.2f\n", p.Pass, p.Mean, p.P50, p.P95, p.P99)
		}
	}
}

// Counted lists numbers by name, the largest first.
func Counted(of map[string]int) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], cmp.Compare(a, b)) })
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf("%s %d", name, of[name]))
	}
	return strings.Join(out, ", ")
}
