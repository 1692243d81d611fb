package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/forsooth-npc/forsooth/internal/plot"
)

//go:embed page.html
var source string

var tmpl = template.Must(template.New("page").Parse(source + plot.Template))

// view is a report as the template takes it: every figure in words already.
type view struct {
	Title, From, To string
	Risk            Risk
	Why, Class      string
	Tiles           []tile
	Plots           []plot.Plot
	Signs           []row
	Sections        []section
	Funnel          []funnelRow
	Weeks           []string
	Trend           [][]string
}

// tile is one figure that a reader looks for first.
type tile struct{ Name, Value, Class, Note, Trend string }

// HTML writes the report as one page that needs nothing else.
func (r *Report) HTML(w io.Writer) error {
	v := view{Title: r.title(), From: moment(r.From), To: moment(r.To), Risk: r.Risk, Why: r.Why,
		Class: map[Risk]string{Low: "good", Elevated: "warn", High: "bad"}[r.Risk],
		Tiles: r.tiles(), Plots: r.plots(), Signs: r.signs(), Sections: r.sections(), Funnel: r.funnelRows()}
	v.Weeks, v.Trend = r.trendRows()
	if err := tmpl.Execute(w, v); err != nil {
		return fmt.Errorf("report of memory as a page: %w", err)
	}
	return nil
}

func (r *Report) tiles() []tile {
	var out []tile
	for i := range r.Figures {
		f := &r.Figures[i]
		t := tile{Name: fmt.Sprintf("Guard %d: %s", f.Guard, f.Name), Value: f.value(),
			Class: map[State]string{Healthy: "good", Outside: "warn", Odd: "bad"}[f.State],
			Note:  fmt.Sprintf("of %s %s; %s, healthy is %s", count(f.N), f.Cases, f.state(), f.healthy())}
		switch {
		case f.State == Off:
			t.Value, t.Note = "off", ""
		case f.Before.Direction != NotSaid:
			t.Trend = fmt.Sprintf("%s; before %s of %s", f.trend(), f.past(), count(f.Before.N))
		default:
			t.Trend = "trend: too few to say"
		}
		out = append(out, t)
	}
	return out
}
