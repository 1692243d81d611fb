package trials

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/mesh/meshbench"
)

// MeshOptions size a run of the mesh without its passes.
type MeshOptions struct {
	meshbench.Options
	Rounds int  // of each chain, interleaved; default 3
	Short  bool // few turns and rows
	Said   func(format string, args ...any)
}

// MeshRun is what the mesh costs.
type MeshRun struct {
	Bench    string             `json:"bench"`
	Machine  string             `json:"machine"`
	Bytes    int                `json:"bytes"`
	Turns    int                `json:"turns"`
	Rounds   int                `json:"rounds"`
	Rows     []meshbench.Row    `json:"rows"`
	Tax      meshbench.Result   `json:"tax"` // in one process, one copy
	TaxApart meshbench.Result   `json:"tax_apart"`
	Scaling  []meshbench.Scaled `json:"scaling"`
	Figures  []bench.Figure     `json:"figures"`
	Missed   []string           `json:"missed"`
}

// several is among how many processes a turn's passes are shared out where they are
// not in one: as many as there are services in a turn's way.
const several = 5

// Mesh measures what the mesh alone costs beside a bare chain: by workers, in one
// process and in several, with one copy of the streams and with three; then the time
// that a turn spends in no handler, and what replicas of a slow pass bring.
func Mesh(ctx context.Context, o MeshOptions) (*MeshRun, error) {
	workers, tax, scale := []int{1, 2, 4, 8, 16, 32, 64}, 1000, 96 // each a turn of all conversations at least
	replicas := []int{1, 2, 4, 8}
	if o.Rounds <= 0 {
		o.Rounds = 3
	}
	if o.Turns <= 0 {
		o.Turns = 2000
	}
	if o.Short {
		workers, tax, scale, replicas, o.Rounds, o.Turns = []int{1, 64}, 100, 32, []int{1, 8}, 1, min(o.Turns, 448)
	}
	r := &MeshRun{Bench: "mesh", Machine: bench.Machine(), Turns: o.Turns, Rounds: o.Rounds, Bytes: o.Bytes}
	var settings []meshbench.Options
	for _, w := range workers {
		of := o.Options
		of.Workers = w
		settings = append(settings, of)
	}
	for _, of := range []meshbench.Options{{Processes: several}, {Replicas: 3}, {Processes: several, Replicas: 3}} {
		of.Conversations, of.Bytes, of.Turns, of.Spawn, of.Workers = o.Conversations, o.Bytes, o.Turns, o.Spawn, 16
		settings = append(settings, of)
	}
	for i, of := range settings {
		o.Said("setting %d of %d: %d workers, %d processes, %d copies", i+1, len(settings), of.Workers,
			max(1, of.Processes), max(1, of.Replicas))
		row, err := meshbench.Compare(ctx, of, o.Rounds)
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, row)
	}
	if err := r.measureTax(ctx, o, tax, scale, replicas); err != nil {
		return nil, err
	}
	r.rate(r.Rows[len(workers)-1])
	r.Missed = append([]string{}, bench.Missed(r.Figures)...)
	return r, nil
}

// measureTax measures what the mesh adds to a turn, and how replicas of a pass scale.
func (r *MeshRun) measureTax(ctx context.Context, o MeshOptions, tax, scale int, replicas []int) (err error) {
	o.Said("the mesh tax")
	if r.Tax, err = meshbench.Tax(ctx, meshbench.Options{Turns: tax, Bytes: o.Bytes}); err != nil {
		return err
	}
	if r.TaxApart, err = meshbench.Tax(ctx, meshbench.Options{Turns: tax, Bytes: o.Bytes, Processes: several,
		Spawn: o.Spawn}); err != nil {
		return err
	}
	o.Said("replicas of a pass that sleeps %s", meshbench.Sleeping)
	if r.Scaling, err = meshbench.Scale(ctx, meshbench.Options{Conversations: 32, Turns: scale, Bytes: o.Bytes,
		Workers: 1, Spawn: o.Spawn}, replicas); err != nil {
		return err
	}
	return nil
}

// rate holds the figures to their bars; main is the row of the most workers.
func (r *MeshRun) rate(main meshbench.Row) {
	worst := r.Scaling[len(r.Scaling)-1]
	r.Figures = []bench.Figure{
		bench.AtMost("tax_p50", bench.Milliseconds(r.Tax.P50), "ms", 5),
		bench.AtMost("tax_p99", bench.Milliseconds(r.Tax.P99), "ms", 15),
		bench.Plain("tax_p50_apart", bench.Milliseconds(r.TaxApart.P50), "ms"),
		bench.Plain("tax_p99_apart", bench.Milliseconds(r.TaxApart.P99), "ms"),
		bench.AtLeast("hops_to_bare", main.HopsRatio, "", 0.5), bench.AtLeast("turn_to_bare", main.WholeRatio, "",
			0.25),
		bench.Plain("hops_to_bare_cpu", ratio(main.Bare.CPU, main.Hops.CPU), ""),
		bench.Plain("turn_to_bare_cpu", ratio(main.Bare.CPU, main.Whole.CPU), ""),
		bench.AtLeast(fmt.Sprintf("replicas_%d_to_linear", worst.Replicas), worst.Linear, "", 0.9),
	}
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / max(b.Seconds(), 1e-9) }

// Print writes the tables for people.
func (r *MeshRun) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n%d turns of 7 hops, %d bytes a hop, the middle of %d rounds; cpu is of a turn, broker and "+
		"load included\n\n", r.Machine, r.Turns, r.Bytes, r.Rounds)
	fmt.Fprintf(w, "copies procs workers | bare t/s  p50 ms  p99 ms  cpu ms | hops t/s  p50 ms  p99 ms  cpu ms  to "+
		"bare | turn t/s  p50 ms  p99 ms  cpu ms  to bare\n")
	cell := func(c meshbench.Result) string {
		return fmt.Sprintf("%8.0f %7.1f %7.1f %7.2f", c.PerSecond, bench.Milliseconds(c.P50), bench.Milliseconds(c.P99),
			bench.Milliseconds(c.CPU))
	}
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%6d %5d %7d | %s | %s  %7.3f | %s  %7.3f\n", row.Replicas, row.Processes, row.Workers,
			cell(row.Bare), cell(row.Hops), row.HopsRatio, cell(row.Whole), row.WholeRatio)
	}
	fmt.Fprintf(w, "\nreplicas of a pass that sleeps %s:", meshbench.Sleeping)
	for _, s := range r.Scaling {
		fmt.Fprintf(w, "  %d: %.1f turns/s (%.2f of linear)", s.Replicas, s.PerSecond, s.Linear)
	}
	fmt.Fprint(w, "\n\n")
}
