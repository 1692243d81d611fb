package transformer

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// plainWord is one value of a word's embedding.
func plainWord(m *Model, id, c int) float64 {
	q := int(m.word.packed[id*((m.hidden+1)/2)+c/2]>>(4*(c%2))&15) - 8
	return float64(q) * float64(m.word.scale[(id*m.hidden+c)/m.word.group])
}

// plainly is what a model computes, by the book and in float64: no panels, no
// tiles, no tricks.
func plainly(m *Model, q Sequence) []float32 {
	h := m.hidden
	x := make([][]float64, len(q.IDs))
	for i, id := range q.IDs {
		x[i] = make([]float64, h)
		for c := range x[i] {
			x[i][c] = plainWord(m, int(id), c) + float64(m.position.values[i*h+c])*float64(m.position.scale[i]) +
				float64(m.types[int(q.Types[i])*h+c])
		}
		plainNorm(x[i], &m.norm)
	}
	for _, l := range m.stack {
		qkv := plainLinear(l.qkv, x)
		mixed := make([][]float64, len(x))
		for i := range x {
			mixed[i] = plainAttention(qkv, i, h, m.heads)
		}
		plainResidual(x, plainLinear(l.out, mixed), &l.afterAttention)
		wide := plainLinear(l.up, x)
		for _, row := range wide {
			for c, v := range row {
				row[c] = v * 0.5 * (1 + math.Erf(v/math.Sqrt2))
			}
		}
		plainResidual(x, plainLinear(l.down, wide), &l.afterAll)
	}
	out := make([]float32, h)
	for c := range out {
		var sum float64
		for i := range x {
			sum += x[i][c]
		}
		out[c] = float32(sum / float64(len(x)))
	}
	return out
}

func plainAttention(qkv [][]float64, i, h, heads int) []float64 {
	out, size := make([]float64, h), h/heads
	for head := range heads {
		odds, total := make([]float64, len(qkv)), 0.0
		for j := range qkv {
			var dot float64
			for c := head * size; c < (head+1)*size; c++ {
				dot += qkv[i][c] * qkv[j][h+c]
			}
			odds[j] = math.Exp(dot / math.Sqrt(float64(size)))
			total += odds[j]
		}
		for j := range qkv {
			for c := head * size; c < (head+1)*size; c++ {
				out[c] += odds[j] / total * qkv[j][2*h+c]
			}
		}
	}
	return out
}

func plainLinear(l *linear, x [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for i, row := range x {
		out[i] = make([]float64, l.out)
		for o := range out[i] {
			var sum float64
			for c := range l.in {
				sum += row[c] * float64(l.panel(o / panel)[c/2*2*panel+o%panel*2+c%2])
			}
			out[i][o] = sum*float64(l.scale[o]) + float64(l.bias[o])
		}
	}
	return out
}

func plainResidual(x, y [][]float64, n *layerNorm) {
	for i := range x {
		for c := range x[i] {
			x[i][c] += y[i][c]
		}
		plainNorm(x[i], n)
	}
}

func plainNorm(x []float64, n *layerNorm) {
	var mean, squares float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean) / float64(len(x))
	}
	for c, v := range x {
		x[c] = (v-mean)/math.Sqrt(squares+1e-12)*float64(n.weight[c]) + float64(n.bias[c])
	}
}

func TestEveryKernelComputesWhatTheBookSays(t *testing.T) {
	withEach(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			heads := rapid.IntRange(1, 4).Draw(t, "heads")
			w := tiny{layers: rapid.IntRange(1, 2).Draw(t, "layers"), heads: heads,
				hidden: heads * rapid.IntRange(1, 40).Draw(t, "size"),
				inner:  rapid.IntRange(1, 420).Draw(t, "inner"), words: 12, positions: 70, seed: rapid.Uint64().Draw(t, "seed")}
			if w.hidden < 4 {
				w.hidden *= 4 // of fewer numbers a norm leaves little but signs
			}
			m, err := Load(w.vocab(t), w.file(), nil)
			if err != nil {
				t.Fatal(err)
			}
			batch := w.sequences(rapid.SliceOfN(rapid.IntRange(1, 70), 1, 5).Draw(t, "lengths")...)
			s := m.Session()
			defer m.Release(s)
			got, err := s.Pool(nil, batch)
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range batch {
				if d := furthest(t, got[i*w.hidden:(i+1)*w.hidden], plainly(m, q)); d > 1e-3 {
					t.Fatalf("sequence %d of %d tokens differs by %.2g", i, len(q.IDs), d)
				}
			}
		})
	})
}

func TestPoolAppendsAndTakesAnEmptyBatch(t *testing.T) {
	w := small()
	s := w.load(t).Session()
	if got, err := s.Pool([]float32{7}, nil); err != nil || !slices.Equal(got, []float32{7}) {
		t.Errorf("an empty batch: %v, %v", got, err)
	}
	q := w.sequences(5)
	alone, _ := s.Pool(nil, q)
	if got, err := s.Pool([]float32{7}, q); err != nil || got[0] != 7 || !slices.Equal(got[1:], alone) {
		t.Errorf("appended: %v, %v", got, err)
	}
}

func TestAHugeBatchIsReadInParts(t *testing.T) {
	w := small()
	s := w.load(t).Session()
	lengths := make([]int, 3000)
	for i := range lengths {
		lengths[i] = 1 + i%w.positions
	}
	batch := w.sequences(lengths...)
	all, err := s.Pool(nil, batch)
	if err != nil || len(all) != len(batch)*w.hidden {
		t.Fatalf("%d numbers, error %v", len(all), err)
	}
	for i := 0; i < len(batch); i += 131 {
		alone, err := s.Pool(nil, batch[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		if d := furthest(t, all[i*w.hidden:(i+1)*w.hidden], alone); d > 1e-5 {
			t.Errorf("sequence %d differs by %.2g", i, d)
		}
	}
	if tokens := len(s.x) / whole(w.hidden, align); tokens > partTokens+2*mostRows {
		t.Errorf("the workspace holds %d tokens", tokens)
	}
}

func TestASequenceThatTheModelCannotReadIsRefused(t *testing.T) {
	w := small()
	s := w.load(t).Session()
	good := w.sequences(3)[0]
	for name, c := range map[string]struct {
		q    Sequence
		want string
	}{
		"too long":       {w.sequences(w.positions + 1)[0], "21 tokens, the model reads at most 20"},
		"empty":          {Sequence{}, "empty"},
		"types too few":  {Sequence{IDs: []int32{1, 2}, Types: []uint8{0}}, "types"},
		"a foreign word": {Sequence{IDs: []int32{1, 30}}, "token 1"},
		"a negative one": {Sequence{IDs: []int32{-1}}, "token 0"},
		"a foreign type": {Sequence{IDs: []int32{1}, Types: []uint8{2}}, "token 0"},
	} {
		got, err := s.Pool(nil, []Sequence{good, c.q})
		if err == nil || !strings.Contains(err.Error(), "sequence 1: ") || !strings.Contains(err.Error(), c.want) ||
			len(got) != 0 {
			t.Errorf("%s: %d numbers, error %v; want %q", name, len(got), err, c.want)
		}
	}
	if _, err := s.Pool(nil, w.sequences(w.positions)); err != nil {
		t.Errorf("a sequence of all positions: %v", err)
	}
}

func TestNothingIsAllocatedInTheSteadyState(t *testing.T) {
	w := small()
	m := w.load(t)
	batch := w.sequences(3, 20, 11, 7)
	withEach(t, func(t *testing.T) {
		s := m.Session()
		dst, err := s.Pool(nil, batch)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(20, func() { dst, _ = s.Pool(dst[:0], batch) }); n > 0 {
			t.Errorf("%v allocations a batch", n)
		}
	})
}

func TestSessionsWorkAtOnce(t *testing.T) {
	w := small()
	m := w.load(t)
	batch := w.sequences(3, 20, 11, 7)
	want, err := m.Session().Pool(nil, batch)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 20 {
				s := m.Session()
				got, err := s.Pool(nil, batch)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("another answer than alone, error %v", err)
				}
				m.Release(s)
			}
		})
	}
	wait.Wait()
}

func TestOnlyKernelsThatProveThemselvesAreUsed(t *testing.T) {
	names := Kernels()
	if names[len(names)-1] != "portable" {
		t.Errorf("kernels %v; the portable one is the last resort", names)
	}
	if len(names) != len(native())+1 {
		t.Errorf("of %d native kernels only %v prove themselves", len(native()), names)
	}
	if Use("none") {
		t.Error("a kernel that does not exist is used")
	}
	break1, break2, break3 := *portable, *portable, *portable
	break1.floats = func(t *tile) { portableFloats(t); *t.y += 0.01 }
	break2.gelu = func(x []float32) { portableGELU(x); x[len(x)-1]++ }
	break3.shorts = func(t *tile) { portableShorts(t, portable.rows, portable.cols-1) }
	break3.widenShorts = portableWidenShorts
	for i, k := range []kernel{break1, break2, break3} {
		if got := proven([]*kernel{&k, portable}); len(got) != 1 || got[0] != portable {
			t.Errorf("broken kernel %d proves itself", i+1)
		}
	}
	fine := *portable
	fine.shorts, fine.widenShorts = func(t *tile) { portableShorts(t, portable.rows, portable.cols) }, portableWidenShorts
	if len(proven([]*kernel{&fine})) != 1 {
		t.Error("a kernel that is right does not prove itself")
	}
}
