package transformer

import (
	"math"
	"unsafe"
)

// portable is the arithmetic of any processor, and what all others are held to.
var portable = &kernel{
	name: "portable", rows: portableRows, cols: panel, depth: 192, block: 120,
	floats: portableFloats, widenFloats: portableWidenFloats,
	shorten: portableShorten, softmax: portableSoftmax, gelu: portableGELU, addNorm: portableAddNorm,
}

const portableRows = 4

// portableFloats takes four rows by two columns at a time: their sums stay in the
// registers of any processor.
func portableFloats(t *tile) {
	w := unsafe.Slice((*float32)(t.w), t.steps*panel)
	var x [portableRows][]float32
	for r := range x {
		x[r] = unsafe.Slice((*float32)(unsafe.Add(t.x, r*t.xStride)), t.steps)
	}
	for c := 0; c < panel; c += 2 {
		sums := fourByTwo(x[0], x[1], x[2], x[3], w[c:])
		for r := range x {
			y, scale, from := floatsAt(t.y, r*t.yStride, c, 2), floatsAt(t.scale, 0, c, 2),
				floatsAt(t.from, r*t.fromStride, c, 2)
			y[0] = sums[r][0]*scale[0] + from[0]
			y[1] = sums[r][1]*scale[1] + from[1]
		}
	}
}

func fourByTwo(x0, x1, x2, x3, w []float32) [portableRows][2]float32 {
	var a0, a1, b0, b1, c0, c1, d0, d1 float32
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	for i, v := range x0 {
		k := (*[2]float32)(w[i*panel:])
		k0, k1 := k[0], k[1]
		a0 += v * k0
		a1 += v * k1
		v = x1[i]
		b0 += v * k0
		b1 += v * k1
		v = x2[i]
		c0 += v * k0
		c1 += v * k1
		v = x3[i]
		d0 += v * k0
		d1 += v * k1
	}
	return [portableRows][2]float32{{a0, a1}, {b0, b1}, {c0, c1}, {d0, d1}}
}

// floatsAt are n floats from the index first on, that many bytes behind p.
func floatsAt(p *float32, bytes, first, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(p), bytes+first*floatBytes)), n)
}

// portableShorts is what products of int16 are held to. No kernel of this machine
// uses it: floats are as fast without vectors.
func portableShorts(t *tile, rows, cols int) {
	for r := range rows {
		x := unsafe.Slice((*int16)(unsafe.Add(t.x, r*t.xStride)), 2*t.steps)
		row := *(*float32)(unsafe.Add(unsafe.Pointer(t.rowScale), r*floatBytes))
		for c := range cols {
			w := unsafe.Slice((*int16)(unsafe.Add(t.w, c/panel*t.wNext)), 2*panel*t.steps)[c%panel*2:]
			var sum int32
			for i := range t.steps {
				sum += int32(x[2*i])*int32(w[2*panel*i]) + int32(x[2*i+1])*int32(w[2*panel*i+1])
			}
			from := floatsAt(t.from, r*t.fromStride, c, 1)[0]
			floatsAt(t.y, r*t.yStride, c, 1)[0] = float32(sum)*row*floatsAt(t.scale, 0, c, 1)[0] + from
		}
	}
}

func portableWidenFloats(to []float32, w []int8) {
	for i := 0; i < len(w); i += 2 * panel {
		pairs, rows := w[i:i+2*panel], to[i:i+2*panel]
		for c := range panel {
			rows[c], rows[panel+c] = float32(pairs[2*c]), float32(pairs[2*c+1])
		}
	}
}

func portableWidenShorts(to []int16, w []int8) {
	for i, v := range w {
		to[i] = int16(v)
	}
}

func portableShorten(to []int16, x []float32, limit float32) float32 {
	var top float32
	for _, v := range x {
		top = max(top, v, -v)
	}
	if !(top > 0) {
		clear(to[:len(x)])
		return 0
	}
	by := limit / top
	for i, v := range x {
		to[i] = int16(math.RoundToEven(float64(v * by)))
	}
	return top / limit
}

func portableSoftmax(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = exp(v - top)
		sum += x[i]
	}
	by := 1 / sum
	for i := range x {
		x[i] *= by
	}
}

// portableGELU is x times the share of a normal distribution that lies below x. The
// error function is Abramowitz and Stegun's 7.1.26, good to 1.5e-7.
func portableGELU(x []float32) {
	for i, v := range x {
		a := v * (1 / math.Sqrt2)
		a = max(a, -a)
		t := 1 / (1 + 0.3275911*a)
		p := t * (0.254829592 + t*(-0.284496736+t*(1.421413741+t*(-1.453152027+t*1.061405429))))
		e := 1 - p*exp(-a*a)
		if v < 0 {
			e = -e
		}
		x[i] = 0.5 * v * (1 + e)
	}
}

// exp is e to the x, to about the precision of a float32, for x from -87 to 88:
// Cody and Waite's reduction, and the polynomial of Cephes.
func exp(x float32) float32 {
	const log2e, ln2high, ln2low = 1.44269504, 0.693359375, -2.12194440e-4
	x = min(max(x, -87), 88)
	n := float32(math.Floor(float64(x*log2e + 0.5)))
	r := x - n*ln2high - n*ln2low
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23) //nolint:gosec // n lies between -126 and 127
}

const normEpsilon = 1e-12

func portableAddNorm(x, y []float32, n *layerNorm) {
	var sum, squares float32
	y = y[:len(x)]
	for i, v := range y {
		x[i] += v
		sum += x[i]
	}
	mean := sum / float32(len(x))
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	by := float32(1 / math.Sqrt(float64(squares)/float64(len(x))+normEpsilon))
	for i, v := range x {
		x[i] = (v-mean)*by*n.weight[i] + n.bias[i]
	}
}
