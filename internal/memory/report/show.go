package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
)

// table is a part of a report as it is shown, alike in each form. The columns behind the
// first hold figures.
type table struct {
	Title string
	Head  []string
	Rows  [][]string
	Notes []string
}

func (t *table) row(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *table) count(name string, n int) { t.row(name, count(n), "") }

// part is a count with its share of something.
func (t *table) part(name string, n, of int) {
	note := ""
	if of > 0 {
		note = percent(share(n, of)) + " of " + count(of)
	}
	t.row(name, count(n), note)
}

func (t *table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// tables are a report as it is shown.
func (r *Report) tables() []table {
	out := []table{r.figures()}
	if signs := r.signs(); len(signs.Notes) > 0 {
		out = append(out, signs)
	}
	return append(out, r.writing(), r.scanning(), r.contradictions(), r.replying(), r.trend(), r.funnel())
}

func (r *Report) figures() table {
	t := table{Title: "Figures", Head: []string{"", "value", "of", "healthy", "state", "before", "trend"}}
	for i := range r.Figures {
		f := &r.Figures[i]
		trend := string(f.Before.Direction)
		switch {
		case f.State == Off:
			trend = "–"
		case f.Before.Direction == NotSaid:
			trend = "too few"
		}
		t.row(f.Name, f.of(f.Past), count(f.N), f.healthy(), string(f.State), f.of(f.Before), trend)
	}
	t.note("before: the four weeks before. In brackets: of too few cases to say.")
	return t
}

// signs are what a reader should know beside the figures: what the figures that are out
// mean, what moves together, and early signs.
func (r *Report) signs() table {
	t := table{Title: "Signs"}
	for i := range r.Figures {
		if f := &r.Figures[i]; f.Means != "" {
			t.note("%s: %s. %s", f.State, f.Name, f.Means)
		}
	}
	for _, p := range r.Patterns {
		t.note("together: %s. %s; %s", p.Name, p.Seen, p.Try)
	}
	for _, e := range r.Early {
		t.note("early sign: %s", e)
	}
	return t
}

var counted = []string{"", "week", "share"}

func (r *Report) writing() table {
	g := r.Grounding
	t := table{Title: "Guard 1, as it is written", Head: counted}
	t.count("judged", g.Judged())
	t.part("blocked", g.NotSupported, g.Judged())
	t.part("partial", g.Partial, g.Judged())
	t.part("under the floor", g.UnderFloor, g.Partial)
	t.count("verifier failed", g.Unknown)
	t.count("waiting now", r.Waiting)
	t.count("stored", g.Stored)
	if g.Shadow > 0 {
		t.count("kept in shadow", g.Shadow)
	}
	if len(r.Blocked) > 0 {
		t.note("blocked most: %s", shares(r.Blocked))
	}
	return t
}

func (r *Report) scanning() table {
	c := r.Scans
	t := table{Title: "Guard 2, as it is kept", Head: counted}
	t.count("scans", c.Runs)
	t.count("clusters found", c.Clusters)
	t.count("merged", c.Merged)
	t.count("superseded", c.Superseded)
	t.count("flagged", c.Flagged)
	t.part("settled by itself", c.Merged+c.Superseded, c.Merged+c.Superseded+c.Flagged)
	t.count("set aside as unproven", c.Unproven)
	t.count("undone since", c.Undone)
	if c.Carried > 0 {
		t.count("carried over", c.Carried)
	}
	if !r.LastScan.IsZero() {
		t.note("last scan %s UTC", moment(r.LastScan))
	}
	return t
}

func (r *Report) contradictions() table {
	f := r.Flags
	t := table{Title: "Contradictions", Head: counted}
	t.count("raised", f.Raised)
	t.part("closed by itself", f.ByGuards, f.ByGuards+f.ByPeople)
	t.part("closed by people", f.ByPeople, f.ByGuards+f.ByPeople)
	t.count("open now", f.Open)
	if len(f.Predicates) > 0 {
		t.note("open ones: %s", shares(f.Predicates))
	}
	if len(r.Proposals) > 0 {
		var parts []string
		for _, p := range r.Proposals[:min(len(r.Proposals), 5)] {
			parts = append(parts, fmt.Sprintf("%s of %s (%d of %d changed)", p.Predicate, p.World, p.Changed, p.Several))
		}
		t.note("no table knows these, and they have one value at a time: %s; if that is so, add them to predicates.yaml "+
			"with stateful: true", strings.Join(parts, ", "))
	}
	return t
}

func (r *Report) replying() table {
	t := table{Title: "Guard 3, as it is said", Notes: []string{"off"}}
	if r.Policy == "" {
		return t
	}
	p := r.Replies
	t.Head, t.Notes = counted, []string{"policy " + r.Policy}
	t.count("scored", p.Scored)
	t.row("mean faithfulness", mean(r.Mean, p.Scored), "")
	for _, risk := range []faithful.Risk{faithful.High, faithful.Medium, faithful.Low} {
		t.part(string(risk)+" risk", p.Risks[risk], p.Scored)
	}
	t.count("warned", p.Warned)
	t.count("regenerated", p.Regenerated)
	t.count("blocked", p.Blocked)
	return t
}

// trend has a column for each week.
func (r *Report) trend() table {
	t := table{Title: "Four weeks", Head: []string{"from"}}
	rows := [][]string{{"risk"}, {""}, {""}, {""}, {"faithfulness"}, {"acted on"}}
	for _, w := range r.Trend {
		t.Head = append(t.Head, date(w.From))
		acted := count(w.Acted)
		if w.HighRisk.N == 0 {
			acted = "–"
		}
		cells := []string{orDash(string(w.Risk)), "", "", "", mean(w.Mean, w.HighRisk.N), acted}
		for i, p := range []Past{w.Blocked, w.Clusters, w.HighRisk} {
			f := &r.Figures[i]
			if rows[i+1][0], cells[i+1] = f.Name, f.of(p); p.N > 0 && p.N < f.Need {
				cells[i+1] = "(" + cells[i+1] + ")"
			}
		}
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	t.Rows = rows
	return t
}

func (r *Report) funnel() table {
	f := &r.Funnel
	t := table{Title: "Funnel", Head: []string{"", "week", "per 1,000 turns"}}
	add := func(name string, n float64, print func(float64) string) {
		per := "–"
		if f.Turns > 0 {
			per = print(f.per(n))
		}
		t.row(name, print(n), per)
	}
	for _, s := range f.Steps {
		if s.logged() || f.Counted { // not known is not none
			add(s.Name, float64(s.N), scaled)
		}
	}
	switch {
	case !f.Counted:
		t.row("turns, LLM calls, cost", "not counted", "")
	case f.Partly:
		t.note("LLM calls and cost are not counted for these days and this world by itself.")
	default:
		for _, c := range f.Calls {
			add("LLM calls, "+c.Stage, float64(c.N), scaled)
		}
		add("LLM calls", float64(f.All.N), scaled)
		add("cost", f.All.Cost, cost)
	}
	return t
}

func (r *Report) title() string {
	if r.World == "" {
		return "Memory of all worlds"
	}
	return "Memory of " + r.World
}

// Markdown writes the report as tables, which a terminal shows as well.
func (r *Report) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s\n\n%s to %s UTC. Overall risk **%s**: %s.\n", cell(r.title()), r.Risk, moment(r.From),
		moment(r.To), r.Risk, r.Why)
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n## %s\n\n", t.Title)
		t.markdown(&b)
		for _, n := range t.Notes {
			fmt.Fprintf(&b, "- %s\n", cell(n))
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report of memory: %w", err)
	}
	return nil
}

func (t *table) markdown(b *bytes.Buffer) {
	if len(t.Rows) == 0 {
		return
	}
	widths := make([]int, len(t.Head))
	lines := [][]string{t.Head, make([]string, len(t.Head))}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = cell(row[i])
		}
		lines = append(lines, cells)
	}
	for _, line := range lines {
		for i, c := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(c), 3)
		}
	}
	for i, w := range widths {
		lines[1][i] = strings.Repeat("-", w-1) + map[bool]string{true: "-", false: ":"}[i == 0]
	}
	for _, line := range lines {
		for i, c := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i == 0 {
				c, pad = pad, c
			}
			b.WriteString("| " + pad + c + " ")
		}
		b.WriteString("|\n")
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
}

// cell is text on one line that is no markup.
func cell(s string) string { return plain.Replace(strings.Join(strings.Fields(s), " ")) }

var plain = strings.NewReplacer("|", `\|`, "< ", "< ", "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`, "`", "\\`")

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// HTML writes the report as one page that needs nothing else.
func (r *Report) HTML(w io.Writer) error {
	err := page.Execute(w, map[string]any{"Title": r.title(), "From": moment(r.From), "To": moment(r.To), "Risk": r.Risk,
		"Why": r.Why, "Class": map[Risk]string{Low: "good", Elevated: "warn", High: "bad"}[r.Risk], "Tables": r.tables()})
	if err != nil {
		return fmt.Errorf("report of memory as a page: %w", err)
	}
	return nil
}

// count prints a number of things: 1,847.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent prints a share: 2.3 %, and 0.08 % where one digit would hide it.
func percent(v float64) string {
	digits := 1
	if v != 0 && math.Abs(v) < 0.0095 {
		digits = 2
	}
	s := strconv.FormatFloat(100*v, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimSuffix(s, ".00"), ".0") + " %"
}

func oneDigit(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

// scaled prints a count, or one that was scaled.
func scaled(v float64) string {
	if v >= 1000 {
		return count(int(math.Round(v)))
	}
	return oneDigit(v)
}

func cost(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func (u Unit) print(v float64) string {
	if u == PerTenK {
		return oneDigit(v * 10_000)
	}
	return percent(v)
}

// of prints the figure of one time.
func (f *Figure) of(p Past) string {
	if p.N == 0 {
		return "–"
	}
	return f.Unit.print(p.Value)
}

// healthy prints the range: "2–4 %", "< 1 %".
func (f *Figure) healthy() string {
	high := f.Unit.print(f.Range.High)
	if f.Range.Below {
		return "< " + high
	}
	return strings.TrimSuffix(f.Unit.print(f.Range.Low), " %") + "–" + high
}

func mean(v float64, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func shares(list []Share) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, s.Name+" "+count(s.N))
	}
	return strings.Join(parts, ", ")
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func date(t time.Time) string { return t.UTC().Format(time.DateOnly) }
