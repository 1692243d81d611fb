package transformer

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// kernel is the arithmetic of one kind of processor. Its functions read and write
// whole blocks; what they need besides lies in the workspace.
type kernel struct {
	name       string
	rows, cols int // of a tile; cols is one or more panels
	depth      int // inputs that one tile takes at most, so that its weights stay in the nearest cache
	block      int // rows that pass by one tile's weights, so that they stay in the next one

	floats      func(t *tile)                // product of float32 inputs
	widenFloats func(to []float32, w []int8) // a panel's weights for it
	// product of int16 inputs; nil where floats are as fast
	shorts      func(t *tile)
	widenShorts func(to []int16, w []int8)                           // a panel's weights for it
	shorten     func(to []int16, x []float32, limit float32) float32 // x as whole numbers up to limit, and their scale

	softmax func(x []float32)
	gelu    func(x []float32)
	addNorm func(x, y []float32, n *layerNorm) // x = norm(x + y)
}

// tile is y = x·w·scale + from, for the rows and columns of one tile. Strides are
// in bytes. The assembly knows where each field lies.
type tile struct {
	y          *float32
	yStride    int
	x          unsafe.Pointer // float32, or int16 in pairs
	xStride    int
	steps      int            // inputs, or pairs of them; at least one
	w          unsafe.Pointer // a panel: for each step sixteen weights, or sixteen pairs
	wNext      int            // from one panel to the next
	scale      *float32       // of the columns
	from       *float32
	fromStride int
	rowScale   *float32 // of int16 rows
}

const (
	panel      = 16 // columns of weights that lie side by side
	align      = 32 // columns to which rows of numbers are filled up: two panels
	mostRows   = 12 // of any kernel's tile
	eight      = 8  // numbers that softmax, norms and the like take at a time
	floatBytes = 4
	shortBytes = 2
)

// usable are the kernels that this machine runs and that agree with the portable
// one, best first.
var usable = proven(append(native(), portable))

var chosen atomic.Pointer[kernel]

// inUse is the kernel that batches take from here on.
func inUse() *kernel {
	if k := chosen.Load(); k != nil {
		return k
	}
	return usable[0]
}

// Kernels are the names of the kernels that this machine can run, best first. The
// first is in use unless Use says otherwise.
func Kernels() []string {
	out := make([]string, len(usable))
	for i, k := range usable {
		out[i] = k.name
	}
	return out
}

// Use makes all later batches take a kernel by its name, for tests and benches. It
// reports whether this machine has it.
func Use(name string) bool {
	i := slices.IndexFunc(usable, func(k *kernel) bool { return k.name == name })
	if i >= 0 {
		chosen.Store(usable[i])
	}
	return i >= 0
}

// whole is n rounded up to whole multiples.
func whole(n, of int) int { return (n + of - 1) / of * of }
