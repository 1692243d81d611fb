package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

const plotName = "calibration.svg"

// style holds for light and for dark pages.
const style = `<style>
text{font:12px system-ui,sans-serif;fill:#444}
.title{font-weight:600;font-size:13px;fill:#222}
.grid{stroke:#ddd}.diagonal{stroke:#999;stroke-dasharray:4 4}.at{stroke:#444;stroke-dasharray:2 3}
.a{fill:#2166ac}.b{fill:#b2182b}.line{fill:none;stroke-width:2}.a.line{stroke:#2166ac}.b.line{stroke:#b2182b}
@media (prefers-color-scheme:dark){
text{fill:#bbb}.title{fill:#ddd}.grid{stroke:#444}.diagonal{stroke:#777}.at{stroke:#bbb}
.a{fill:#6db3f2}.b{fill:#f4867c}.a.line{stroke:#6db3f2}.b.line{stroke:#f4867c}.line{fill:none}}
</style>
`

// Sizes in pixels. Each panel has axes from 0 to 1.
const (
	side   = 250.0
	top    = 34.0
	width  = 700.0
	height = top + side + 62
)

// panel is a drawing whose axes run from 0 to 1.
type panel struct {
	left float64
	b    *strings.Builder
}

func (p panel) x(v float64) float64 { return p.left + v*side }
func (p panel) y(v float64) float64 { return top + (1-v)*side }

func (p panel) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(p.b, "<line class=%q x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, p.x(x1), p.y(y1),
		p.x(x2), p.y(y2))
}

func (p panel) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(p.b, "<text class=%q text-anchor=%q x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, anchor, x, y, s)
}

func (p panel) path(class string, points [][2]float64) {
	var d strings.Builder
	for i, at := range points {
		fmt.Fprintf(&d, "%c%.1f %.1f", map[bool]rune{true: 'M', false: 'L'}[i == 0], p.x(at[0]), p.y(at[1]))
	}
	fmt.Fprintf(p.b, "<path class=%q d=%q/>\n", class, d.String())
}

// axes draws grid, title and labels.
func (p panel) axes(title, below string) {
	p.text("title", "start", p.left, 18, title)
	for i := range 6 {
		v := float64(i) / 5
		p.line("grid", 0, v, 1, v)
		p.line("grid", v, 0, v, 1)
		p.text("", "end", p.left-6, p.y(v)+4, fmt.Sprintf("%d %%", 20*i))
		p.text("", "middle", p.x(v), top+side+18, fmt.Sprintf("%.1f", v))
	}
	p.text("", "middle", p.x(0.5), top+side+36, below)
}

// plots are both panels as one SVG.
func plots(c nli.Calibration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "+
		"height=\"%.0f\" role=\"img\">\n", width, height, width, height)
	b.WriteString("<title>Calibration of the verifier</title>\n" + style)
	reliability(panel{48, &b}, c)
	accepted(panel{48 + side + 90, &b}, c)
	b.WriteString("</svg>\n")
	return b.String()
}

// reliability shows what scores are worth: on the diagonal a score is right as
// often as it says.
func reliability(p panel, c nli.Calibration) {
	p.axes("What a score is worth", "score")
	p.line("diagonal", 0, 0, 1, 1)
	most := 1
	for _, r := range c.Reliable {
		most = max(most, r.N)
	}
	for _, r := range c.Reliable {
		fmt.Fprintf(p.b, "<circle class=\"a\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%d pairs, mean score %.2f, "+
			"supported %.2f</title></circle>\n",
			p.x(r.Score), p.y(r.True), 2+3.5*math.Sqrt(float64(r.N)/float64(most)), r.N, r.Score, r.True)
	}
	p.text("", "start", p.left, height-6, "a tenth of the pairs each; share supported")
}

// accepted shows what thresholds let through.
func accepted(p panel, c nli.Calibration) {
	p.axes("What a threshold lets through", "threshold")
	at := c.Thresholds.Entailment
	p.line("at", at, 0, at, 1)
	var good, bad [][2]float64
	for _, q := range c.Curve {
		good, bad = append(good, [2]float64{q.Threshold, q.True}), append(bad, [2]float64{q.Threshold, q.False})
	}
	p.path("a line", good)
	p.path("b line", bad)
	p.text("", "middle", p.x(at), top-4, fmt.Sprintf("%.2f", at))
	p.text("a", "start", p.left, height-6, "supported")
	p.text("b", "start", p.left+80, height-6, "not supported, and accepted all the same")
}
