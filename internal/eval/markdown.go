package eval

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the report as tables.
func WriteMarkdown(w io.Writer, r *Report) error {
	m := &markdown{}
	v := viewOf(r)
	m.line("# Suite %s: %d of %d cases passed (%s)\n", r.Title(), r.Passed, r.Cases, percent(ratio(r.Passed, r.Cases)))
	m.kinds(&v)
	m.figures(r)
	m.costs(&v)
	m.retries(r)
	m.confidence(r)
	m.failures(r)
	m.triage(r)
	_, err := w.Write(m.Bytes())
	return err
}

type markdown struct{ bytes.Buffer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// table begins a table; the columns behind the first hold figures.
func (m *markdown) table(title string, columns ...string) {
	m.line("\n## %s\n", title)
	m.line("| %s |", strings.Join(columns, " | "))
	m.line("|---%s|", strings.Repeat("|---:", len(columns)-1))
}

func (m *markdown) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.Join(strings.Fields(cells[i]), " "), "|", `\|`)
	}
	m.line("| %s |", strings.Join(cells, " | "))
}

func (m *markdown) kinds(v *view) {
	for _, b := range v.Thresholds {
		m.line("- threshold %s: %s", b.Name, b)
	}
	m.table("By kind", "kind", "cases", "passed", "share", "refused", "clean of what is forbidden")
	for _, k := range v.Kinds {
		m.row(k.Name, fmt.Sprint(k.Cases), fmt.Sprint(k.Passed), percent(k.Share), percent(k.Refused), percent(k.Clean))
	}
}

func (m *markdown) figures(r *Report) {
	m.line("\n## Figures\n\n| metric | value | what it counts |\n|---|---:|---|")
	for _, f := range r.Figures() {
		m.row(f.Name, Number(f.Value), meaning(f.Name))
	}
}

func (m *markdown) costs(v *view) {
	m.table("Time and cost by pass", "pass", "runs", "mean", "p50", "p95", "paper", "LLM calls", "tokens", "cost")
	for _, p := range v.Usage.Passes {
		paper := "–"
		if p.PaperMS > 0 {
			paper = milliseconds(p.PaperMS)
		}
		m.row(passName(p.Pass), fmt.Sprint(p.MS.N), milliseconds(p.MS.Mean), milliseconds(p.MS.P50),
			milliseconds(p.MS.P95), paper,
			fmt.Sprint(p.Calls), fmt.Sprint(p.Tokens), Number(p.Cost))
	}
	m.table("A turn", "what", "turns", "mean", "p50", "p95", "most")
	for _, c := range v.Costs {
		m.row(c.Name, fmt.Sprint(c.N), Number(c.Mean), Number(c.P50), Number(c.P95), Number(c.Max))
	}
	if v.Usage.Calls.Max == 0 {
		return
	}
	m.table("Calls a turn", "LLM calls", "turns")
	for _, c := range v.Usage.CallsPerTurn {
		m.row(fmt.Sprint(c.Calls), fmt.Sprint(c.Turns))
	}
}

func (m *markdown) retries(r *Report) {
	if len(r.Retries) == 0 {
		m.line("\nNo draft was written again.")
		return
	}
	m.table("Retries by number", "written again", "thoughts", "speeches")
	for number, turns := range r.Again {
		m.row(Times(number), fmt.Sprint(turns.Thoughts), fmt.Sprint(turns.Speech))
	}
	m.table("Retries by cause", "cause", "of thoughts", "of speech")
	for _, cause := range causes(r) {
		m.row(cause, fmt.Sprint(r.Retries[cause].Thoughts), fmt.Sprint(r.Retries[cause].Speech))
	}
}

func (m *markdown) confidence(r *Report) {
	c := r.Curve
	if c == nil {
		return
	}
	m.table(fmt.Sprintf("Confidence: AUROC %.3f against %s", c.AUROC, strings.Join(c.Against, ", ")), "threshold",
		"known right", "refused")
	for _, p := range c.Points {
		m.row(fmt.Sprintf("%.2f", p.Threshold), percent(p.KnownRight), percent(p.Refused))
	}
	m.table(fmt.Sprintf("Calibration: expected error %.3f", c.ECE), "confidence", "questions", "mean", "right")
	for _, b := range c.Bins {
		m.row(fmt.Sprintf("%.1f – %.1f", b.From, b.To), fmt.Sprint(b.N), fmt.Sprintf("%.2f", b.Confidence),
			percent(b.Right))
	}
}

func (m *markdown) failures(r *Report) {
	if len(r.Failures) == 0 {
		m.line("\nEvery case passed.")
		return
	}
	m.line("\n## Failures\n\n| case | NPC | status | said | want | got |\n|---|---|---|---|---|---|")
	for _, f := range r.Failures {
		m.row(f.Name, f.NPC, string(f.Status), f.Reply, f.Want, f.Got)
	}
}

func (m *markdown) triage(r *Report) {
	if len(r.Triage) == 0 {
		return
	}
	m.line("\n## Passing answers that cite what is not corpus\n\n| case | NPC | id | why |\n|---|---|---|---|")
	for _, s := range r.Triage {
		for i, id := range s.IDs {
			m.row(s.Name, s.NPC, id, s.Why[i])
		}
	}
}
