package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/metrics"
	"github.com/forsooth-npc/forsooth/internal/memory/predicate"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
)

type memoryReportCmd struct {
	Weeks  int    `help:"How many weeks, the last one first, each beside the four before it." default:"1"`
	Format string `help:"text, markdown or html." enum:"text,markdown,html" default:"text"`
	Output string `short:"o" help:"Write to this file." placeholder:"FILE" type:"path"`
}

// mostWeeks bounds how far back reports go: the history of scans goes no further.
const mostWeeks = 17

func (c *memoryReportCmd) check() error {
	switch {
	case c.Weeks < 1 || c.Weeks > mostWeeks:
		return usage(fmt.Errorf("--weeks is %d; it lies between 1 and %d", c.Weeks, mostWeeks))
	case c.Weeks > 1 && c.Format == "html":
		return usage(errors.New("an HTML page shows one week; give --format text or markdown with --weeks"))
	case c.Output != "" && !app.IsFolder(filepath.Dir(c.Output)):
		return usage(fmt.Errorf("-o %s: no such folder as %s; make it first", c.Output, filepath.Dir(c.Output)))
	}
	return nil
}

// Run prints the dashboard of the guards of memory.
func (c *memoryReportCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	return e.joining(func(t *talk) error {
		in, alone, err := e.reported(t)
		if err != nil {
			return dependency(err)
		}
		days, err := app.Tallies(e.ctx, t.client.Counters())
		if err != nil {
			return dependency(err)
		}
		if alone {
			counted(&in, days)
		}
		var out bytes.Buffer
		for range c.Weeks {
			in.GroundingP99, in.GroundingTimed = verdictTime(days, in.Now)
			if err := c.write(e, report.Make(in), &out); err != nil {
				return err
			}
			in.Now = in.Now.AddDate(0, 0, -7)
		}
		if c.Output == "" {
			_, err = e.out.Write(out.Bytes())
			return err
		}
		if err := os.WriteFile(c.Output, out.Bytes(), 0o644); err != nil { //nolint:gosec // a report is to be read
			return failed(fmt.Errorf("report %s cannot be written: %w", c.Output, err))
		}
		return nil
	})
}

func (c *memoryReportCmd) write(e *env, r *report.Report, w io.Writer) error {
	switch {
	case e.json:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	case c.Format == "markdown":
		return r.Markdown(w)
	case c.Format == "html":
		return r.HTML(w)
	}
	return r.Text(w)
}

// reported is what a mesh keeps of its guards: the log, the history of scans, and the
// replies of a week. How long verdicts took and what models were asked is in no
// stream; see counted.
//
// alone says that nothing of another world is kept beside those of the report: the
// counters are of all worlds together.
func (e *env) reported(t *talk) (_ report.Input, alone bool, _ error) {
	g := e.settings.Guards
	in := report.Input{Now: time.Now(), Events: []schema.MemoryEvent{}}
	if g.Faithfulness.Enabled {
		in.Policy = g.Faithfulness.Policy
	}
	for _, kind := range g.Grounding.Skip {
		in.Skip = append(in.Skip, schema.MemoryKind(kind))
	}
	names, err := e.namedWorlds(&in)
	if err != nil {
		return in, false, err
	}
	if in.Known, err = e.knownPredicates(); err != nil {
		return in, false, err
	}
	alone = true
	of := func(world string) bool {
		own := len(names) == 0 || slices.Contains(names, world)
		alone = alone && own
		return own
	}
	kept, err := memory.ReadAll(e.ctx, t.client.MemoryLog(), "", "")
	if err != nil {
		return in, false, err
	}
	for i := range kept.Events {
		if of(kept.Events[i].World) {
			in.Events = append(in.Events, kept.Events[i])
		}
	}
	err = t.client.Scans().Each(e.ctx, "", func(data []byte) error {
		var run consistency.Run
		if err := json.Unmarshal(data, &run); err != nil {
			return err
		}
		if of(run.World) {
			in.Scans = append(in.Scans, report.Scan{At: run.At, World: run.World, Took: run.Took, Report: run.Report})
		}
		return nil
	})
	if err != nil {
		return in, false, err
	}
	err = t.client.Week(e.ctx, "", func(r *schema.Reply, at time.Time) {
		if !of(r.World) {
			return
		}
		in.Work = append(in.Work, report.Work{At: at, Turns: 1, TurnsOnly: true})
		if f := r.Faithfulness; f != nil {
			in.Reply = append(in.Reply,
				report.Reply{At: at, Score: f.Score, Risk: faithful.Risk(f.Risk), Step: faithful.Step(f.Action)})
		}
	})
	return in, alone, err
}

// counted adds what the broker's counters hold of each day, of all its worlds. The
// turns of a day of which they hold nothing, such as one of an older build, are counted
// alone.
func counted(in *report.Input, days map[time.Time]metrics.Tally) {
	for i := range in.Work {
		in.Work[i].TurnsOnly = days[in.Work[i].At.UTC().Truncate(day)] == nil
	}
	for _, at := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		t := days[at]
		w := report.Work{At: middle(at, in.Now), Read: t.Stage(metrics.Read), Extracted: t.Stage(metrics.Candidates)}
		calls := t.Calls()
		for _, what := range slices.Sorted(maps.Keys(calls)) {
			w.Calls = append(w.Calls, report.Calls{Stage: what, N: calls[what], Cost: t.Cost(what)})
		}
		in.Work = append(in.Work, w)
	}
}

const day = 24 * time.Hour

// middle is the time that stands for a day, which is of the week in which most of it
// lies.
func middle(at, now time.Time) time.Time {
	if noon := at.Add(day / 2); noon.Before(now) {
		return noon
	}
	return at
}

// verdictTime is the 99th percentile of the time of a verdict in the week before.
func verdictTime(days map[time.Time]metrics.Tally, now time.Time) (time.Duration, int) {
	all := metrics.Tally{}
	for at, t := range days {
		if m := middle(at, now); m.Before(now) && now.Sub(m) <= 7*day {
			all.Add(t)
		}
	}
	return all.Verdict99()
}

// knownPredicates asks the tables of the worlds that are named or served, and else the
// shipped one.
func (e *env) knownPredicates() (func(world, pred string) bool, error) {
	dirs := e.settings.World
	if len(dirs) == 0 {
		dirs = app.Serving(e.settings.Data)
	}
	tables := map[string]*predicate.Table{}
	if len(dirs) > 0 {
		ws, _, err := app.LoadWorlds(dirs)
		if err != nil {
			return nil, err
		}
		for _, w := range ws {
			tables[w.Name] = w.Predicates
		}
	}
	return func(world, pred string) bool {
		table := tables[world]
		if table == nil {
			table = predicate.Default()
		}
		_, known := table.Get(pred)
		return known
	}, nil
}

// namedWorlds are those of --world; none is all of them.
func (e *env) namedWorlds(in *report.Input) ([]string, error) {
	if len(e.settings.World) == 0 {
		return nil, nil
	}
	ws, err := e.worlds()
	var names []string
	for _, w := range ws {
		names = append(names, w.Name)
		in.World = w.Title
	}
	if len(names) > 1 {
		in.World = ""
	}
	return names, err
}
