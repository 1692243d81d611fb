package transformer

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func floatTileAVX2(t *tile)

//go:noescape
func shortTileAVX2(t *tile)

//go:noescape
func floatTileAVX512(t *tile)

//go:noescape
func shortTileAVX512(t *tile)

//go:noescape
func softmaxAVX2(x *float32, n int)

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func addNormAVX2(x, y, weight, bias *float32, n int, by, epsilon float32)

//go:noescape
func shortenAVX2(to *int16, x *float32, n int, limit float32) (scale float32)

//go:noescape
func widenFloatsAVX2(to *float32, w *int8, pairs int)

//go:noescape
func widenShortsAVX2(to *int16, w *int8, pairs int)

// native are the kernels whose instructions this machine has, best first. Whole
// numbers win where two of their products are made in the time of one of floats.
func native() []*kernel {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	avx2 := kernel{name: "avx2", rows: 6, cols: panel, depth: 192, block: 120,
		floats: floatTileAVX2, widenFloats: avx2WidenFloats,
		shorten: avx2Shorten, softmax: avx2Softmax, gelu: avx2GELU, addNorm: avx2AddNorm}
	shorts2 := avx2
	shorts2.name, shorts2.depth, shorts2.block, shorts2.shorts, shorts2.widenShorts = "avx2-int16", 384, 240,
		shortTileAVX2, avx2WidenShorts
	out := []*kernel{&shorts2, &avx2}
	if !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512VL || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512BW {
		return out
	}
	avx512 := avx2
	avx512.name, avx512.rows, avx512.cols, avx512.depth, avx512.floats = "avx512", 12, 2*panel, 384, floatTileAVX512
	out = append([]*kernel{&avx512}, out...)
	if !cpu.X86.HasAVX512VNNI {
		return out
	}
	vnni := avx512
	vnni.name, vnni.block, vnni.shorts, vnni.widenShorts = "avx512-vnni", 240, shortTileAVX512, avx2WidenShorts
	return append([]*kernel{&vnni}, out...)
}

// Each of these takes whole blocks, and leaves other lengths to the portable form.

func avx2Softmax(x []float32) {
	if len(x)%eight != 0 || len(x) == 0 {
		portableSoftmax(x)
		return
	}
	softmaxAVX2(unsafe.SliceData(x), len(x)/eight)
}

func avx2GELU(x []float32) {
	if len(x)%eight != 0 || len(x) == 0 {
		portableGELU(x)
		return
	}
	geluAVX2(unsafe.SliceData(x), len(x)/eight)
}

func avx2AddNorm(x, y []float32, n *layerNorm) {
	if len(x)%eight != 0 || len(x) == 0 {
		portableAddNorm(x, y, n)
		return
	}
	_, _, _ = y[len(x)-1], n.weight[len(x)-1], n.bias[len(x)-1]
	addNormAVX2(&x[0], &y[0], &n.weight[0], &n.bias[0], len(x)/eight, 1/float32(len(x)), normEpsilon)
}

func avx2Shorten(to []int16, x []float32, limit float32) float32 {
	if len(x)%panel != 0 || len(x) == 0 {
		return portableShorten(to, x, limit)
	}
	_ = to[len(x)-1]
	return shortenAVX2(&to[0], &x[0], len(x)/panel, limit)
}

func avx2WidenFloats(to []float32, w []int8) {
	_ = to[len(w)-1]
	widenFloatsAVX2(&to[0], &w[0], len(w)/(2*panel))
}

func avx2WidenShorts(to []int16, w []int8) {
	_ = to[len(w)-1]
	widenShortsAVX2(&to[0], &w[0], len(w)/(2*panel))
}
