package embed

import (
	"fmt"
	"math"
	"runtime"
	"sync"
)

// Rows are vectors as whole numbers of one byte, each with a scale: a quarter of the
// memory, and a cosine within about 0.001. All are compared with a query at once,
// exactly and in the same way on every processor. They may lie in a file that
// processes share; see OpenRows. Read only once made.
type Rows struct {
	dim    int
	scales []float32
	values []int8 // of each row stride(dim) numbers
	file   *mapping
}

// The numbers of a row are filled up to whole blocks. A query is held as numbers of
// two bytes: those of the rows alone are rounded to be felt.
const (
	rowBlock  = 32
	rowLimit  = 127
	askLimit  = 4095
	partRows  = 4096 // rows that one core takes at a time
	fewOfRows = 2 * partRows
)

func stride(dim int) int { return (dim + rowBlock - 1) / rowBlock * rowBlock }

// NewRows makes room for n rows.
func NewRows(dim, n int) *Rows {
	return &Rows{dim: dim, scales: make([]float32, 0, n), values: make([]int8, 0, n*stride(dim))}
}

// Add appends one vector.
func (r *Rows) Add(v []float32) error {
	if len(v) != r.dim {
		return fmt.Errorf("a vector has %d dimensions and others have %d", len(v), r.dim)
	}
	scale := largest(v) / rowLimit
	r.scales = append(r.scales, scale)
	for _, x := range v {
		r.values = append(r.values, int8(rounded(x, scale)))
	}
	for range stride(r.dim) - r.dim {
		r.values = append(r.values, 0)
	}
	return nil
}

func largest(v []float32) float32 {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	return most
}

func rounded(x, scale float32) int32 {
	if scale == 0 {
		return 0
	}
	return int32(math.Round(float64(x) / float64(scale)))
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.scales) }

// Dim is the number of dimensions.
func (r *Rows) Dim() int { return r.dim }

// At is a copy of the i-th row.
func (r *Rows) At(i int) []float32 {
	out := make([]float32, r.dim)
	row := r.values[i*stride(r.dim):][:r.dim]
	for k, v := range row {
		out[k] = r.scales[i] * float32(v)
	}
	runtime.KeepAlive(r.file)
	return out
}

// Dots are the dot products of a query with every row. Many rows are shared among
// the machine's cores.
func (r *Rows) Dots(query []float32) []float32 {
	out := make([]float32, r.Len())
	if len(query) != r.dim || r.Len() == 0 {
		return out
	}
	scale := largest(query) / askLimit
	asked := make([]int16, stride(r.dim))
	for i, x := range query {
		asked[i] = int16(rounded(x, scale))
	}
	Share(r.Len(), func(from, to int) { r.dots(out[from:to], asked, scale, from) })
	runtime.KeepAlive(r.file)
	return out
}

func (r *Rows) dots(out []float32, asked []int16, scale float32, from int) {
	var sums [64]int32
	width := stride(r.dim)
	for len(out) > 0 {
		n := min(len(out), len(sums))
		dotRows(sums[:n], r.values[from*width:(from+n)*width], asked)
		for i, sum := range sums[:n] {
			out[i] = float32(float32(sum)*scale) * r.scales[from+i]
		}
		out, from = out[n:], from+n
	}
}

// Share runs do over 0 to n in parts, on the machine's cores where n is large.
func Share(n int, do func(from, to int)) {
	cores := min(runtime.GOMAXPROCS(0), n/partRows)
	if n < fewOfRows || cores < 2 {
		do(0, n)
		return
	}
	var wait sync.WaitGroup
	for c := range cores {
		wait.Go(func() { do(c*n/cores, (c+1)*n/cores) })
	}
	wait.Wait()
}

// portableDotRows is what every processor can do; rows stand one behind the other.
func portableDotRows(sums []int32, rows []int8, asked []int16) {
	for i := range sums {
		row := rows[i*len(asked):][:len(asked)]
		var s0, s1, s2, s3 int32
		for k := 0; k+4 <= len(row); k += 4 {
			a := asked[k : k+4 : k+4]
			b := row[k : k+4 : k+4]
			s0 += int32(a[0]) * int32(b[0])
			s1 += int32(a[1]) * int32(b[1])
			s2 += int32(a[2]) * int32(b[2])
			s3 += int32(a[3]) * int32(b[3])
		}
		sums[i] = s0 + s1 + s2 + s3
	}
}
