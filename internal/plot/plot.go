// Package plot draws what a page shows as inline SVG: marks and a template that prints
// them. It is not a charting library: whoever draws places each mark.
package plot

import (
	_ "embed"
	"strconv"
	"strings"
)

// Px is a coordinate, printed with one decimal at most.
type Px float64

func (p Px) String() string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(p), 'f', 1, 64), ".0")
}

// Width is that of every plot. It is narrow, so that a plot can be read on a phone.
const Width = 360

// Plot is a drawing that the template turns into inline SVG. Colours are classes:
// the page has them for light and for dark.
type Plot struct {
	Title, Note   string
	Width, Height Px
	Legend        []Legend
	Shapes        []Shape
}

// Legend names a colour of a plot.
type Legend struct{ Class, Name string }

// Shape is one mark. What stands in Kind decides which fields count.
type Shape struct {
	Kind         string // rect, line, circle, path, text
	Class        string
	X, Y, X2, Y2 Px
	W, H, R      Px
	Path         string
	Text         string // of a text, or what a pointer over the mark shows
	Anchor       string // of a text: start, middle, end
}

// New is an empty plot of a height.
func New(title string, height float64) Plot {
	return Plot{Title: title, Width: Width, Height: Px(height)}
}

// Rect draws a bar; tip is what a pointer over it shows.
func (p *Plot) Rect(class string, x, y, w, h float64, tip string) {
	p.Shapes = append(p.Shapes, Shape{Kind: "rect", Class: class, X: Px(x), Y: Px(y), W: Px(w), H: Px(h), Text: tip})
}

// Segment draws a straight line.
func (p *Plot) Segment(class string, x, y, x2, y2 float64) {
	p.Shapes = append(p.Shapes, Shape{Kind: "line", Class: class, X: Px(x), Y: Px(y), X2: Px(x2), Y2: Px(y2)})
}

// Circle draws a point; tip is what a pointer over it shows.
func (p *Plot) Circle(class string, x, y, r float64, tip string) {
	p.Shapes = append(p.Shapes, Shape{Kind: "circle", Class: class, X: Px(x), Y: Px(y), R: Px(r), Text: tip})
}

// Text writes a label.
func (p *Plot) Text(class, anchor string, x, y float64, s string) {
	p.Shapes = append(p.Shapes, Shape{Kind: "text", Class: class, Anchor: anchor, X: Px(x), Y: Px(y), Text: s})
}

// Key says in the legend what a class stands for.
func (p *Plot) Key(class, name string) { p.Legend = append(p.Legend, Legend{class, name}) }

// Path draws a line through points.
func (p *Plot) Path(class string, points [][2]float64) {
	var b strings.Builder
	for i, at := range points {
		b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
		b.WriteString(Px(at[0]).String() + " " + Px(at[1]).String())
	}
	p.Shapes = append(p.Shapes, Shape{Kind: "path", Class: class, Path: b.String()})
}

// Template is the HTML of plots, by the name "plots".
//
//go:embed plots.html
var Template string
