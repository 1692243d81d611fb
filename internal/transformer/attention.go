package transformer

// attend mixes the values of one sequence, head by head. Scores and mixtures are
// products like any other once keys and values stand in panels. A tile at the end
// of a sequence reads the next one's queries and keeps nothing of them.
func (s *Session) attend(l *layer, from, n int) {
	width, stride := whole(s.m.hidden, align), l.qkv.stride()
	size := s.m.hidden / s.m.heads
	for head := range s.m.heads {
		rows := s.qkv[from*stride+head*size:]
		s.pack(rows[s.m.hidden:], rows[2*s.m.hidden:], stride, n, size)
		s.score(rows, stride, n, size)
		s.mix(s.mixed[from*width+head*size:], width, n, size)
	}
}

// pack puts the keys of a head into panels by their columns, and its values into
// panels by their rows. What fills them up is 0.
func (s *Session) pack(keys, values []float32, stride, n, size int) {
	for j := range n {
		to, key := s.keys[j/panel*panel*size+j%panel:], keys[j*stride:j*stride+size]
		for c, v := range key {
			to[c*panel] = v
		}
		value := values[j*stride : j*stride+size]
		for c := 0; c < size; c += panel {
			k := copy(s.values[c*n+j*panel:c*n+(j+1)*panel], value[c:])
			clear(s.values[c*n+j*panel+k : c*n+(j+1)*panel])
		}
	}
	for j := n; j < whole(n, align); j++ {
		to := s.keys[j/panel*panel*size+j%panel:]
		for c := range size {
			to[c*panel] = 0
		}
	}
	for c := whole(size, panel); c < whole(size, align); c += panel {
		clear(s.values[c*n : (c+panel)*n])
	}
}

// lowest is a score that takes no part.
const lowest = -1e30

// score writes how much each token looks at each other.
func (s *Session) score(queries []float32, stride, n, size int) {
	t, keys := &s.tile, whole(n, align)
	*t = tile{yStride: keys * floatBytes, xStride: stride * floatBytes, steps: size, wNext: size * panel * floatBytes,
		scale: &s.headScale[0], from: &s.zero[0]}
	for c := 0; c < n; c += s.k.cols {
		t.w = pointer(s.keys[c*size:])
		for r := 0; r < n; r += s.k.rows {
			t.x, t.y = pointer(queries[r*stride:]), &s.scores[r*keys+c]
			s.k.floats(t)
		}
	}
	for r := range n {
		row := s.scores[r*keys : r*keys+whole(n, eight)]
		for c := n; c < len(row); c++ {
			row[c] = lowest
		}
		s.k.softmax(row)
	}
}

// mix writes the mixtures of a head. A tile that sticks out goes by way of one of
// its own.
func (s *Session) mix(to []float32, width, n, size int) {
	t, keys := &s.tile, whole(n, align)
	*t = tile{xStride: keys * floatBytes, steps: n, wNext: n * panel * floatBytes, scale: &s.one[0], from: &s.zero[0]}
	for c := 0; c < size; c += s.k.cols {
		t.w = pointer(s.values[c*n:])
		for r := 0; r < n; r += s.k.rows {
			t.x = pointer(s.scores[r*keys:])
			if c+s.k.cols <= size && r+s.k.rows <= n {
				t.y, t.yStride = &to[r*width+c], width*floatBytes
				s.k.floats(t)
				continue
			}
			t.y, t.yStride = &s.own[0], align*floatBytes
			s.k.floats(t)
			for i := range min(s.k.rows, n-r) {
				copy(to[(r+i)*width+c:(r+i)*width+min(c+s.k.cols, size)], s.own[i*align:])
			}
		}
	}
}
