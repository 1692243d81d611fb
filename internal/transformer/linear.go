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

// attend mixes the values of one sequence, head by head. Scores and mixtures are
// products like any other once keys and values stand in panels. A tile at the end
// of a sequence reads the next one's queries and keeps nothing of them.
func (s *Session) attend(l *layer, from, n int) {
	width, stride := whole(s.m.hidden, align), l.qkv.stride()
	size := s.m.hidden / s.m.heads
	for head := range s.m.heads {
		rows := s.qkv[from*stride+head*size:]
		s.pack(rows[s.m.hidden:], rows[2*s.m.hidden:], stride, n, size)
		s.score(rows, stride, n, size)
		s.mix(s.mixed[from*width+head*size:], width, n, size)
	}
}

// pack puts the keys of a head into panels by their columns, and its values into
// panels by their rows. What fills them up is 0.
func (s *Session) pack(keys, values []float32, stride, n, size int) {
	for j := range n {
		to, key := s.keys[j/panel*panel*size+j%panel:], keys[j*stride:j*stride+size]
		for c, v := range key {
			to[c*panel] = v
		}
		value := values[j*stride : j*stride+size]
		for c := 0; c < size; c += panel {
			k := copy(s.values[c*n+j*panel:c*n+(j+1)*panel], value[c:])
			clear(s.values[c*n+j*panel+k : c*n+(j+1)*panel])
		}
	}
	for j := n; j < whole(n, align); j++ {
		to := s.keys[j/panel*panel*size+j%panel:]
		for c := range size {
			to[c*panel] = 0
		}
	}
	for c := whole(size, panel); c < whole(size, align); c += panel {
		clear(s.values[c*n : (c+panel)*n])
	}
}

// lowest is a score that takes no part.
const lowest = -1e30

// score writes how much each token looks at each other.
func (s *Session) score(queries []float32, stride, n, size int) {
	t, keys := &s.tile, whole(n, align)
	*t = tile{yStride: keys * floatBytes, xStride: stride * floatBytes, steps: size, wNext: size * panel * floatBytes,
		scale: &s.headScale[0], from: &s.zero[0]}
	for c := 0; c < n; c += s.k.cols {
		t.w = pointer(s.keys[c*size:])
		for r := 0; r < n; r += s.k.rows {
			t.x, t.y = pointer(queries[r*stride:]), &s.scores[r*keys+c]
			s.k.floats(t)
		}
	}
	for r := range n {
		row := s.scores[r*keys : r*keys+whole(n, eight)]
		for c := n; c < len(row); c++ {
			row[c] = lowest
		}
		s.k.softmax(row)
	}
}

// mix writes the mixtures of a head. A tile that sticks out goes by way of one of
// its own.
func (s *Session) mix(to []float32, width, n, size int) {
	t, keys := &s.tile, whole(n, align)
	*t = tile{xStride: keys * floatBytes, steps: n, wNext: n * panel * floatBytes, scale: &s.one[0], from: &s.zero[0]}
	for c := 0; c < size; c += s.k.cols {
		t.w = pointer(s.values[c*n:])
		for r := 0; r < n; r += s.k.rows {
			t.x = pointer(s.scores[r*keys:])
			if c+s.k.cols <= size && r+s.k.rows <= n {
				t.y, t.yStride = &to[r*width+c], width*floatBytes
				s.k.floats(t)
				continue
			}
			t.y, t.yStride = &s.own[0], align*floatBytes
			s.k.floats(t)
			for i := range min(s.k.rows, n-r) {
				copy(to[(r+i)*width+c:(r+i)*width+min(c+s.k.cols, size)], s.own[i*align:])
			}
		}
	}
}
