package eval

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plots are the drawings of a report that has something to draw.
func plots(r *Report) []drawing {
	out := []drawing{byKind(r), timePerPass(r)}
	if r.Curve != nil {
		out = append(out, calibration(r.Curve), thresholds(r.Curve))
	}
	if len(r.Retries) > 0 {
		out = append(out, retries(r))
	}
	if r.Usage.Calls.Max > 0 {
		out = append(out, calls(r.Usage.CallsPerTurn))
	}
	return out
}

// rows are horizontal bars: a label above each, a value at its end.
const (
	rowHeight = 34.0
	barHeight = 12.0
	barWidth  = plotWidth - 76
)

func byKind(r *Report) drawing {
	list := kinds(r)
	p := newDrawing("Passed, by kind", rowHeight*float64(len(list))+4)
	for i, k := range list {
		y := rowHeight * float64(i)
		p.Text("label", "start", 0, y+13, k.Name)
		p.Rect("track", 0, y+18, barWidth, barHeight, "")
		p.Rect("a", 0, y+18, barWidth*k.Share, barHeight, fmt.Sprintf("%s: %d of %d", k.Name, k.Passed, k.Cases))
		p.Text("value", "end", plotWidth, y+28, fmt.Sprintf("%d of %d", k.Passed, k.Cases))
	}
	return p
}

func retries(r *Report) drawing {
	list := causes(r)
	most := 0
	for _, c := range list {
		most = max(most, r.Retries[c].Thoughts+r.Retries[c].Speech)
	}
	p := newDrawing("Drafts written again, by cause", rowHeight*float64(len(list))+4)
	p.Key("a", "speech")
	p.Key("b", "thoughts")
	for i, c := range list {
		n, y := r.Retries[c], rowHeight*float64(i)
		speech, thoughts := barWidth*ratio(n.Speech, most), barWidth*ratio(n.Thoughts, most)
		p.Text("label", "start", 0, y+13, c)
		p.Rect("a", 0, y+18, speech, barHeight, fmt.Sprintf("%s: %d of speech", c, n.Speech))
		p.Rect("b", speech, y+18, thoughts, barHeight, fmt.Sprintf("%s: %d of thoughts", c, n.Thoughts))
		p.Text("value", "start", speech+thoughts+6, y+28, strconv.Itoa(n.Speech+n.Thoughts))
	}
	return p
}

// timePerPass sets each pass beside the paper's on a logarithmic axis: without a
// model the two differ by thousands.
func timePerPass(r *Report) drawing {
	const top, row, left, right = 8.0, 30.0, 104.0, plotWidth - 14.0
	passes := r.Usage.Passes
	low, high := decades(passes)
	x := func(ms float64) float64 {
		return left + (right-left)*(math.Log10(max(ms, math.Pow(10, low)))-low)/(high-low)
	}
	bottom := top + row*float64(len(passes))
	p := newDrawing("Time of a pass", bottom+40)
	p.Key("a", "mean, with a line to the 95th percentile")
	p.Key("hollow", "the paper's")
	for d := low; d <= high; d++ {
		p.Segment("grid", x(math.Pow(10, d)), top, x(math.Pow(10, d)), bottom)
		if high-low < 5 || int(high-d)%2 == 0 {
			p.Text("label", "middle", x(math.Pow(10, d)), bottom+16, decade(d))
		}
	}
	p.Text("label", "middle", (left+right)/2, bottom+34, "logarithmic")
	for i, u := range passes {
		y := top + row*(float64(i)+0.5)
		p.Text("label", "start", 0, y+4, string(u.Pass))
		if u.PaperMS > 0 {
			p.Circle("hollow", x(u.PaperMS), y, 5, fmt.Sprintf("the paper: %s", milliseconds(u.PaperMS)))
		}
		if u.MS.N > 0 {
			p.Segment("a line", x(u.MS.Mean), y, x(u.MS.P95), y)
			p.Circle("a", x(u.MS.Mean), y, 4.5,
				fmt.Sprintf("%s: mean %s, 95 %% within %s", u.Pass, milliseconds(u.MS.Mean), milliseconds(u.MS.P95)))
		}
	}
	return p
}

// decades are the powers of ten that hold all times of the passes.
func decades(passes []PassUsage) (low, high float64) {
	low, high = 1, 4
	for _, u := range passes {
		for _, ms := range []float64{u.MS.Mean, u.MS.P95} {
			if ms > 0 {
				low, high = min(low, math.Floor(math.Log10(ms))), max(high, math.Ceil(math.Log10(ms)))
			}
		}
	}
	return max(low, -1), high // what is quicker than 0.1 ms stands at the edge
}

func decade(d float64) string {
	if d >= 3 {
		return strconv.FormatFloat(math.Pow(10, d-3), 'f', 0, 64) + " s"
	}
	return strconv.FormatFloat(math.Pow(10, d), 'f', max(0, -int(d)), 64) + " ms"
}

var unitFrame = frame{left: 46, top: 8, width: plotWidth - 60, height: 220}

func calibration(c *Curve) drawing {
	f := unitFrame
	p := newDrawing("Calibration of the confidence", f.top+f.height+42)
	p.Note = fmt.Sprintf("Expected error %.3f. On the diagonal, a confidence is right as often as it says; the "+
		"larger the circle, the more questions.", c.ECE)
	unit(&p, f, "confidence")
	p.Segment("diagonal", f.x(0), f.y(0), f.x(1), f.y(1))
	most := 0
	for _, b := range c.Bins {
		most = max(most, b.N)
	}
	for _, b := range c.Bins {
		p.Circle("a", f.x(b.Confidence), f.y(b.Right), 3+7*math.Sqrt(ratio(b.N, most)),
			fmt.Sprintf("%.1f to %.1f: %d questions, mean %.2f, right %s", b.From, b.To, b.N, b.Confidence, percent(b.Right)))
	}
	return p
}

func thresholds(c *Curve) drawing {
	f := unitFrame
	p := newDrawing("What a threshold on the confidence would do", f.top+f.height+42)
	p.Note = fmt.Sprintf("AUROC %.3f, known against %s.", c.AUROC, strings.Join(c.Against, ", "))
	p.Key("a", "known, answered rightly")
	p.Key("b", "to be refused, refused")
	unit(&p, f, "threshold")
	var right, refused [][2]float64
	for _, at := range c.Points {
		right = append(right, [2]float64{f.x(at.Threshold), f.y(at.KnownRight)})
		refused = append(refused, [2]float64{f.x(at.Threshold), f.y(at.Refused)})
	}
	p.Path("a line", right)
	p.Path("b line", refused)
	return p
}

// calls is a histogram of the LLM calls of a turn.
func calls(list []CallsCount) drawing {
	const top, height, left = 18.0, 180.0, 6.0
	p := newDrawing("LLM calls of a turn", top+height+42)
	most := 0
	for _, c := range list {
		most = max(most, c.Turns)
	}
	step := (plotWidth - 2*left) / float64(len(list))
	p.Segment("axis", 0, top+height, plotWidth, top+height)
	for i, c := range list {
		x, h := left+step*float64(i), height*ratio(c.Turns, most)
		p.Rect("a", x+step*0.1, top+height-h, step*0.8, h, fmt.Sprintf("%d turns with %d calls", c.Turns, c.Calls))
		p.Text("label", "middle", x+step/2, top+height+16, strconv.Itoa(c.Calls))
		if c.Turns > 0 {
			p.Text("value", "middle", x+step/2, top+height-h-5, strconv.Itoa(c.Turns))
		}
	}
	p.Text("label", "middle", plotWidth/2, top+height+34, "calls")
	return p
}

// frame is the area of a plot in which both axes run from 0 to 1.
type frame struct{ left, top, width, height float64 }

func (f frame) x(v float64) float64 { return f.left + v*f.width }
func (f frame) y(v float64) float64 { return f.top + (1-v)*f.height }

// unit draws the grid and the labels of shares in per cent.
func unit(p *drawing, f frame, below string) {
	for i := range 6 {
		v := float64(i) / 5
		label := strconv.Itoa(i * 20)
		p.Segment("grid", f.x(0), f.y(v), f.x(1), f.y(v))
		p.Segment("grid", f.x(v), f.y(0), f.x(v), f.y(1))
		p.Text("label", "end", f.left-6, f.y(v)+4, label+" %")
		p.Text("label", "middle", f.x(v), f.top+f.height+16, strconv.FormatFloat(v, 'g', 2, 64))
	}
	p.Text("label", "middle", f.x(0.5), f.top+f.height+34, below)
}

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
