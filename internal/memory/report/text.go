package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// textWidth is that of a narrow terminal.
const textWidth = 78

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	t := &terminal{}
	t.line("%s, the week to %s UTC", r.title(), moment(r.To))
	t.line("Overall risk: %s", r.Risk)
	t.wrap("  ", r.Why)
	t.figures(r)
	t.signs(r)
	for _, s := range r.sections() {
		t.section(s)
	}
	t.trend(r)
	t.funnel(r)
	if _, err := w.Write(t.Bytes()); err != nil {
		return fmt.Errorf("report of memory: %w", err)
	}
	return nil
}

type terminal struct{ bytes.Buffer }

func (t *terminal) line(format string, args ...any) {
	fmt.Fprintln(t, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// cells sets columns: a negative width is a column of words, a positive one of
// figures, which stand at its right.
func (t *terminal) cells(widths []int, cells ...string) {
	var b strings.Builder
	for i, c := range cells {
		pad := strings.Repeat(" ", max(0, abs(widths[i])-utf8.RuneCountInString(c)))
		switch {
		case widths[i] < 0:
			b.WriteString(c + pad)
		default:
			b.WriteString(pad + c)
		}
		b.WriteString("  ")
	}
	t.line("%s", b.String())
}

// glued stands for a blank at which no line breaks.
const glued = "\x00"

func abs(n int) int { return max(n, -n) }

// wrap writes words under an indent, within the width. A figure keeps its per cent
// sign.
func (t *terminal) wrap(indent, words string) {
	line := indent
	for _, w := range strings.Fields(strings.ReplaceAll(words, " %", glued+"%")) {
		w = strings.ReplaceAll(w, glued, " ")
		if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > textWidth {
			t.line("%s", line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += w
	}
	if strings.TrimSpace(line) != "" {
		t.line("%s", line)
	}
}

func (t *terminal) figures(r *Report) {
	widths := []int{-16, 6, 9, 7, -14, 7, -7}
	t.line("")
	t.cells(widths, "figure", "", "of", "healthy", "", "before", "")
	for i := range r.Figures {
		f := &r.Figures[i]
		t.cells(widths, f.Name, f.value(), count(f.N), f.healthy(), f.state(), f.past(), f.trend())
	}
	t.line("")
	t.line("week by week, the oldest first")
	for i := range r.Figures {
		f := &r.Figures[i]
		cells := []string{f.Name}
		for _, p := range f.Weeks {
			cells = append(cells, f.week(p))
		}
		t.cells([]int{-16, 8, 8, 8, 8, 8}, cells...)
	}
}

// week prints a figure of one week, in brackets where it rests on too few cases.
func (f *Figure) week(p Past) string {
	switch {
	case p.N == 0:
		return "–"
	case p.N < f.Need:
		return "(" + f.Unit.print(p.Value) + ")"
	}
	return f.Unit.print(p.Value)
}

func (t *terminal) signs(r *Report) {
	signs := r.signs()
	if len(signs) == 0 {
		return
	}
	t.line("")
	for _, s := range signs {
		t.wrap("", s.Name+": "+s.Value)
		t.wrap("  ", s.Note)
	}
}

func (t *terminal) section(s section) {
	t.line("")
	t.line("%s", s.Title)
	for _, row := range s.Rows {
		t.cells([]int{-21, 9, -1}, "  "+row.Name, row.Value, row.Note)
	}
	for _, n := range s.Notes {
		t.wrap("  ", n)
	}
}

func (t *terminal) trend(r *Report) {
	widths := []int{-16, 12, 12, 12, 12}
	weeks, rows := r.trendRows()
	t.line("")
	t.cells(widths, append([]string{"Four weeks, from"}, weeks...)...)
	for _, row := range rows {
		t.cells(widths, row...)
	}
}

func (t *terminal) funnel(r *Report) {
	widths := []int{-24, 11, 15}
	t.line("")
	t.cells(widths, "Funnel", "", "per 1,000 turns")
	for _, row := range r.funnelRows() {
		t.cells(widths, "  "+row.Name, row.N, row.Per)
	}
}
