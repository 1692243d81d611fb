package play

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Report is what a run comes to. Times are milliseconds.
type Report struct {
	Players  int     `json:"players"`
	Shards   int     `json:"shards"`
	Seed     uint64  `json:"seed"`
	Seconds  float64 `json:"seconds"`
	Turns    int     `json:"turns"` // accepted
	Rate     float64 `json:"turns_per_second"`
	Replies  int     `json:"replies"`
	Offered  float64 `json:"offered_per_second"` // as asked for; 0: as fast as the players are
	First    Spread  `json:"first_sentence_ms"`  // from the first try to say it to the first sentence
	Total    Spread  `json:"total_ms"`           // from the first try to say it to the reply
	InMesh   Spread  `json:"in_mesh_ms"`         // from acceptance to the stored reply, by the broker's clock
	Statuses Counts  `json:"by_status"`
	Reasons  Counts  `json:"by_reason"`
	Refused  Counts  `json:"refused"` // busy, full: said again after retry_after
	Cancels  Counts  `json:"cancels"` // in time, too late
	Faults   Counts  `json:"faults"`  // calls that failed, by call
	LastErr  string  `json:"last_fault,omitempty"`

	Moves     int    `json:"moves"`
	Events    int    `json:"events"`
	Actions   Counts `json:"actions"` // by name and answer
	Restarts  int    `json:"restarts"`
	Resumed   int    `json:"resumed"`   // turns asked for again after a restart
	Abandoned int    `json:"abandoned"` // not waited for any more, at the second ctrl-c

	Late       int      `json:"missed_deadlines"` // replied, but after the deadline
	Unanswered int      `json:"unanswered"`       // accepted and not replied
	Lost       []string `json:"unanswered_turns"`
}

// Counts are numbers by name.
type Counts map[string]int

// Spread are percentiles.
type Spread struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// tally counts, from many goroutines.
type tally struct {
	now   func() time.Time
	heard func(*schema.Reply)

	mu                   sync.Mutex
	r                    Report
	first, total, inMesh []time.Duration
}

func newTally(o *Options, now func() time.Time) *tally {
	return &tally{now: now, heard: o.Heard, r: Report{Players: o.Players, Shards: o.Shards, Seed: o.Seed, Offered: o.Rate,
		Lost:     []string{},
		Statuses: Counts{}, Reasons: Counts{}, Refused: Counts{}, Cancels: Counts{}, Faults: Counts{}, Actions: Counts{}}}
}

func (t *tally) count(f func(*Report)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.r)
}

func (t *tally) said()      { t.count(func(r *Report) { r.Turns++ }) }
func (t *tally) moved()     { t.count(func(r *Report) { r.Moves++ }) }
func (t *tally) event()     { t.count(func(r *Report) { r.Events++ }) }
func (t *tally) restarted() { t.count(func(r *Report) { r.Restarts++ }) }
func (t *tally) resumed()   { t.count(func(r *Report) { r.Resumed++ }) }
func (t *tally) abandoned() { t.count(func(r *Report) { r.Abandoned++ }) }

func (t *tally) unanswered(turn string) {
	t.count(func(r *Report) { r.Unanswered, r.Lost = r.Unanswered+1, append(r.Lost, turn) })
}

func (t *tally) fault(call string, err error) {
	t.count(func(r *Report) { r.Faults[call]++; r.LastErr = err.Error() })
}

func (t *tally) cancel(how string) { t.count(func(r *Report) { r.Cancels[how]++ }) }

func (t *tally) refused(err error) {
	why := "full"
	if errors.Is(err, client.ErrBusy) {
		why = "busy"
	}
	t.count(func(r *Report) { r.Refused[why]++ })
}

func (t *tally) action(a schema.Action, result schema.ActionResult) {
	answer := "done"
	if !result.Accepted {
		answer = "refused: " + result.Reason
	}
	t.count(func(r *Report) { r.Actions[a.Name+" "+answer]++ })
}

// reply counts a turn that has ended. Whether it was in time the broker's clock
// says, on which both times stand.
func (t *tally) reply(of *talk, reply *schema.Reply, at time.Time) {
	heard, took := t.now(), at.Sub(reply.AcceptedAt)
	if t.heard != nil {
		t.heard(reply)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.r.Replies++
	t.r.Statuses[string(reply.Status)]++
	if reply.Reason != "" {
		t.r.Reasons[reply.Reason]++
	}
	if took > of.request.Deadline() {
		t.r.Late++
	}
	t.total, t.inMesh = append(t.total, heard.Sub(of.began)), append(t.inMesh, took)
	if !of.first.IsZero() {
		t.first = append(t.first, of.first.Sub(of.began))
	}
}

// report is the sum of a run that took so long.
func (t *tally) report(took time.Duration) Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.r
	r.Seconds, r.Rate = took.Seconds(), float64(r.Turns)/took.Seconds()
	r.First, r.Total, r.InMesh = spread(t.first), spread(t.total), spread(t.inMesh)
	return r
}

// Kept says whether every accepted turn had its reply in time.
func (r *Report) Kept() bool { return r.Late == 0 && r.Unanswered == 0 }

func spread(ds []time.Duration) Spread {
	if len(ds) == 0 {
		return Spread{}
	}
	slices.Sort(ds)
	at := func(share float64) float64 {
		return float64(ds[min(len(ds)-1, int(share*float64(len(ds))))].Microseconds()) / 1000
	}
	return Spread{P50: at(0.50), P95: at(0.95), P99: at(0.99)}
}

// print writes the report for people.
func (r *Report) print(w io.Writer) {
	fmt.Fprintf(w, "%d players on %d shards, seed %d: %d turns in %.1f s, %.1f turns/s; %d replies\n",
		r.Players, r.Shards, r.Seed, r.Turns, r.Seconds, r.Rate, r.Replies)
	fmt.Fprintf(w, "%-16s %8s %8s %8s\n", "ms", "p50", "p95", "p99")
	for _, row := range []struct {
		name string
		s    Spread
	}{{"first sentence", r.First}, {"reply", r.Total}, {"inside the mesh", r.InMesh}} {
		fmt.Fprintf(w, "%-16s %8.0f %8.0f %8.0f\n", row.name, row.s.P50, row.s.P95, row.s.P99)
	}
	for _, row := range []struct {
		name string
		c    Counts
	}{{"status", r.Statuses}, {"reason", r.Reasons}, {"refused", r.Refused}, {"cancels", r.Cancels}, {"faults", r.Faults},
		{"actions", r.Actions}} {
		if len(row.c) > 0 {
			fmt.Fprintf(w, "%-16s %s\n", row.name, row.c)
		}
	}
	fmt.Fprintf(w, "%-16s %d moves, %d events, %d restarts of a shard, %d turns asked for again\n", "world", r.Moves,
		r.Events, r.Restarts, r.Resumed)
	if r.LastErr != "" {
		fmt.Fprintf(w, "%-16s %s\n", "last fault", r.LastErr)
	}
	fmt.Fprintf(w, "missed deadlines %d, unanswered %d, abandoned %d\n", r.Late, r.Unanswered, r.Abandoned)
}

// String lists the counts, largest first.
func (c Counts) String() string {
	names := slices.SortedFunc(maps.Keys(c), func(a, b string) int { return cmp.Or(c[b]-c[a], cmp.Compare(a, b)) })
	out := ""
	for i, name := range names {
		if i > 0 {
			out += ", "
		}
		out += fmt.Sprintf("%s %d", name, c[name])
	}
	return out
}
