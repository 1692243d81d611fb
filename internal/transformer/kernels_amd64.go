package transformer

import "golang.org/x/sys/cpu"

//go:noescape
func tile6AVX2(y *float32, yStride int, x *float32, xStride, depth int, w, b *float32)

//go:noescape
func tile12AVX512(y *float32, yStride int, x *float32, xStride, depth int, w, b *float32)

//go:noescape
func expAVX2(x *float32, blocks int, shift float32)

//go:noescape
func geluAVX2(x *float32, blocks int)

// native are the kernels whose instructions this machine has, best first.
var native = func() []kernel {
	var out []kernel
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW {
		out = append(out, kernel{"avx512", avx512Tile, avx2Exp, avx2GELU})
	}
	return append(out, kernel{"avx2", avx2Tile, avx2Exp, avx2GELU})
}()

const floatBytes = 4

func avx2Tile(y []float32, yStride int, x []float32, xStride, depth int, w, b []float32) {
	const half = rows / 2
	_, _, _, _ = y[(rows-1)*yStride+panel-1], x[(rows-1)*xStride+depth-1], w[depth*panel-1], b[panel-1]
	tile6AVX2(&y[0], yStride*floatBytes, &x[0], xStride*floatBytes, depth, &w[0], &b[0])
	tile6AVX2(&y[half*yStride], yStride*floatBytes, &x[half*xStride], xStride*floatBytes, depth, &w[0], &b[0])
}

func avx512Tile(y []float32, yStride int, x []float32, xStride, depth int, w, b []float32) {
	_, _, _, _ = y[(rows-1)*yStride+panel-1], x[(rows-1)*xStride+depth-1], w[depth*panel-1], b[panel-1]
	tile12AVX512(&y[0], yStride*floatBytes, &x[0], xStride*floatBytes, depth, &w[0], &b[0])
}

func avx2Exp(x []float32, shift float32) {
	if n := len(x) / block; n > 0 {
		expAVX2(&x[0], n, shift)
	}
}

func avx2GELU(x []float32) {
	if n := len(x) / block; n > 0 {
		geluAVX2(&x[0], n)
	}
}
