package transformer

import (
	"math"
	"slices"
)

// A kernel computes a tile of rows × panel outputs: y = xW + b over depth inputs,
// where W is one panel. Strides are in floats; a whole tile is read and written.
type kernel struct {
	name string
	tile func(y []float32, yStride int, x []float32, xStride, depth int, w, b []float32)
	exp  func(x []float32, shift float32) // x = exp(x - shift); whole blocks of eight
	gelu func(x []float32)                // whole blocks of eight
}

// The shape of a tile: rows, and outputs that stand together.
const (
	rows  = 12
	panel = 16
	block = 8
)

var portable = kernel{"portable", portableTile, portableExp, portableGELU}

// usable are the kernels that this machine runs and that agree with the portable
// one, best first; best is the one in use.
var (
	usable = proven(native)
	best   = usable[0]
)

// Kernels are the names of the kernels in reach, the one in use first.
func Kernels() []string {
	var out []string
	for _, k := range usable {
		out = append(out, k.name)
	}
	return out
}

// Use takes a kernel by name, for benches and tests; it must not be called while a
// session works. It reports whether this machine has the kernel.
func Use(name string) bool {
	i := slices.IndexFunc(usable, func(k kernel) bool { return k.name == name })
	if i >= 0 {
		best = usable[i]
	}
	return i >= 0
}

// proven are the kernels of a list that agree with the portable one on a small
// product, and the portable one itself. A kernel that is wrong on a machine nobody
// tried is slower there, and nothing worse.
func proven(list []kernel) []kernel {
	var out []kernel
	for _, k := range list {
		if agrees(k) {
			out = append(out, k)
		}
	}
	return append(out, portable)
}

func agrees(k kernel) bool {
	const depth, stride = 37, 41
	x, w, b := sample(rows*stride, 1), sample(depth*panel, 2), sample(panel, 3)
	got, want := make([]float32, rows*stride), make([]float32, rows*stride)
	k.tile(got, stride, x, stride, depth, w, b)
	portableTile(want, stride, x, stride, depth, w, b)
	if !near(got, want) {
		return false
	}
	got, want = sample(64, 4), sample(64, 4)
	k.exp(got, 0.5)
	portableExp(want, 0.5)
	if !near(got, want) {
		return false
	}
	got, want = sample(64, 5), sample(64, 5)
	k.gelu(got)
	portableGELU(want)
	return near(got, want)
}

// sample is a fixed run of numbers between -4 and 4.
func sample(n int, seed uint32) []float32 {
	out := make([]float32, n)
	for i := range out {
		seed = seed*1664525 + 1013904223
		out[i] = float32(seed>>8)/(1<<21) - 4
	}
	return out
}

func near(got, want []float32) bool {
	for i := range want {
		d := math.Abs(float64(got[i] - want[i]))
		if !(d <= 1e-4+1e-4*math.Abs(float64(want[i]))) {
			return false
		}
	}
	return true
}

func portableTile(y []float32, yStride int, x []float32, xStride, depth int, w, b []float32) {
	for r := range rows {
		var sum [panel]float32
		copy(sum[:], b)
		for i, v := range x[r*xStride : r*xStride+depth] {
			ws := w[i*panel : i*panel+panel : i*panel+panel]
			for k := range sum {
				sum[k] += v * ws[k]
			}
		}
		copy(y[r*yStride:r*yStride+panel], sum[:])
	}
}

func portableExp(x []float32, shift float32) {
	for i, v := range x {
		x[i] = exp(v - shift)
	}
}

func portableGELU(x []float32) {
	for i, v := range x {
		a := v * (1 / math.Sqrt2)
		if a < 0 {
			a = -a
		}
		t := 1 / (1 + 0.3275911*a)
		poly := t * (0.254829592 + t*(-0.284496736+t*(1.421413741+t*(-1.453152027+t*1.061405429))))
		e := 1 - poly*exp(-a*a)
		if v < 0 {
			e = -e
		}
		x[i] = 0.5 * v * (1 + e)
	}
}

// exp is e to the x, to about the precision of a float32 (Cody and Waite's
// reduction and a polynomial of degree 6, as in Cephes). What is below the smallest
// normal number is that number.
func exp(x float32) float32 {
	x = min(max(x, -87), 88)
	const log2e, ln2high, ln2low = 1.44269504, 0.693359375, -2.12194440e-4
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
