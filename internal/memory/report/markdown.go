package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report as tables.
func (r *Report) Markdown(w io.Writer) error {
	m := &markdown{}
	m.line("# %s: %s\n", cell(r.title()), r.Risk)
	m.line("%s to %s UTC. Overall risk **%s**: %s.", moment(r.From), moment(r.To), r.Risk, r.Why)
	m.figures(r)
	m.signs(r)
	for _, s := range r.sections() {
		m.section(s)
	}
	weeks, rows := r.trendRows()
	m.table("Four weeks", append([]string{"week from"}, weeks...)...)
	for _, row := range rows {
		m.row(row...)
	}
	m.table("Funnel", "", "week", "per 1,000 turns")
	for _, row := range r.funnelRows() {
		m.row(row.Name, row.N, row.Per)
	}
	if _, err := w.Write(m.Bytes()); err != nil {
		return fmt.Errorf("report of memory as Markdown: %w", err)
	}
	return nil
}

type markdown struct{ bytes.Buffer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// table begins a table; the columns behind the first hold figures.
func (m *markdown) table(title string, columns ...string) {
	if title != "" {
		m.line("\n## %s", title)
	}
	m.line("\n| %s |", strings.Join(columns, " | "))
	m.line("|---%s|", strings.Repeat("|---:", len(columns)-1))
}

func (m *markdown) row(cells ...string) {
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	m.line("| %s |", strings.Join(cells, " | "))
}

// cell is text on one line that is no markup.
func cell(s string) string {
	return plain.Replace(strings.Join(strings.Fields(s), " "))
}

var plain = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`, "`", "\\`")

func (m *markdown) figures(r *Report) {
	m.table("Figures", "figure", "value", "of", "healthy", "state", "four weeks before", "of", "trend")
	for i := range r.Figures {
		f := &r.Figures[i]
		m.row(f.Name, f.value(), count(f.N)+" "+f.Cases, f.healthy(), f.state(), f.past(), count(f.Before.N), f.trend())
	}
	columns := []string{"week from"}
	for _, w := range r.weeks {
		columns = append(columns, date(w.From))
	}
	m.table("", columns...)
	for i := range r.Figures {
		f := &r.Figures[i]
		cells := []string{f.Name}
		for _, p := range f.Weeks {
			cells = append(cells, f.week(p))
		}
		m.row(cells...)
	}
	m.line("\nIn brackets: of too few cases to say.")
}

func (m *markdown) signs(r *Report) {
	signs := r.signs()
	if len(signs) == 0 {
		return
	}
	m.line("\n## Signs\n")
	for _, s := range signs {
		line := "- " + s.Name + ": **" + cell(s.Value) + "**"
		if s.Note != "" {
			line += ". " + cell(s.Note)
		}
		m.line("%s", line)
	}
}

func (m *markdown) section(s section) {
	if len(s.Rows) == 0 {
		m.line("\n## %s", s.Title)
	} else {
		m.table(s.Title, "", "week", "share")
	}
	for _, row := range s.Rows {
		m.row(row.Name, row.Value, row.Note)
	}
	for _, n := range s.Notes {
		m.line("\n%s", cell(n))
	}
}
