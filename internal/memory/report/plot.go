package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/plot"
)

// plots are the drawings of a report.
func (r *Report) plots() []plot.Plot {
	var out []plot.Plot
	for i := range r.Figures {
		if r.Figures[i].State != Off {
			out = append(out, r.course(&r.Figures[i]))
		}
	}
	out = append(out, r.verdicts(), r.actions())
	if r.Funnel.Counted {
		out = append(out, r.narrowing())
	}
	return out
}

// course draws a figure over the weeks, before the band in which it is healthy.
// Hollow marks rest on too few cases.
func (r *Report) course(f *Figure) plot.Plot {
	const left, right, top, height = 46.0, plot.Width - 22.0, 10.0, 150.0
	most := f.Range.High * 1.5
	for _, p := range f.Weeks {
		most = max(most, p.Value)
	}
	most *= 1.1
	x := func(i int) float64 { return left + (right-left)*(float64(i)+0.5)/weeks }
	y := func(v float64) float64 { return top + height*(1-v/most) }
	p := plot.Plot{Title: strings.ToUpper(f.Name[:1]) + f.Name[1:], Width: plot.Width, Height: top + height + 26,
		Note: fmt.Sprintf("Guard %d; %s of %s, %s", f.Guard, f.value(), count(f.N), f.state())}
	p.Key("band", "healthy")
	p.Key("a", "week")
	p.Key("hollow", "of too few "+f.Cases)
	p.Rect("band", left, y(f.Range.High), right-left, y(f.Range.Low)-y(f.Range.High), "healthy: "+f.healthy())
	p.Segment("axis", left, top+height, right, top+height)
	for _, v := range []float64{0, most / 2.2, most / 1.1} {
		p.Text("label", "end", left-6, y(v)+4, f.Unit.print(v))
		p.Segment("grid", left, y(v), right, y(v))
	}
	last := -1
	for i, w := range f.Weeks {
		p.Text("label", "middle", x(i), top+height+18, r.weeks[i].From.UTC().Format("2 Jan"))
		if w.N == 0 {
			continue
		}
		if last >= 0 {
			p.Segment("a line", x(last), y(f.Weeks[last].Value), x(i), y(w.Value))
		}
		last = i
	}
	for i, w := range f.Weeks {
		if w.N > 0 {
			class := map[bool]string{true: "hollow", false: "a"}[w.N < f.Need]
			p.Circle(class, x(i), y(w.Value), 4.5,
				fmt.Sprintf("from %s: %s of %s", date(r.weeks[i].From), f.Unit.print(w.Value), count(w.N)))
		}
	}
	return p
}

// bar is a part of a column.
type bar struct {
	class, name string
	n           int
}

// verdicts draws Guard 1's verdicts of each week.
func (r *Report) verdicts() plot.Plot {
	return r.columns("Verdicts of Guard 1", func(w *Week) []bar {
		g := w.Grounding
		return []bar{{"a", "supported", g.Supported}, {"b", "partial", g.Partial}, {"c", "blocked", g.NotSupported},
			{"track", "verifier failed", g.Unknown}}
	})
}

// actions draws what Guard 2 did each week.
func (r *Report) actions() plot.Plot {
	return r.columns("What Guard 2 did", func(w *Week) []bar {
		return []bar{{"a", "merged", w.Scans.Merged}, {"b", "superseded", w.Scans.Superseded},
			{"c", "flagged", w.Scans.Flagged}}
	})
}

// columns stacks counts, week by week.
func (r *Report) columns(title string, of func(*Week) []bar) plot.Plot {
	const top, height, step = 20.0, 140.0, plot.Width / weeks
	p := plot.Plot{Title: title, Width: plot.Width, Height: top + height + 26}
	tallest := 0
	sums := make([]int, weeks)
	for i := range r.weeks {
		for _, b := range of(&r.weeks[i]) {
			sums[i] += b.n
		}
		tallest = max(tallest, sums[i])
	}
	for _, b := range of(&r.weeks[0]) {
		p.Key(b.class, b.name)
	}
	for i := range r.weeks {
		y := top + height
		for _, b := range of(&r.weeks[i]) {
			h := height * share(b.n, tallest)
			y -= h
			if b.n > 0 {
				p.Rect(b.class, step*float64(i)+step*0.15, y, step*0.7, h,
					fmt.Sprintf("from %s: %s %s", date(r.weeks[i].From), count(b.n), b.name))
			}
		}
		p.Text("value", "middle", step*(float64(i)+0.5), y-5, count(sums[i]))
		p.Text("label", "middle", step*(float64(i)+0.5), top+height+18, r.weeks[i].From.UTC().Format("2 Jan"))
	}
	p.Segment("axis", 0, top+height, plot.Width, top+height)
	return p
}

// narrowing draws the funnel.
func (r *Report) narrowing() plot.Plot {
	const row, high, wide = 34.0, 12.0, plot.Width - 76.0
	p := plot.Plot{Title: "From turns to memories", Width: plot.Width,
		Height: plot.Px(row*float64(len(r.Funnel.Steps)) + 4)}
	most := 0
	for _, s := range r.Funnel.Steps {
		most = max(most, s.N)
	}
	for i, s := range r.Funnel.Steps {
		y := row * float64(i)
		p.Text("label", "start", 0, y+13, s.Name)
		p.Rect("track", 0, y+18, wide, high, "")
		p.Rect("a", 0, y+18, math.Max(0, wide*share(s.N, most)), high, s.Name+": "+count(s.N))
		p.Text("value", "end", plot.Width, y+28, count(s.N))
	}
	return p
}
