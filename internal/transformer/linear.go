package transformer

// linear is y = xW + b. The weights stand in panels of output channels: for each
// input, the panel's weights lie side by side.
type linear struct {
	in, out int
	weights []float32 // panels of in × panel
	bias    []float32 // padded to whole panels
}

func newLinear(values []int8, scale, bias []float32, out, in int) *linear {
	panels := (out + panel - 1) / panel
	l := &linear{in: in, out: out, weights: make([]float32, panels*in*panel), bias: make([]float32, panels*panel)}
	copy(l.bias, bias)
	for o := range out {
		to := l.weights[o/panel*in*panel+o%panel:]
		for i := range in {
			to[i*panel] = float32(values[o*in+i]) * scale[o]
		}
	}
	return l
}

// stride is how wide a row of y is: the outputs in whole panels.
func (l *linear) stride() int { return len(l.bias) }

// apply writes y for n rows of x, which is xStride wide. Both hold whole tiles. A
// panel's weights stay in the cache while the rows pass.
func (l *linear) apply(y, x []float32, xStride, n int) {
	k, stride := best.tile, l.stride()
	for p := 0; p < stride; p += panel {
		w, b := l.weights[p*l.in:(p+panel)*l.in], l.bias[p:p+panel]
		for r := 0; r < n; r += rows {
			k(y[r*stride+p:], stride, x[r*xStride:], xStride, l.in, w, b)
		}
	}
}
