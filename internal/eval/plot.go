package eval

import (
	_ "embed"
	"strconv"
	"strings"
)

// px is a coordinate, printed with one decimal at most.
type px float64

func (p px) String() string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(p), 'f', 1, 64), ".0")
}

// plotWidth is that of every plot. It is narrow, so that a plot can be read on a phone.
const plotWidth = 360

// drawing is one plot that the template turns into inline SVG. Colours are classes:
// the page has them for light and for dark.
type drawing struct {
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

// newDrawing is an empty plot of a height.
func newDrawing(title string, height float64) drawing {
	return drawing{Title: title, Width: plotWidth, Height: px(height)}
}

// Rect draws a bar; tip is what a pointer over it shows.
func (p *drawing) Rect(class string, x, y, w, h float64, tip string) {
	p.Shapes = append(p.Shapes, shape{Kind: "rect", Class: class, X: px(x), Y: px(y), W: px(w), H: px(h), Text: tip})
}

// Segment draws a straight line.
func (p *drawing) Segment(class string, x, y, x2, y2 float64) {
	p.Shapes = append(p.Shapes, shape{Kind: "line", Class: class, X: px(x), Y: px(y), X2: px(x2), Y2: px(y2)})
}

// Circle draws a point; tip is what a pointer over it shows.
func (p *drawing) Circle(class string, x, y, r float64, tip string) {
	p.Shapes = append(p.Shapes, shape{Kind: "circle", Class: class, X: px(x), Y: px(y), R: px(r), Text: tip})
}

// Text writes a label.
func (p *drawing) Text(class, anchor string, x, y float64, s string) {
	p.Shapes = append(p.Shapes, shape{Kind: "text", Class: class, Anchor: anchor, X: px(x), Y: px(y), Text: s})
}

// Key says in the legend what a class stands for.
func (p *drawing) Key(class, name string) { p.Legend = append(p.Legend, legend{class, name}) }

// Path draws a line through points.
func (p *drawing) Path(class string, points [][2]float64) {
	var b strings.Builder
	for i, at := range points {
		b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
		b.WriteString(px(at[0]).String() + " " + px(at[1]).String())
	}
	p.Shapes = append(p.Shapes, shape{Kind: "path", Class: class, Path: b.String()})
}

// plotsHTML is the HTML of plots, by the name "plots".
//
//go:embed plots.html
var plotsHTML string
