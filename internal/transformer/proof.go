package transformer

import (
	"math"
	"unsafe"
)

// proven are the kernels of a list that compute what the portable one computes on
// small samples. One that is wrong on a machine nobody tried is left out, so that
// such a machine is slow and not wrong. The portable one is its own measure.
func proven(list []*kernel) []*kernel {
	var out []*kernel
	for _, k := range list {
		if k == portable || k.provesFloats() && k.provesShorts() && k.provesVectors() {
			out = append(out, k)
		}
	}
	return out
}

// Odd numbers of steps and strides wider than a tile show a kernel that leaves its
// tile or rounds a loop up.
var proofSteps = [...]int{1, 2, 3, 4, 7, 32, 37}

func (k *kernel) provesFloats() bool {
	const stride, odd = 56, 41
	x, scale, from := sample(mostRows*odd, 1), sample(align, 3), sample(mostRows*stride, 4)
	for _, steps := range proofSteps {
		w := sample(2*steps*panel, 2)
		t := tile{yStride: stride * floatBytes, x: unsafe.Pointer(&x[0]), xStride: odd * floatBytes, steps: steps,
			w: unsafe.Pointer(&w[0]), wNext: steps * panel * floatBytes, scale: &scale[0]}
		if !k.agrees(&t, from, stride, k.floats, floatsByPanels) {
			return false
		}
	}
	packed := make([]int8, 6*panel)
	for i := range packed {
		packed[i] = int8(i*37 - 128) //nolint:gosec // any int8 will do
	}
	got, want := make([]float32, len(packed)), make([]float32, len(packed))
	k.widenFloats(got, packed)
	portableWidenFloats(want, packed)
	return near(got, want, 0)
}

func (k *kernel) provesShorts() bool {
	if k.shorts == nil {
		return true
	}
	const stride, odd = 56, 82
	x, w := make([]int16, mostRows*odd), make([]int16, 4*panel*proofSteps[len(proofSteps)-1])
	k.shorten(x, sample(whole(len(x), panel), 6)[:len(x)/panel*panel], 32767)
	packed := make([]int8, len(w))
	for i, v := range sample(len(w), 7) {
		packed[i] = int8(v * 31) // samples lie between -4 and 4
	}
	k.widenShorts(w, packed)
	for i, v := range packed {
		if w[i] != int16(v) {
			return false
		}
	}
	scale, from, rowScale := sample(align, 3), sample(mostRows*stride, 4), sample(mostRows, 5)
	for i := range rowScale {
		rowScale[i] *= 1e-5
	}
	for _, steps := range proofSteps {
		t := tile{yStride: stride * floatBytes, x: unsafe.Pointer(&x[0]), xStride: odd * shortBytes, steps: steps,
			w: unsafe.Pointer(&w[0]), wNext: 2 * steps * panel * shortBytes, scale: &scale[0], rowScale: &rowScale[0]}
		if !k.agrees(&t, from, stride, k.shorts, portableShorts) {
			return false
		}
	}
	return true
}

// agrees runs a tile with a kernel's product and with the one it is held to, once
// onto a single row and once onto a row each, and looks at what lies beside the
// tile too.
func (k *kernel) agrees(
	t *tile, from []float32, stride int, product func(*tile), want func(t *tile, rows, cols int),
) bool {
	a, b := sample(mostRows*stride, 8), sample(mostRows*stride, 8)
	t.from = &from[0]
	for _, t.fromStride = range []int{0, t.yStride} {
		t.y = &a[0]
		product(t)
		t.y = &b[0]
		want(t, k.rows, k.cols)
		if !near(a, b, 1e-5) {
			return false
		}
	}
	return true
}

// floatsByPanels is the product of float32 inputs in its plainest form.
func floatsByPanels(t *tile, rows, cols int) {
	for r := range rows {
		x := unsafe.Slice((*float32)(unsafe.Add(t.x, r*t.xStride)), t.steps)
		for c := range cols {
			w := unsafe.Slice((*float32)(unsafe.Add(t.w, c/panel*t.wNext)), panel*t.steps)[c%panel:]
			var sum float32
			for i, v := range x {
				sum += v * w[i*panel]
			}
			floatsAt(t.y, r*t.yStride, c, 1)[0] = sum*floatsAt(t.scale, 0, c, 1)[0] + floatsAt(t.from, r*t.fromStride, c, 1)[0]
		}
	}
}

func (k *kernel) provesVectors() bool {
	for _, n := range []int{8, 24, 64, 5} {
		norm := layerNorm{sample(n, 9), sample(n, 10)}
		for _, f := range []struct{ got, want func(x []float32) }{
			{k.softmax, portableSoftmax}, {k.gelu, portableGELU},
			{func(x []float32) { k.addNorm(x, sample(n, 11), &norm) },
				func(x []float32) { portableAddNorm(x, sample(n, 11), &norm) }},
		} {
			got, want := sample(n, 12), sample(n, 12)
			f.got(got)
			f.want(want)
			if !near(got, want, 1e-5) {
				return false
			}
		}
		got, want := make([]int16, n), make([]int16, n)
		a, b := k.shorten(got, sample(n, 13), 20000), portableShorten(want, sample(n, 13), 20000)
		if !near([]float32{a}, []float32{b}, 1e-6) {
			return false
		}
		for i := range got {
			if d := got[i] - want[i]; d < -1 || d > 1 { // rounding may fall either way
				return false
			}
		}
	}
	return true
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

// near says whether numbers differ by no more than a share of them and of one.
func near(got, want []float32, by float64) bool {
	for i := range want {
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if !(d <= by*(10+math.Abs(float64(want[i])))) {
			return false
		}
	}
	return true
}
