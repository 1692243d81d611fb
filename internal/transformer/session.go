package transformer

import (
	"errors"
	"fmt"
	"math"
)

// Session is the workspace of one batch at a time. It grows to the largest batch
// it met.
type Session struct {
	m                              *Model
	x, qkv, mixed, projected, wide []float32 // of all tokens
	scores, keys, values           []float32 // of one head of one sequence
	zero                           [panel]float32
}

// Pool appends to dst the mean of the last layer over the tokens of each sequence.
// Sequences stand one behind the other without padding; attention alone goes by
// sequence.
func (s *Session) Pool(dst []float32, batch []Sequence) ([]float32, error) {
	total := 0
	for i, q := range batch {
		if err := s.m.fits(q); err != nil {
			return dst, fmt.Errorf("sequence %d: %w", i, err)
		}
		total += len(q.IDs)
	}
	s.reserve(total, batch)
	h, at := s.m.hidden, 0
	for _, q := range batch {
		s.m.embed(s.x[at*h:], q)
		at += len(q.IDs)
	}
	for i := range s.m.stack {
		s.run(&s.m.stack[i], batch, total)
	}
	at = 0
	for _, q := range batch {
		dst = appendMean(dst, s.x[at*h:(at+len(q.IDs))*h], h)
		at += len(q.IDs)
	}
	return dst, nil
}

// reserve makes room for a batch, in whole tiles and panels.
func (s *Session) reserve(total int, batch []Sequence) {
	if total == 0 {
		return
	}
	longest := 0
	for _, q := range batch {
		longest = max(longest, len(q.IDs))
	}
	l, h := &s.m.stack[0], s.m.hidden
	n := whole(total, rows) + rows // attention reads a tile beyond a sequence's end
	s.x, s.mixed = grown(s.x, n*h), grown(s.mixed, n*h)
	s.qkv, s.projected = grown(s.qkv, n*l.qkv.stride()), grown(s.projected, n*l.out.stride())
	s.wide = grown(s.wide, n*l.up.stride())
	width := whole(h/s.m.heads, panel)
	keys := whole(longest, panel)
	s.scores = grown(s.scores, whole(longest, rows)*keys)
	s.keys, s.values = grown(s.keys, keys*width), grown(s.values, keys*width)
}

// whole is n rounded up to whole multiples.
func whole(n, of int) int { return (n + of - 1) / of * of }

func (m *Model) fits(q Sequence) error {
	if len(q.IDs) == 0 || q.Types != nil && len(q.Types) != len(q.IDs) {
		return errors.New("it is empty, or its types do not match its tokens")
	}
	if len(q.IDs) > m.positions {
		return fmt.Errorf("%d tokens; the model reads %d", len(q.IDs), m.positions)
	}
	for i, id := range q.IDs {
		if id < 0 || int(id) >= m.words || q.Types != nil && q.Types[i] > 1 {
			return fmt.Errorf("token %d is %d, which the model does not have", i, id)
		}
	}
	return nil
}

func grown(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// embed writes the embedded tokens of a sequence.
func (m *Model) embed(x []float32, q Sequence) {
	h := m.hidden
	for i, id := range q.IDs {
		row := x[i*h : (i+1)*h]
		word, scale := m.word.values[int(id)*h:(int(id)+1)*h], m.word.scale[id]
		position := m.position[i*h : (i+1)*h]
		kind := m.types[:h]
		if q.Types != nil && q.Types[i] == 1 {
			kind = m.types[h:]
		}
		for k := range row {
			row[k] = float32(word[k])*scale + position[k] + kind[k]
		}
		m.norm.apply(row)
	}
}

// run is one layer over all tokens.
func (s *Session) run(l *layer, batch []Sequence, n int) {
	h := s.m.hidden
	l.qkv.apply(s.qkv, s.x, h, n)
	at := 0
	for _, q := range batch {
		s.attend(l, at, len(q.IDs))
		at += len(q.IDs)
	}
	l.out.apply(s.projected, s.mixed, h, n)
	addNorm(s.x, s.projected, l.out.stride(), &l.afterAttention, n, h)
	l.up.apply(s.wide, s.x, h, n)
	best.gelu(s.wide[:whole(n*l.up.stride(), block)])
	l.down.apply(s.projected, s.wide, l.up.stride(), n)
	addNorm(s.x, s.projected, l.down.stride(), &l.afterAll, n, h)
}

// attend mixes the values of one sequence, head by head. Scores and mixtures are
// products like any other once keys and values stand in panels. A tile at the end
// of a sequence reads the next one's queries and keeps nothing of them.
func (s *Session) attend(l *layer, from, n int) {
	h, stride := s.m.hidden, l.qkv.stride()
	width := h / s.m.heads
	scale := float32(1 / math.Sqrt(float64(width)))
	keys := whole(n, panel)
	for head := range s.m.heads {
		at := func(i, part int) []float32 { return s.qkv[(from+i)*stride+part*h+head*width:] }
		s.pack(at, n, width, scale)
		for p := 0; p < keys; p += panel {
			for r := 0; r < n; r += rows {
				best.tile(s.scores[r*keys+p:], keys, at(r, 0), stride, width, s.keys[p*width:], s.zero[:])
			}
		}
		for i := range n {
			softmax(s.scores[i*keys:(i+1)*keys], n)
		}
		s.mix(from, n, head, width)
	}
}

// pack puts the keys of a head into panels by their columns, scaled, and its values
// into panels by their rows.
func (s *Session) pack(at func(i, part int) []float32, n, width int, scale float32) {
	for j := range whole(n, panel) {
		keys := s.keys[j/panel*panel*width+j%panel:]
		if j >= n {
			for k := range width {
				keys[k*panel] = 0
			}
			continue
		}
		for k, v := range at(j, 1)[:width] {
			keys[k*panel] = v * scale
		}
		for p := 0; p < width; p += panel {
			to := s.values[p*n+j*panel : p*n+(j+1)*panel]
			m := copy(to, at(j, 2)[p:min(p+panel, width)])
			clear(to[m:])
		}
	}
}

// mix writes the mixtures of a head. Where heads are no whole panels, a tile of its
// own keeps them from writing over their neighbours.
func (s *Session) mix(from, n, head, width int) {
	h, keys := s.m.hidden, whole(n, panel)
	var own [rows * panel]float32
	for p := 0; p < width; p += panel {
		w := s.values[p*n : (p+panel)*n]
		for r := 0; r < n; r += rows {
			to := s.mixed[(from+r)*h+head*width+p:]
			if p+panel <= width && r+rows <= n {
				best.tile(to, h, s.scores[r*keys:], keys, n, w, s.zero[:])
				continue
			}
			best.tile(own[:], panel, s.scores[r*keys:], keys, n, w, s.zero[:])
			for i := range min(rows, n-r) {
				copy(to[i*h:i*h+min(panel, width-p)], own[i*panel:])
			}
		}
	}
}

// softmax makes a row of n scores probabilities; what stands behind them is 0.
func softmax(x []float32, n int) {
	top := x[0]
	for _, v := range x[:n] {
		top = max(top, v)
	}
	for i := n; i < len(x); i++ {
		x[i] = top - 100
	}
	best.exp(x, top)
	var sum float32
	for _, v := range x[:n] {
		sum += v
	}
	by := 1 / sum
	for i := range n {
		x[i] *= by
	}
}

const normEpsilon = 1e-12

// apply brings a row to mean 0 and deviation 1, and scales it.
func (n *layerNorm) apply(row []float32) {
	var sum, squares float32
	for _, v := range row {
		sum += v
	}
	mean := sum / float32(len(row))
	for _, v := range row {
		d := v - mean
		squares += d * d
	}
	by := float32(1 / math.Sqrt(float64(squares)/float64(len(row))+normEpsilon))
	for i, v := range row {
		row[i] = (v-mean)*by*n.weight[i] + n.bias[i]
	}
}

// addNorm adds y to x and normalises each row.
func addNorm(x, y []float32, stride int, n *layerNorm, rows, h int) {
	for r := range rows {
		row := x[r*h : (r+1)*h]
		for i, v := range y[r*stride : r*stride+h] {
			row[i] += v
		}
		n.apply(row)
	}
}

func appendMean(dst, x []float32, h int) []float32 {
	from := len(dst)
	for range h {
		dst = append(dst, 0)
	}
	mean := dst[from:]
	for i, v := range x {
		mean[i%h] += v
	}
	by := 1 / float32(len(x)/h)
	for i := range mean {
		mean[i] *= by
	}
	return dst
}
