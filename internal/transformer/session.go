package transformer

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Session is the workspace of one batch at a time. It grows to the largest part of
// a batch it met, and works without allocating from then on. It is not safe for
// concurrent use; a model lends as many as are wanted.
type Session struct {
	m    *Model
	k    *kernel
	tile tile

	x, qkv, mixed             []float32 // of all tokens of a part
	projected, wide           []float32 // of a block of them
	short                     []int16   // the inputs of a block as whole numbers
	rowScale                  []float32
	floatPanel                []float32 // weights as they are multiplied
	shortPanel                []int16
	scores, keys, values      []float32 // of one head of one sequence
	own, zero, one, headScale []float32 // of one tile
}

// partTokens is how many tokens are read at a time: enough that the weights are
// fetched seldom, and few enough that a huge batch needs no huge workspace.
const partTokens = 1024

// Session gives a workspace; Release takes it back.
func (m *Model) Session() *Session {
	s, _ := m.sessions.Get().(*Session) // the pool holds nothing else
	return s
}

// Release takes a workspace back.
func (m *Model) Release(s *Session) { m.sessions.Put(s) }

// Pool appends to dst the mean of the last layer over the tokens of each sequence.
// Sequences stand one behind the other without padding; attention alone goes by
// sequence.
func (s *Session) Pool(dst []float32, batch []Sequence) ([]float32, error) {
	for i, q := range batch {
		if err := s.m.fits(q); err != nil {
			return dst, fmt.Errorf("sequence %d: %w", i, err)
		}
	}
	s.k = inUse()
	for len(batch) > 0 {
		n, total := 1, len(batch[0].IDs)
		for n < len(batch) && total+len(batch[n].IDs) <= partTokens {
			total += len(batch[n].IDs)
			n++
		}
		dst = s.pool(dst, batch[:n], total)
		batch = batch[n:]
	}
	return dst, nil
}

func (m *Model) fits(q Sequence) error {
	if len(q.IDs) == 0 || q.Types != nil && len(q.Types) != len(q.IDs) {
		return errors.New("it is empty, or its types do not match its tokens")
	}
	if len(q.IDs) > m.positions {
		return fmt.Errorf("it has %d tokens, the model reads at most %d; cut it", len(q.IDs), m.positions)
	}
	for i, id := range q.IDs {
		if id < 0 || int(id) >= m.words || q.Types != nil && q.Types[i] > 1 {
			return fmt.Errorf("its token %d is not among the model's %d words and 2 types", i, m.words)
		}
	}
	return nil
}

// pool reads a part of a batch.
func (s *Session) pool(dst []float32, batch []Sequence, total int) []float32 {
	s.reserve(batch, total)
	width, at := whole(s.m.hidden, align), 0
	for _, q := range batch {
		s.m.embed(s.x[at*width:], q, s.k)
		at += len(q.IDs)
	}
	for i := range s.m.stack {
		s.layer(&s.m.stack[i], batch, total)
	}
	at = 0
	for _, q := range batch {
		dst = appendMean(dst, s.x[at*width:], len(q.IDs), s.m.hidden)
		at += len(q.IDs)
	}
	return dst
}

// reserve makes room for a part, in whole tiles. Attention reads up to a tile of
// rows beyond a sequence's end.
func (s *Session) reserve(batch []Sequence, total int) {
	longest := 0
	for _, q := range batch {
		longest = max(longest, len(q.IDs))
	}
	l, width := &s.m.stack[0], whole(s.m.hidden, align)
	n := whole(total, mostRows) + mostRows
	s.x, s.mixed, s.qkv = grown(s.x, n*width), grown(s.mixed, n*width), grown(s.qkv, n*l.qkv.stride())
	block := min(n, whole(s.k.block, mostRows))
	widest := max(width, l.up.stride())
	s.projected, s.wide, s.short = grown(s.projected, block*width), grown(s.wide, block*widest),
		grown(s.short, block*widest)
	s.rowScale = grown(s.rowScale, block)
	s.floatPanel, s.shortPanel = grown(s.floatPanel, s.k.depth*align), grown(s.shortPanel, s.k.depth*align)
	keys, size := whole(longest, align), whole(s.m.hidden/s.m.heads, align)
	s.scores = grown(s.scores, whole(longest, mostRows)*keys)
	s.keys, s.values = grown(s.keys, keys*size), grown(s.values, keys*size)
	if s.own == nil {
		s.own, s.zero = make([]float32, mostRows*align), make([]float32, align)
		s.one, s.headScale = make([]float32, align), make([]float32, align)
		for i := range s.headScale {
			s.one[i] = 1
			s.headScale[i] = float32(1 / math.Sqrt(float64(s.m.hidden/s.m.heads)))
		}
	}
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// embed writes the embedded tokens of a sequence.
func (m *Model) embed(x []float32, q Sequence, k *kernel) {
	h, width := m.hidden, whole(m.hidden, align)
	for i, id := range q.IDs {
		row := x[i*width : i*width+h]
		place, scale := m.position.values[i*h:(i+1)*h], m.position.scale[i]
		kind := m.types[:h]
		if q.Types != nil && q.Types[i] == 1 {
			kind = m.types[h:]
		}
		for c, v := range place {
			row[c] = float32(v) * scale
		}
		m.word.add(row, int(id))
		k.addNorm(row, kind, &m.norm)
	}
}

// layer is one layer over all tokens of a part. But for attention, blocks of rows go
// through it one after the other, so that what lies between stays in the cache.
func (s *Session) layer(l *layer, batch []Sequence, n int) {
	width := whole(s.m.hidden, align)
	for r := 0; r < n; r += s.k.block {
		s.apply(l.qkv, s.qkv[r*l.qkv.stride():], s.x[r*width:], min(s.k.block, n-r))
	}
	at := 0
	for _, q := range batch {
		s.attend(l, at, len(q.IDs))
		at += len(q.IDs)
	}
	for r := 0; r < n; r += s.k.block {
		s.behind(l, s.x[r*width:], s.mixed[r*width:], min(s.k.block, n-r))
	}
}

// behind is what stands behind attention: its projection, and the wide layer.
func (s *Session) behind(l *layer, x, mixed []float32, n int) {
	h, width, wide := s.m.hidden, whole(s.m.hidden, align), l.up.stride()
	s.apply(l.out, s.projected, mixed, n)
	for r := range n {
		s.k.addNorm(x[r*width:r*width+h], s.projected[r*width:], &l.afterAttention)
	}
	s.apply(l.up, s.wide, x, n)
	for r := range n {
		s.k.gelu(s.wide[r*wide : (r+1)*wide])
	}
	s.apply(l.down, s.projected, s.wide, n)
	for r := range n {
		s.k.addNorm(x[r*width:r*width+h], s.projected[r*width:], &l.afterAll)
	}
}

func appendMean(dst, x []float32, n, h int) []float32 {
	from, width := len(dst), whole(h, align)
	dst = append(dst, x[:h]...)
	mean := dst[from:]
	for i := 1; i < n; i++ {
		for c, v := range x[i*width : i*width+h] {
			mean[c] += v
		}
	}
	by := 1 / float32(n)
	for c := range mean {
		mean[c] *= by
	}
	return dst
}

// pointer is where the numbers of a slice lie, for a tile.
func pointer(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// Sequence is what the encoder reads: pieces between [CLS] and [SEP].
type Sequence struct {
	IDs   []int32
	Types []uint8 // of the token's text, 0 or 1; nil: all 0
}

// Pair is [CLS] premise [SEP] hypothesis [SEP], of at most so many tokens. The end
// of the premise is cut first; the hypothesis only where it alone is too long.
func Pair(v *Vocab, premise, hypothesis []int32, most int) Sequence {
	const special = 3
	hypothesis = hypothesis[:min(len(hypothesis), max(0, most-special))]
	premise = premise[:min(len(premise), max(0, most-special-len(hypothesis)))]
	n := len(premise) + len(hypothesis) + special
	ids := append(make([]int32, 0, n), v.cls)
	ids = append(append(ids, premise...), v.sep)
	types := make([]uint8, n)
	for i := len(ids); i < n; i++ {
		types[i] = 1
	}
	return Sequence{IDs: append(append(ids, hypothesis...), v.sep), Types: types}
}

// Single is [CLS] text [SEP], of at most so many tokens.
func Single(v *Vocab, ids []int32, most int) Sequence {
	const special = 2
	ids = ids[:min(len(ids), max(0, most-special))]
	out := append(make([]int32, 0, len(ids)+special), v.cls)
	return Sequence{IDs: append(append(out, ids...), v.sep)}
}
