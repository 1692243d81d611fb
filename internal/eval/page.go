package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

//go:embed page.html
var source string

var tmpl = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": Number, "percent": percent, "meaning": meaning, "ms": milliseconds, "times": Times,
}).Parse(source + plotsHTML))

// WriteHTML writes the report as one self-contained page.
func WriteHTML(w io.Writer, r *Report) error {
	if err := tmpl.Execute(w, viewOf(r)); err != nil {
		return fmt.Errorf("report as a page: %w", err)
	}
	return nil
}

// view is a report as the template takes it.
type view struct {
	*Report
	Tiles []tile
	Plots []drawing
	Kinds []kind
	Costs []costRow
}

// tile is one figure that a reader looks for first.
type tile struct{ Name, Value, Note, Class string }

// kind is a row of the table of kinds.
type kind struct {
	Name           string
	Cases, Passed  int
	Share          float64
	Refused, Clean float64
}

// costRow is a row of what a turn costs.
type costRow struct {
	Name string
	Stat
}

func viewOf(r *Report) view {
	return view{Report: r, Tiles: tiles(r), Plots: plots(r), Kinds: kinds(r), Costs: costs(r)}
}

func tiles(r *Report) []tile {
	m := r.Metrics
	verdict := tile{"thresholds", "met", "", "good"}
	if !r.Met {
		verdict = tile{"thresholds", "not met", "", "bad"}
	}
	out := []tile{
		{"passed", fmt.Sprintf("%d of %d", r.Passed, r.Cases), percent(ratio(r.Passed, r.Cases)), ""},
		verdict,
		{"unsupported", percent(m["hallucination_rate"]), "of released sentences", goodIf(m["hallucination_rate"] == 0)},
		{"first attempt", percent(m["citation_verification_first_attempt"]), "of speeches verified", ""},
	}
	if u := r.Usage; u.Calls.Max > 0 {
		out = append(out, tile{"LLM calls", Number(u.Asked.Mean),
			fmt.Sprintf("a turn, in %d of %d; at most %.0f", u.Asked.N, u.Calls.N, u.Asked.Max), ""},
			tile{"tokens a turn", Number(u.Tokens.Mean), "cost " + Number(u.Cost.Mean), ""})
	}
	if u := r.Usage; u.Turn.N > 0 {
		out = append(out, tile{"a turn", milliseconds(u.Turn.P50), "median; p95 " + milliseconds(u.Turn.P95), ""})
	}
	return out
}

func goodIf(ok bool) string {
	if ok {
		return "good"
	}
	return "bad"
}

func kinds(r *Report) []kind {
	var out []kind
	for _, name := range slices.Sorted(maps.Keys(r.ByKind)) {
		t := r.ByKind[name]
		out = append(out, kind{name, t.Cases, t.Passed, ratio(t.Passed, t.Cases), r.Metrics["refused_"+name],
			r.Metrics["clean_"+name]})
	}
	return out
}

func costs(r *Report) []costRow {
	var out []costRow
	u := r.Usage
	for _, c := range []costRow{{"turn, ms", u.Turn}, {"first sentence, ms", u.FirstSentence}, {"LLM calls, ms", u.Asking},
		{"LLM calls", u.Calls}, {"LLM calls, where a model was asked", u.Asked}, {"tokens", u.Tokens}, {"cost", u.Cost}} {
		if c.N > 0 {
			out = append(out, c)
		}
	}
	return out
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func percent(v float64) string {
	s := fmt.Sprintf("%.1f", 100*v)
	return strings.TrimSuffix(s, ".0") + " %"
}

// milliseconds prints a time in the unit in which a reader thinks of it.
func milliseconds(ms float64) string {
	switch {
	case ms >= 1000:
		return fmt.Sprintf("%.2g s", ms/1000)
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2g ms", ms)
}

// Causes are the causes of retries, for the template.
func (v view) Causes() []string { return causes(v.Report) }

// causes are the causes of retries, the most frequent first.
func causes(r *Report) []string {
	out := slices.Sorted(maps.Keys(r.Retries))
	slices.SortStableFunc(out, func(a, b string) int {
		return r.Retries[b].Thoughts + r.Retries[b].Speech - r.Retries[a].Thoughts - r.Retries[a].Speech
	})
	return out
}

// passName is a pass with the number that the paper gives it.
func passName(p schema.Pass) string {
	numbers := map[schema.Pass]string{schema.PassRetrieve: "1", schema.PassThink: "2",
		schema.PassReviewThought: "2.4–2.5",
		schema.PassDecide:        "3", schema.PassSpeak: "4", schema.PassReviewSpeech: "4.5", schema.PassAct: "5"}
	return fmt.Sprintf("%s %s", numbers[p], p)
}
