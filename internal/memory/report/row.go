package report

import (
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
)

// row is a name, what was counted, and of how many it is which share.
type row struct{ Name, Value, Note string }

// section is a table of rows.
type section struct {
	Title string
	Rows  []row
	Notes []string
}

// sections are what was counted, guard by guard, alike in every form of the report.
func (r *Report) sections() []section {
	return []section{r.writing(), r.scanning(), r.contradictions(), r.replying()}
}

func counted(name string, n int) row { return row{Name: name, Value: count(n)} }

// counted as a share of something.
func part(name string, n, of int) row {
	r := counted(name, n)
	if of > 0 {
		r.Note = percent(share(n, of)) + " of " + count(of)
	}
	return r
}

func (r *Report) writing() section {
	g := r.Grounding
	s := section{Title: "Guard 1, as it is written", Rows: []row{
		counted("judged", g.Judged()),
		part("blocked", g.NotSupported, g.Judged()),
		part("partial", g.Partial, g.Judged()),
		part("under the floor", g.UnderFloor, g.Partial),
		counted("verifier failed", g.Unknown),
		counted("waiting now", r.Waiting),
		counted("stored", g.Stored),
	}}
	if g.Shadow > 0 {
		s.Rows = append(s.Rows, counted("kept in shadow", g.Shadow))
	}
	if r.GroundingP99 == "" {
		s.Notes = append(s.Notes, "no verdict was timed in this week")
	}
	if len(r.Blocked) > 0 {
		s.Notes = append(s.Notes, "blocked most: "+shares(r.Blocked))
	}
	return s
}

func (r *Report) scanning() section {
	c := r.Scans
	acted := c.Merged + c.Superseded + c.Flagged
	s := section{Title: "Guard 2, as it is kept", Rows: []row{
		counted("scans", c.Runs),
		counted("clusters found", c.Clusters),
		counted("merged", c.Merged),
		counted("superseded", c.Superseded),
		counted("flagged", c.Flagged),
		part("settled by itself", c.Merged+c.Superseded, acted),
		counted("set aside as unproven", c.Unproven),
		counted("undone since", c.Undone),
	}}
	if c.Carried > 0 {
		s.Rows = append(s.Rows, counted("carried over", c.Carried))
	}
	if !r.LastScan.IsZero() {
		s.Notes = append(s.Notes, "last scan "+moment(r.LastScan)+" UTC")
	}
	return s
}

func (r *Report) contradictions() section {
	f := r.Flags
	s := section{Title: "Contradictions", Rows: []row{
		counted("raised", f.Raised),
		part("closed by itself", f.ByGuards, f.ByGuards+f.ByPeople),
		part("closed by people", f.ByPeople, f.ByGuards+f.ByPeople),
		counted("open now", f.Open),
	}}
	if len(f.Predicates) > 0 {
		s.Notes = append(s.Notes, "open ones: "+shares(f.Predicates))
	}
	if len(r.Proposals) > 0 {
		s.Notes = append(s.Notes, proposed(r.Proposals))
	}
	return s
}

func (r *Report) replying() section {
	s := section{Title: "Guard 3, as it is said"}
	if r.Policy == "" {
		s.Notes = []string{"off"}
		return s
	}
	p := r.Replies
	s.Rows = []row{counted("scored", p.Scored), {Name: "mean faithfulness", Value: mean(r.Mean, p.Scored)}}
	for _, risk := range []faithful.Risk{faithful.High, faithful.Medium, faithful.Low} {
		s.Rows = append(s.Rows, part(string(risk)+" risk", p.Risks[risk], p.Scored))
	}
	s.Rows = append(s.Rows, counted("warned", p.Warned), counted("regenerated", p.Regenerated),
		counted("blocked", p.Blocked))
	s.Notes = []string{"policy " + r.Policy}
	return s
}

func mean(v float64, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

func shares(list []Share) string {
	out := ""
	for i, s := range list {
		if i > 0 {
			out += ", "
		}
		out += s.Name + " " + count(s.N)
	}
	return out
}

// funnelRow is a step of the funnel, or a stage of the calls, as it is shown.
type funnelRow struct{ Name, N, Per string }

func (r *Report) funnelRows() []funnelRow {
	var out []funnelRow
	for _, s := range r.Funnel.Steps {
		if !s.log && !r.Funnel.Counted {
			continue // not known is not none
		}
		out = append(out, funnelRow{s.Name, count(s.N), r.per(float64(s.N), perThousand)})
	}
	if !r.Funnel.Counted {
		return append(out, funnelRow{"turns, LLM calls, cost", "not counted", ""})
	}
	if r.Funnel.Partly {
		return append(out, funnelRow{"LLM calls, cost", "not counted for these days and this world by itself", ""})
	}
	for _, c := range append(slices.Clone(r.Funnel.Calls), r.Funnel.All) {
		name := "LLM calls, " + c.Stage
		if c.Stage == "all" {
			name = "LLM calls"
		}
		out = append(out, funnelRow{name, count(c.N), r.per(float64(c.N), perThousand)})
	}
	return append(out, funnelRow{"cost", cost(r.Funnel.All.Cost), r.per(r.Funnel.All.Cost, cost)})
}

// per scales to a thousand turns, where there were any.
func (r *Report) per(n float64, print func(float64) string) string {
	if r.Funnel.Turns == 0 {
		return "–"
	}
	return print(r.Funnel.per(n))
}

// signs are what a reader should know beside the figures: alerts, early signs, what
// moves together, and what the figures that are out mean.
func (r *Report) signs() []row {
	var out []row
	for _, a := range r.Alerts {
		out = append(out, row{Name: "alert", Value: a.Name, Note: a.Says})
	}
	for i := range r.Figures {
		if f := &r.Figures[i]; f.Means != "" {
			out = append(out, row{Name: string(f.State), Value: f.Name, Note: f.Means})
		}
	}
	for _, p := range r.Patterns {
		out = append(out, row{Name: "together", Value: p.Name, Note: p.Seen + "; " + p.Try})
	}
	for _, e := range r.Early {
		out = append(out, row{Name: "early sign", Value: e})
	}
	return out
}

func (r *Report) title() string {
	of := r.World
	if of == "" {
		of = "all worlds"
	}
	return "Memory of " + of
}
