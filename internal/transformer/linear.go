package transformer

import (
	"math"
	"unsafe"
)

// linear is y = x·W + b with weights in int8, which stay so: a panel of sixteen
// outputs is widened when its turn comes, into room that the nearest cache holds.
// In a panel the weights of two inputs to the same output lie side by side.
type linear struct {
	in, out     int
	weights     []int8    // panels of pairs of inputs, sixteen pairs each
	scale, bias []float32 // of the outputs, filled up to whole tiles
	limit       float32   // up to which int16 inputs may go without a sum too large for int32
}

func newLinear(values []int8, scale, bias []float32, out, in int) *linear {
	width := whole(out, align)
	l := &linear{in: in, out: out, weights: make([]int8, width*whole(in, 2)), scale: make([]float32, width),
		bias: make([]float32, width)}
	copy(l.scale, scale)
	copy(l.bias, bias)
	most := 1
	for o := range out {
		to, row, sum := l.panel(o / panel)[o%panel*2:], values[o*in:(o+1)*in], 0
		for i, v := range row {
			to[i/2*2*panel+i%2] = v
			sum += max(int(v), -int(v))
		}
		most = max(most, sum)
	}
	l.limit = float32(min(math.MaxInt16, math.MaxInt32/most))
	return l
}

// panel is one panel's weights.
func (l *linear) panel(p int) []int8 {
	n := whole(l.in, 2) * panel
	return l.weights[p*n : (p+1)*n]
}

// stride is how wide a row of y is: all outputs in whole tiles.
func (l *linear) stride() int { return len(l.bias) }

// apply writes y for n rows of x, each filled up to whole tiles. It reads and
// writes whole tiles of rows.
func (s *Session) apply(l *linear, y, x []float32, n int) {
	xStride := whole(l.in, align)
	if s.k.shorts != nil {
		for r := range n {
			s.rowScale[r] = s.k.shorten(s.short[r*xStride:], x[r*xStride:r*xStride+l.in], l.limit)
			clear(s.short[r*xStride+l.in : (r+1)*xStride])
		}
	}
	for p := 0; p < len(l.bias)/panel; p += s.k.cols / panel {
		for d := 0; d < l.in; d += s.k.depth {
			s.column(l, y, x, n, p, d)
		}
	}
}

// column is the part of apply that one tile's columns and depth make up: the
// weights are widened once, and all rows pass by.
func (s *Session) column(l *linear, y, x []float32, n, p, d int) {
	t, xStride, inputs := &s.tile, whole(l.in, align), min(s.k.depth, l.in-d)
	t.yStride, t.scale, t.steps, t.fromStride = l.stride()*floatBytes, &l.scale[p*panel], inputs, 0
	product, shorts := s.k.floats, s.k.shorts != nil
	if shorts {
		product, t.steps = s.k.shorts, (inputs+1)/2
	}
	t.xStride, t.wNext = xStride*floatBytes, whole(inputs, 2)*panel*floatBytes
	t.w = unsafe.Pointer(&s.floatPanel[0])
	if shorts {
		t.xStride, t.wNext = xStride*shortBytes, whole(inputs, 2)*panel*shortBytes
		t.w = unsafe.Pointer(&s.shortPanel[0])
	}
	size := whole(inputs, 2) * panel
	for k := range s.k.cols / panel {
		part := l.panel(p + k)[d*panel : d*panel+size]
		if shorts {
			s.k.widenShorts(s.shortPanel[k*size:(k+1)*size], part)
		} else {
			s.k.widenFloats(s.floatPanel[k*size:(k+1)*size], part)
		}
	}
	for r := 0; r < n; r += s.k.rows {
		t.y = &y[r*l.stride()+p*panel]
		t.from = &l.bias[p*panel]
		if d > 0 {
			t.from, t.fromStride = t.y, t.yStride
		}
		if shorts {
			t.x, t.rowScale = unsafe.Pointer(&s.short[r*xStride+d]), &s.rowScale[r]
		} else {
			t.x = unsafe.Pointer(&x[r*xStride+d])
		}
		product(t)
	}
}
