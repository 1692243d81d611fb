package embed

import (
	"fmt"
	"slices"
)

// Flat holds vectors side by side and searches them all. At the size of a world
// (some ten thousand windows) that takes less time than an index would save, and
// it is exact. Not safe for writing while others read.
type Flat struct {
	dim  int
	data []float32
}

// Hit is a found vector: its place in order of adding, and its dot product with
// the query.
type Hit struct {
	Index int
	Score float32
}

// NewFlat makes room for capacity vectors; more may be added.
func NewFlat(dim, capacity int) *Flat {
	return &Flat{dim: dim, data: make([]float32, 0, dim*capacity)}
}

// Add appends one vector.
func (f *Flat) Add(v []float32) error {
	if len(v) != f.dim {
		return fmt.Errorf("vector %d: %d dimensions, the index has %d; index again with one embedder", f.Len(), len(v), f.dim)
	}
	f.data = append(f.data, v...)
	return nil
}

// Len is the number of vectors.
func (f *Flat) Len() int {
	if f.dim == 0 {
		return 0
	}
	return len(f.data) / f.dim
}

// At is the vector at place i; do not change it.
func (f *Flat) At(i int) []float32 { return f.data[i*f.dim : (i+1)*f.dim : (i+1)*f.dim] }

// TopK gives the k vectors of those that allow admits (nil: all) with the highest
// dot product, best first, equal ones in order of adding. It allocates its result
// and nothing else.
func (f *Flat) TopK(query []float32, k int, allow func(i int) bool) []Hit {
	k = min(k, f.Len())
	if k <= 0 || len(query) != f.dim {
		return nil
	}
	top := make([]Hit, 0, k)
	for i := range f.Len() {
		if allow != nil && !allow(i) {
			continue
		}
		score := Dot(query, f.At(i))
		if len(top) == k {
			if score <= top[k-1].Score {
				continue
			}
			top = top[:k-1]
		}
		top = insert(top, Hit{Index: i, Score: score})
	}
	return top
}

// insert keeps top sorted; k is small, so shifting beats a heap.
func insert(top []Hit, h Hit) []Hit {
	at := len(top)
	for at > 0 && top[at-1].Score < h.Score {
		at--
	}
	return slices.Insert(top, at, h)
}
