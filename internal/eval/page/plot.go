package page

import (
	"strconv"
	"strings"
)

// px is a coordinate, printed with one decimal at most.
type px float64

func (p px) String() string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(p), 'f', 1, 64), ".0")
}

// plotWidth is narrow, so that a plot is as readable on a phone as it is drawn.
const plotWidth = 360

// plot is a drawing that the template turns into inline SVG. Colours are classes:
// the page has them for light and for dark.
type plot struct {
	Title, Note   string
	Width, Height px
	Legend        []legend
	Shapes        []shape
}

// legend names a colour of a plot.
type legend struct{ Class, Name string }

// shape is one mark. What stands in Kind decides which fields count.
type shape struct {
	Kind         string // rect, line, circle, path, text
	Class        string
	X, Y, X2, Y2 px
	W, H, R      px
	Path         string
	Text         string // of a text, or what a pointer over the mark shows
	Anchor       string // of a text: start, middle, end
}

func newPlot(title string, height float64) plot {
	return plot{Title: title, Width: plotWidth, Height: px(height)}
}

func (p *plot) rect(class string, x, y, w, h float64, tip string) {
	p.Shapes = append(p.Shapes, shape{Kind: "rect", Class: class, X: px(x), Y: px(y), W: px(w), H: px(h), Text: tip})
}

func (p *plot) segment(class string, x, y, x2, y2 float64) {
	p.Shapes = append(p.Shapes, shape{Kind: "line", Class: class, X: px(x), Y: px(y), X2: px(x2), Y2: px(y2)})
}

func (p *plot) circle(class string, x, y, r float64, tip string) {
	p.Shapes = append(p.Shapes, shape{Kind: "circle", Class: class, X: px(x), Y: px(y), R: px(r), Text: tip})
}

func (p *plot) text(class, anchor string, x, y float64, s string) {
	p.Shapes = append(p.Shapes, shape{Kind: "text", Class: class, Anchor: anchor, X: px(x), Y: px(y), Text: s})
}

// path draws a line through points.
func (p *plot) path(class string, points [][2]float64) {
	var b strings.Builder
	for i, at := range points {
		b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
		b.WriteString(px(at[0]).String() + " " + px(at[1]).String())
	}
	p.Shapes = append(p.Shapes, shape{Kind: "path", Class: class, Path: b.String()})
}

// frame is the area of a plot in which both axes run from 0 to 1.
type frame struct{ left, top, width, height float64 }

func (f frame) x(v float64) float64 { return f.left + v*f.width }
func (f frame) y(v float64) float64 { return f.top + (1-v)*f.height }

// unit draws the grid and the labels of shares in per cent.
func (p *plot) unit(f frame, below string) {
	for i := range 6 {
		v := float64(i) / 5
		label := strconv.Itoa(i * 20)
		p.segment("grid", f.x(0), f.y(v), f.x(1), f.y(v))
		p.segment("grid", f.x(v), f.y(0), f.x(v), f.y(1))
		p.text("label", "end", f.left-6, f.y(v)+4, label+" %")
		p.text("label", "middle", f.x(v), f.top+f.height+16, strconv.FormatFloat(v, 'g', 2, 64))
	}
	p.text("label", "middle", f.x(0.5), f.top+f.height+34, below)
}
