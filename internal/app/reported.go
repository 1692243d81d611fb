package app

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// Reported is what a mesh keeps of its guards: the log, the history of scans, the replies
// of a week, the earlier reports, and what its processes counted.
type Reported struct {
	in   report.Input
	days map[time.Time]report.Tally
}

// ReadReported reads it. worlds are the names of those to report; none is all of them. title
// is what the report calls them.
func ReadReported(
	ctx context.Context, client *mesh.Client, g guards.Settings, title string, worlds []string, now time.Time,
) (*Reported, error) {
	r := &Reported{in: report.Input{World: title, Now: now, Events: []schema.MemoryEvent{}}}
	if g.Faithfulness.Enabled {
		r.in.Policy = g.Faithfulness.Policy
	}
	for _, kind := range g.Grounding.Skip {
		r.in.Skip = append(r.in.Skip, schema.MemoryKind(kind))
	}
	alone := true // nothing of another world is kept: the counters are of all worlds together
	of := func(world string) bool {
		own := len(worlds) == 0 || slices.Contains(worlds, world)
		alone = alone && own
		return own
	}
	var err error
	for _, read := range []func(context.Context, *mesh.Client, func(string) bool) error{
		r.readLog, r.readScans, r.readReplies, r.readReports,
	} {
		if err = read(ctx, client, of); err != nil {
			return nil, err
		}
	}
	if r.days, err = Tallies(ctx, client.Counters()); err != nil {
		return nil, err
	}
	if alone {
		r.counted()
	}
	return r, nil
}

// Propose has the report propose predicates that the table of their world does not know.
func (r *Reported) Propose(known func(world, pred string) bool) { r.in.Known = known }

// Week is the report of the seven days before now.
func (r *Reported) Week(now time.Time) *report.Report {
	in := r.in
	in.Now = now
	return report.Make(in)
}

func (r *Reported) readLog(ctx context.Context, client *mesh.Client, of func(string) bool) error {
	kept, err := memory.ReadAll(ctx, client.MemoryLog(), "", "")
	for i := range kept.Events {
		if of(kept.Events[i].World) {
			r.in.Events = append(r.in.Events, kept.Events[i])
		}
	}
	return err
}

func (r *Reported) readScans(ctx context.Context, client *mesh.Client, of func(string) bool) error {
	return client.Scans().Each(ctx, "", func(data []byte) error {
		var run consistency.Run
		if err := json.Unmarshal(data, &run); err != nil {
			return err
		}
		if of(run.World) {
			r.in.Scans = append(r.in.Scans, report.Scan{At: run.At, World: run.World, Report: run.Report})
		}
		return nil
	})
}

func (r *Reported) readReplies(ctx context.Context, client *mesh.Client, of func(string) bool) error {
	return client.Week(ctx, "", func(reply *schema.Reply, at time.Time) {
		if !of(reply.World) {
			return
		}
		r.in.Work = append(r.in.Work, report.Work{At: at, Turns: 1, TurnsOnly: true})
		if f := reply.Faithfulness; f != nil {
			r.in.Reply = append(r.in.Reply,
				report.Reply{At: at, Score: f.Score, Risk: faithful.Risk(f.Risk), Step: faithful.Step(f.Action)})
		}
	})
}

func (r *Reported) readReports(ctx context.Context, client *mesh.Client, of func(string) bool) error {
	return client.Reports().Each(ctx, "", func(data []byte) error {
		var kept weeklyReport
		if err := json.Unmarshal(data, &kept); err != nil {
			return err
		}
		if of(kept.Name) && kept.Report != nil {
			r.in.Earlier = append(r.in.Earlier, kept.Report)
		}
		return nil
	})
}

// counted adds what the broker's counters hold of each day, of all its worlds. The
// turns of a day of which they hold nothing, such as one of an older build, are counted
// alone.
func (r *Reported) counted() {
	for i := range r.in.Work {
		r.in.Work[i].TurnsOnly = r.days[r.in.Work[i].At.UTC().Truncate(wholeDay)] == nil
	}
	for _, at := range slices.SortedFunc(maps.Keys(r.days), time.Time.Compare) {
		t := r.days[at]
		w := report.Work{At: middle(at, r.in.Now), Read: t.Stage(report.Read), Extracted: t.Stage(report.Candidates)}
		w.Calls = slices.Collect(maps.Values(t.Calls()))
		r.in.Work = append(r.in.Work, w)
	}
}

const wholeDay = 24 * time.Hour

// middle is the time that stands for a day, which is of the week in which most of it
// lies.
func middle(at, now time.Time) time.Time {
	if noon := at.Add(wholeDay / 2); noon.Before(now) {
		return noon
	}
	return at
}
